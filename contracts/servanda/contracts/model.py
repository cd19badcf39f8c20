"""The typed model of a contract: what the resolver promises and every later stage reads.

In: built by `resolve` alone. Every name is resolved, every expression typed, every path of a duty unique. Spans point into
`Contract.source` and take no part in comparisons.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any
from typing import Literal as Lit

from servanda.contracts.expression import Expr
from servanda.contracts.types import EnumType, RecordType, Type
from servanda.grammar.span import NOWHERE, Source, Span

Severity = Lit["high", "normal", "low"]
Effect = Lit["reads", "writes", "neutral"]
Verb = Lit["call", "attempt", "failed"]
FailureKind = Lit["omission", "wrong_branch", "misorder", "redundant", "invariant", "output"]


def _span() -> Span:
    return field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Prose:
    """A declared prose source: its name in the contract, its path as written, its lines (empty tuple where the file is missing)."""

    name: str
    path: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProseSpan:
    """Lines `first` to `last` (from 1, inclusive) of a prose source."""

    source: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool contract. `arguments` is the typed view of its JSON Schema (`schema`, kept whole); `result` None where untyped.

    `effect` is `writes` where nothing classifies the tool (`classified` False). `classes` holds every class it is in, its effect class
    included where declared. `success` is a condition over `args` and `result` beyond the adapter's error flag."""

    name: str
    arguments: RecordType
    schema: Mapping[str, Any]
    result: Type | None
    effect: Effect
    classified: bool
    classes: tuple[str, ...]
    success: Expr | None
    span: Span = _span()


# ---- patterns ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ToolHead:
    """`call|attempt|failed T`."""

    verb: Verb
    tool: str


@dataclass(frozen=True, slots=True)
class ClassHead:
    """`call|attempt|failed of CLASS`; the class `tools` is every tool. An unknown tool is in `tools` and `writes`."""

    verb: Verb
    cls: str


@dataclass(frozen=True, slots=True)
class MessageHead:
    """`message ROLE`."""

    role: str


@dataclass(frozen=True, slots=True)
class NamedHead:
    """`event p(x)`: the pattern of a declared event, its parameters bound to `arguments`."""

    name: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class AnyHead:
    """`any of { P Q … }`."""

    patterns: tuple["Pattern", ...]


@dataclass(frozen=True, slots=True)
class Pattern:
    """`HEAD [as alias] [where condition]`. In `where`, `args`, `result`, `text`, `turn` and labels are those of the matched event."""

    head: ToolHead | ClassHead | MessageHead | NamedHead | AnyHead
    where: Expr | None = None
    alias: str = ""
    span: Span = _span()


# ---- declarations ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Read:
    """`T(arg: E …).path`: a successful call of `tool` with these arguments; `value` is an expression over its `result`."""

    tool: str
    arguments: tuple[tuple[str, Expr], ...]
    value: Expr
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class QueryAttribute:
    """An attribute of the query. `observed`: where it is read from the trace when not given; any of several."""

    name: str
    type: Type
    optional: bool
    observed: tuple[Read, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class LabelDeclaration:
    """A judgement made outside, on events that match `pattern`."""

    name: str
    type: Type
    pattern: Pattern
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Definition:
    """`define f(x) = body`. `query_only`: reads query attributes and definitions over them only, so it may stand in a guard."""

    name: str
    parameters: tuple[tuple[str, Type], ...]
    body: Expr
    query_only: bool
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class NamedEvent:
    """`event p(x) = pattern`."""

    name: str
    parameters: tuple[tuple[str, Type], ...]
    pattern: Pattern
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class View:
    """`view v(x) = last …`: over a read its value, over a pattern the event (of `EventType`)."""

    name: str
    parameters: tuple[tuple[str, Type], ...]
    of: Read | Pattern
    type: Type
    span: Span = _span()


# ---- duties ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Duty:
    """A leaf: `require`, `optional` or `forbid`. `path` is dotted and unique; `sharing` None where the default holds."""

    kind: Lit["require", "optional", "forbid"]
    path: str
    title: str
    guard: Expr | None
    prose: ProseSpan | None
    severity: Severity
    sharing: Lit["shared", "exclusive"] | None
    by: tuple[Pattern, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Step:
    """A group of duties. `by` is coarse evidence."""

    path: str
    title: str
    guard: Expr | None
    prose: ProseSpan | None
    by: tuple[Pattern, ...]
    body: tuple["Node", ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class ForEach:
    """One instance of `body` an element of `list` for which `guard` holds; the block is named by its variable."""

    path: str
    variable: str
    list: Expr
    element: Type
    guard: Expr | None
    body: tuple["Node", ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch; `guard` None for `otherwise`, which holds iff no guard of an earlier branch is true."""

    name: str
    path: str
    title: str
    guard: Expr | None
    prose: ProseSpan | None
    body: tuple["Node", ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Decide:
    """A decision: exactly one branch holds (at most one where `partial`)."""

    path: str
    title: str
    partial: bool
    guard: Expr | None
    prose: ProseSpan | None
    branches: tuple[Branch, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Option:
    """One of several alternative procedures."""

    name: str
    path: str
    title: str
    body: tuple["Node", ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Alternative procedures: an explanation chooses one."""

    path: str
    title: str
    guard: Expr | None
    prose: ProseSpan | None
    options: tuple[Option, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Bound:
    """`within low .. high`, inclusive; `unit` seconds for durations."""

    low: int
    high: int
    unit: Lit["turns", "events", "seconds"]


@dataclass(frozen=True, slots=True)
class Order:
    """`order earlier before later`: paths of two leaves. `depth` is the number of `for each` blocks around the place it was written in:
    it binds instances that agree on that many outermost elements. `index` is its place among the orders of the contract."""

    earlier: str
    later: str
    bound: Bound | None
    depth: int
    prose: ProseSpan | None
    severity: Severity
    span: Span = _span()


# ---- rules -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Never:
    """`never P [after Q] [before R]`."""

    pattern: Pattern
    after: Pattern | None
    before: Pattern | None


@dataclass(frozen=True, slots=True)
class Cardinality:
    """`at most|at least|exactly count P [per E | per turn]`."""

    word: Lit["at most", "at least", "exactly"]
    count: int
    pattern: Pattern
    per: Expr | Lit["turn"] | None


@dataclass(frozen=True, slots=True)
class Each:
    """`each P needs|forbids DIRECTION Q [since R] [until R] [within]`."""

    pattern: Pattern
    mode: Lit["needs", "forbids"]
    direction: Lit["earlier", "later", "anywhere", "immediately earlier", "immediately later"]
    target: Pattern
    since: Pattern | None
    until: Pattern | None
    bound: Bound | None


@dataclass(frozen=True, slots=True)
class OnlyIf:
    """`P only if E`."""

    pattern: Pattern
    condition: Expr


Form = Never | Cardinality | Each | OnlyIf


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule; it stands in the body of the block it was written in and is active when the block is and `guard` holds.

    `span` is that of its name, `words` that of its form."""

    path: str
    title: str
    guard: Expr | None
    prose: ProseSpan | None
    severity: Severity
    form: Form
    span: Span = _span()
    words: Span = _span()


Node = Duty | Step | ForEach | Decide | AnyOf | Rule


# ---- output, repair, tests ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OutputRule:
    """A condition over `output`, the query, definitions and views (taken at the end of the trace)."""

    name: str
    title: str
    condition: Expr
    prose: ProseSpan | None
    severity: Severity
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class OutputContract:
    """`output json`: the typed fields (each one's absence or wrong type is an output finding named by the field) and the rules."""

    fields: tuple[tuple[str, Type, bool, Span], ...]
    """Name, type, optional, place."""
    type: RecordType
    rules: tuple[OutputRule, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Repair:
    """A `repair` block, typed but not proved in this release."""

    tool: str
    immutable: tuple[str, ...]
    operations: int | None
    attempts: int | None
    values: tuple[tuple[str, tuple[Expr | Lit["conversation"], ...]], ...]
    rules: tuple[OutputRule, ...]
    allow_remove: bool
    monotone: bool
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Expectation:
    """One `expect`. `word`: conforms, undecided, active, inactive, or a failure kind; `element` is a full path with indices, `A before B`,
    a rule's path, a tool, an attribute or label name (undecided on), or empty."""

    word: str
    element: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Test:
    """A `test` block as a trace record (the JSON shape of a trace, exact numbers) and what is expected of it."""

    title: str
    record: Mapping[str, Any]
    judges_output: bool
    expectations: tuple[Expectation, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Contract:
    """A whole contract. `digest`: SHA-256 (hex) over what it means, the tools and prose it names included; comments, layout and the order of
    declarations do not change it."""

    name: str
    title: str
    version: int
    source: Source
    digest: str
    prose: Mapping[str, Prose]
    enums: Mapping[str, EnumType]
    records: Mapping[str, RecordType]
    tools: Mapping[str, Tool]
    classes: Mapping[str, tuple[str, ...]]
    """Class name to the sorted tools in it; the effect classes included."""
    attributes: Mapping[str, QueryAttribute]
    labels: Mapping[str, LabelDeclaration]
    definitions: Mapping[str, Definition]
    events: Mapping[str, NamedEvent]
    views: Mapping[str, View]
    body: tuple[Node, ...]
    orders: tuple[Order, ...]
    extra: Mapping[str, bool]
    """Class name to whether an unmatched successful call of it is an extra; default `writes` True, `reads` and `neutral` False. A class that
    is no effect class wins over the effect class; of two such, forbidden wins."""
    output: OutputContract | None
    repairs: tuple[Repair, ...]
    tests: tuple[Test, ...]
    extra_span: Span = _span()
    """Where `extra` is written; nowhere where it is left to the default."""


def extra_forbidden(contract: Contract, tool: str) -> bool:
    """Whether an unmatched successful call of the tool is an extra (language reference §6); an unknown tool counts as `writes`."""
    found = contract.tools.get(tool)
    effect = found.effect if found else "writes"
    named = [
        contract.extra[c]
        for c in (found.classes if found else ())
        if c in contract.extra and c not in ("reads", "writes", "neutral")
    ]
    if effect == "neutral":
        return any(named)
    return any(named) if named else contract.extra.get(effect, effect == "writes")


def effect_of(contract: Contract, tool: str) -> Effect:
    """The effect class of a tool; an unknown one counts as `writes`."""
    found = contract.tools.get(tool)
    return found.effect if found else "writes"


def in_class(contract: Contract, tool: str, cls: str) -> bool:
    """Whether the tool is in the class; every tool is in `tools`, an unclassified or unknown one in `writes`."""
    return (
        cls == "tools"
        or tool in contract.classes.get(cls, ())
        or (cls == "writes" and effect_of(contract, tool) == "writes")
    )


ZERO = Fraction(0)
