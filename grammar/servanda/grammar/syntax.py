"""The syntax tree of a contract: frozen nodes, each with the span it was read from.

In: built by the parser alone. Out: read by the resolver and the formatter. One class per construct of the language (language
reference, sections 1-7); nothing here knows what a name means. Spans take part in no comparison, so that trees compare by content.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal as Lit

from servanda.grammar.span import Span


def _span() -> Span:
    return field(compare=False, repr=False)  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class Name:
    """An identifier."""

    text: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Text:
    """A quoted string; `value` has its escapes resolved."""

    value: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Reference:
    """A dotted path of duties, `outcome.refund.pay`; `indices` are those of an instance, `it.lend_it[1]`."""

    names: tuple[Name, ...]
    indices: tuple[int, ...]
    span: Span = _span()

    @property
    def text(self) -> str:
        """The path as written, with its indices."""
        return ".".join(n.text for n in self.names) + "".join(f"[{i}]" for i in self.indices)


@dataclass(frozen=True, slots=True)
class ProseRef:
    """`from policy:12-14`: lines `first` to `last` (from 1, inclusive) of a declared prose source."""

    source: Name
    first: int
    last: int
    span: Span = _span()


# ---- literals and types ----------------------------------------------------------------------------------------------

LiteralKind = Lit["bool", "int", "decimal", "string", "date", "time", "duration"]


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant. `value`: bool, int, Decimal, str; for a date or time its ISO text; for a duration whole seconds (int)."""

    kind: LiteralKind
    value: bool | int | Decimal | str
    span: Span = _span()


Constant = Literal | Name
"""A literal, or the bare name of an enum member."""


@dataclass(frozen=True, slots=True)
class Range:
    """`in low .. high`, bounds inclusive."""

    low: Constant
    high: Constant
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class ScalarType:
    """`bool`, `int`, `decimal(n)`, `date`, `time`, `duration`, `string`, with an optional range; `digits` for decimals only."""

    kind: LiteralKind
    digits: int | None
    range: Range | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class EnumType:
    """`enum { a, b, "c d" }` written in place."""

    members: tuple[Name | Text, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class SetType:
    """`set of T`."""

    element: "Type"
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class ListType:
    """`list of T max n`."""

    element: "Type"
    max: int
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class MapType:
    """`map of T max n`: an object with data keys."""

    element: "Type"
    max: int
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class NamedType:
    """A declared enum or record, by name."""

    name: Name
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class RecordType:
    """`{ field: T … }` written in place: the result of a declared tool."""

    fields: tuple["Field", ...]
    span: Span = _span()


Type = ScalarType | EnumType | SetType | ListType | MapType | NamedType | RecordType


@dataclass(frozen=True, slots=True)
class ReadRef:
    """`get_order(order_id: order_id).status`: a successful call with these arguments, and a path into its result."""

    tool: Name | Text
    arguments: tuple[tuple[Name | Text, "Expr"], ...]
    path: tuple["Name | Expr", ...]
    """Trailers: a `Name` for `.name`, an expression for `[index]`. A bare name in brackets arrives as `Var`."""
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Field:
    """`name: T [optional] [observed r or r …]`, in a record, a query, a tool's arguments or an output."""

    name: Name | Text
    type: Type
    optional: bool
    observed: tuple[ReadRef, ...]
    span: Span = _span()

    @property
    def key(self) -> str:
        """The field's name as text."""
        return self.name.text if isinstance(self.name, Name) else self.name.value


# ---- expressions -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Var:
    """A bare name: attribute, definition, view, state, label, parameter, variable, alias, enum member, `args`, `result`, `text`, `turn`."""

    name: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Attr:
    """`base.name`."""

    base: "Expr"
    name: Name
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Index:
    """`base[key]`."""

    base: "Expr"
    key: "Expr"
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Apply:
    """`f(x, y)`: a definition, view, state or event with parameters."""

    name: Name
    arguments: tuple["Expr", ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Not:
    """`not x`."""

    operand: "Expr"
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Logical:
    """`and`, `or` (two or more operands), `implies`, `iff` (two operands)."""

    op: Lit["and", "or", "implies", "iff"]
    operands: tuple["Expr", ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Compare:
    """`==`, `!=`, `<`, `<=`, `>`, `>=`."""

    op: Lit["==", "!=", "<", "<=", ">", ">="]
    left: "Expr"
    right: "Expr"
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class InSet:
    """`x in { a, b }`."""

    item: "Expr"
    members: tuple["Expr", ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class In:
    """`x in xs`, and `xs contains x` (told apart by `word`)."""

    word: Lit["in", "contains"]
    item: "Expr"
    container: "Expr"
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Matches:
    """`x matches /regex/`; `regex` is the text between the slashes, with `\\/` resolved to `/`."""

    operand: "Expr"
    regex: str
    regex_span: Span = _span()
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Presence:
    """`x is present` or `x is absent`."""

    operand: "Expr"
    present: bool
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`+`, `-`, `*`."""

    op: Lit["+", "-", "*"]
    left: "Expr"
    right: "Expr"
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Conditional:
    """`(if c then a else b)`."""

    condition: "Expr"
    then: "Expr"
    otherwise: "Expr"
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Quantifier:
    """`any|all|no x in xs: (body)`; with several variables the lists are walked in parallel."""

    word: Lit["any", "all", "no"]
    variables: tuple[Name, ...]
    lists: tuple["Expr", ...]
    body: "Expr"
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Fold:
    """`count|sum|first x in xs: (body)`."""

    word: Lit["count", "sum", "first"]
    variable: Name
    list: "Expr"
    body: "Expr"
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Size:
    """`count(xs)`."""

    list: "Expr"
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Group:
    """`( x )`, kept for the formatter."""

    inner: "Expr"
    span: Span = _span()


Expr = (
    Literal | Var | Attr | Index | Apply | Not | Logical | Compare | InSet | In | Matches | Presence | Arithmetic | Conditional
    | Quantifier | Fold | Size | Group
)  # fmt: skip


# ---- patterns ----------------------------------------------------------------------------------------------------------

Verb = Lit["call", "attempt", "failed"]


@dataclass(frozen=True, slots=True)
class ToolHead:
    """`call T`, `attempt T`, `failed T`."""

    verb: Verb
    tool: Name | Text
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class ClassHead:
    """`call of CLASS` and so on; `tools` is every tool."""

    verb: Verb
    cls: Name
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class MessageHead:
    """`message ROLE`."""

    role: Name
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class EventHead:
    """`event p` or `event p(x)`."""

    name: Name
    arguments: tuple[Expr, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class AnyHead:
    """`any of { P Q … }`."""

    patterns: tuple["Pattern", ...]
    span: Span = _span()


Head = ToolHead | ClassHead | MessageHead | EventHead | AnyHead


@dataclass(frozen=True, slots=True)
class Pattern:
    """`HEAD [as x] [where E]`."""

    head: Head
    alias: Name | None
    where: Expr | None
    span: Span = _span()


# ---- duties ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Clauses:
    """What may stand behind a duty's name: `if G`, `from S:lines`, `severity w`, `shared|exclusive`, `by P or by Q`."""

    guard: Expr | None = None
    prose: ProseRef | None = None
    severity: Name | None = None
    sharing: Name | None = None
    by: tuple[Pattern, ...] = ()


@dataclass(frozen=True, slots=True)
class Obligation:
    """`require|optional|forbid NAME …`."""

    deontic: Lit["require", "optional", "forbid"]
    name: Name
    title: Text | None
    clauses: Clauses
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Step:
    """`step NAME … { … }`."""

    name: Name
    title: Text | None
    clauses: Clauses
    body: tuple["Member", ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class ForEach:
    """`for each x in xs [if G] { … }`."""

    variable: Name
    list: Expr
    guard: Expr | None
    body: tuple["Member", ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Branch:
    """`branch NAME when G|otherwise { … }`; `when` is None for `otherwise`."""

    name: Name
    title: Text | None
    when: Expr | None
    clauses: Clauses
    body: tuple["Member", ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Decide:
    """`decide NAME [partial] … { branch … }`."""

    name: Name
    title: Text | None
    partial: bool
    clauses: Clauses
    branches: tuple[Branch, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Option:
    """`option NAME { … }`."""

    name: Name
    title: Text | None
    clauses: Clauses
    body: tuple["Member", ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class AnyOf:
    """`any of NAME … { option … }`."""

    name: Name
    title: Text | None
    clauses: Clauses
    options: tuple[Option, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Amount:
    """`3 turns`, `2 events` (unit given) or a duration (`unit` is `seconds`)."""

    value: int
    unit: Lit["turns", "events", "seconds"] | str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Bound:
    """`within [low ..] high`, both inclusive; `low` is None where one number was written."""

    low: Amount | None
    high: Amount
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Order:
    """`order a before b [within …] [from S:n] [severity w]`."""

    earlier: Reference
    later: Reference
    bound: Bound | None
    clauses: Clauses
    span: Span = _span()


# ---- rules -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Never:
    """`never P [after Q] [before R]`."""

    pattern: Pattern
    after: Pattern | None
    before: Pattern | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Cardinality:
    """`at most|at least|exactly n P [per EXPR | per turn]`; `per` is the string `turn` or an expression."""

    word: Lit["at most", "at least", "exactly"]
    count: int
    pattern: Pattern
    per: Expr | Lit["turn"] | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Each:
    """`each P needs|forbids earlier|later|anywhere|immediately earlier|immediately later Q [since R] [until R] [within a .. b]`."""

    pattern: Pattern
    mode: Lit["needs", "forbids"]
    direction: Lit["earlier", "later", "anywhere", "immediately earlier", "immediately later"]
    target: Pattern
    since: Pattern | None
    until: Pattern | None
    bound: Bound | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class OnlyIf:
    """`P only if E`."""

    pattern: Pattern
    condition: Expr
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Always:
    """`always E`."""

    condition: Expr
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Edge:
    """`first P` or `last P`."""

    word: Lit["first", "last"]
    pattern: Pattern
    span: Span = _span()


Form = Never | Cardinality | Each | OnlyIf | Always | Edge


@dataclass(frozen=True, slots=True)
class Rule:
    """`rule NAME ["text"] [if G] [from …] [severity …] FORM`; `from` and `severity` may also follow the form."""

    name: Name
    title: Text | None
    clauses: Clauses
    form: Form
    span: Span = _span()


Member = Obligation | Step | ForEach | Decide | AnyOf | Order | Rule
"""What may stand in a block."""


# ---- declarations ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SourceDecl:
    """`source NAME "file" [sha256 "…"]`."""

    name: Name
    file: Text
    sha256: Text | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class UseTools:
    """`use tools "file"`."""

    file: Text
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class EnumDecl:
    """`enum NAME { a, b }`."""

    name: Name
    members: tuple[Name | Text, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class RecordDecl:
    """`record NAME { field: T … }`."""

    name: Name
    fields: tuple[Field, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class ToolDecl:
    """`tool T(args…) -> TYPE reads|writes|neutral`."""

    name: Name | Text
    arguments: tuple[Field, ...]
    result: Type | None
    effect: Name | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class ResultDecl:
    """`result T, U : TYPE`."""

    tools: tuple[Name | Text, ...]
    type: Type
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class SuccessDecl:
    """`success T, U when E`."""

    tools: tuple[Name | Text, ...]
    condition: Expr
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class ClassDecl:
    """`class NAME = T, U`."""

    name: Name
    tools: tuple[Name | Text, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class QueryDecl:
    """`query { attribute: T … }`."""

    fields: tuple[Field, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class LabelDecl:
    """`label NAME : T on PATTERN`."""

    name: Name
    type: Type
    pattern: Pattern
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class ParamDecl:
    """`param NAME : T = v`."""

    name: Name
    type: Type
    value: Constant
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class DefineDecl:
    """`define f(x) = E`."""

    name: Name
    parameters: tuple[Name, ...]
    body: Expr
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class EventDecl:
    """`event p(x) = PATTERN`."""

    name: Name
    parameters: tuple[Name, ...]
    pattern: Pattern
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class ViewDecl:
    """`view v(x) = last READREF` or `last PATTERN`."""

    name: Name
    parameters: tuple[Name, ...]
    of: ReadRef | Pattern
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Arm:
    """`set E on P`."""

    value: Expr
    pattern: Pattern
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class StateDecl:
    """`state s(x) : T = v { set E on P … }`."""

    name: Name
    parameters: tuple[Name, ...]
    type: Type
    initial: Expr
    arms: tuple[Arm, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class AllowDecl:
    """`allow vacuous NAME`."""

    reference: Reference
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class ExtraItem:
    """`[failed] CLASS allowed|forbidden`."""

    failed: bool
    cls: Name
    mode: Name
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class ExtraDecl:
    """`extra writes forbidden, reads allowed`."""

    items: tuple[ExtraItem, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class OutputSchema:
    """`schema "file"`."""

    file: Text
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class ConditionRule:
    """`rule NAME ["text"] E` in an output or repair block."""

    name: Name
    title: Text | None
    condition: Expr
    clauses: Clauses
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class MustMatch:
    """`must [not] match /regex/`."""

    negated: bool
    regex: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class MustSay:
    """`must say "…"`."""

    text: Text
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class OutputDecl:
    """`output json|text { … }`."""

    form: Name
    items: tuple[OutputSchema | Field | ConditionRule | MustMatch | MustSay, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Immutable:
    """`immutable /pointer, /pointer`."""

    pointers: tuple[Text, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Budget:
    """`budget n operations, m attempts`."""

    operations: int
    attempts: int
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Values:
    """`values /pointer from SOURCE, SOURCE`; a source is an expression or the word `conversation` (a `Name`)."""

    pointer: Text
    sources: tuple[Expr | Name, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Permission:
    """`allow remove` and `monotone`, the switches of a repair block; `words` as written."""

    words: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class RepairDecl:
    """`repair T { … }`."""

    tool: Name | Text
    items: tuple[Immutable | Budget | Values | ConditionRule | Permission, ...]
    span: Span = _span()


# ---- tests -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ObjectValue:
    """`{ key: value … }`."""

    entries: tuple[tuple[Name | Text, "Value"], ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class ArrayValue:
    """`[ value, value ]`."""

    items: tuple["Value", ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class NullValue:
    """`null`."""

    span: Span = _span()


Value = Literal | Name | ObjectValue | ArrayValue | NullValue
"""Data in a test; a bare name is an enum member, that is, a string."""


@dataclass(frozen=True, slots=True)
class TestCall:
    """`call T { args } [-> value]` or `failed T { args } [-> value]`, with labels behind."""

    verb: Lit["call", "failed"]
    tool: Name | Text
    arguments: ObjectValue
    result: Value | None
    labels: ObjectValue | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class TestMessage:
    """`message ROLE "…" [{ label: value }]`."""

    role: Name
    text: Text
    labels: ObjectValue | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class TestTurn:
    """`turn { … }`: one model response."""

    events: tuple[TestCall | TestMessage, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Expectation:
    """`expect …`. `word`: conforms, undecided, active, inactive or a failure kind; `element` and, for an edge, `later`; for
    `redundant` the element is a tool, possibly quoted."""

    word: str
    element: Reference | Text | None
    later: Reference | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class TestDecl:
    """`test "…" { … }`. `open`: the word `open` stands in it."""

    title: Text
    query: ObjectValue | None
    events: tuple[TestCall | TestMessage | TestTurn, ...]
    output: Value | None
    open: bool
    expectations: tuple[Expectation, ...]
    span: Span = _span()


Item = (
    SourceDecl | UseTools | EnumDecl | RecordDecl | ToolDecl | ResultDecl | SuccessDecl | ClassDecl | QueryDecl | LabelDecl | ParamDecl
    | DefineDecl | EventDecl | ViewDecl | StateDecl | AllowDecl | ExtraDecl | OutputDecl | RepairDecl | TestDecl | Member
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Comment:
    """`# …` to the end of its line; `own_line` where nothing stands before it."""

    text: str
    own_line: bool
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Tree:
    """A whole contract as written: header, items in order, and the comments by place (for the formatter)."""

    language: int
    name: Name
    title: Text | None
    version: int
    items: tuple[Item, ...]
    comments: tuple[Comment, ...] = field(compare=False)
    span: Span = _span()
