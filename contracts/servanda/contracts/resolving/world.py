"""What the names of a contract stand for while it is being resolved.

In: filled by `resolve` in dependency order (types, tools, classes, attributes, labels, then definitions, views and events). Out: read by
the typing of expressions, patterns and duties. Holds facts only; duties have a table of their own (`duty_names`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal as Lit

from servanda.contracts.model import Definition, LabelDeclaration, NamedEvent, Tool, Verb, View
from servanda.contracts.resolving.faults import Faults
from servanda.contracts.resolving.typing_rules import merge, merge_records, widen
from servanda.contracts.types import RecordType, Type
from servanda.grammar.span import Span

RESERVED = ("args", "result", "text", "turn", "output", "tools")
"""Names the language gives a meaning of its own; no fact may take one."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One kind of event that a pattern can match: messages of a role, or calls of a tool under a verb."""

    kind: Lit["message", "call"]
    name: str
    verb: Verb | None = None

    @property
    def words(self) -> str:
        """As it is written."""
        return f"message {self.name}" if self.kind == "message" else f"{self.verb} {self.name}"


Leaves = tuple[Leaf, ...] | None
"""All kinds a pattern can match; None where that was already reported as an error."""


class Slot:
    """The type of a variable. Those of parameters are not written: they are learnt from use, and None until then."""

    __slots__ = ("type",)

    def __init__(self, kind: Type | None = None) -> None:
        self.type = kind

    def learn(self, kind: Type) -> None:
        """Widen the type so that it takes values of `kind` too; one that cannot be covered is reported where it stands."""
        wide = widen(kind)
        self.type = wide if self.type is None else merge(self.type, wide) or self.type


@dataclass(frozen=True, slots=True)
class Place:
    """A kind of place for expressions: what it is called, and what may be read there."""

    words: str
    attributes: bool = True
    definitions: Lit["all", "query", "none"] = "all"
    views: bool = True
    labels: bool = False
    why: str = ""
    """Why what may not be read may not."""
    hint: str = ""
    """What may be read instead."""
    code: str = "C131"
    """Of the fault of reading something else."""


GUARD = Place(
    "a guard",
    definitions="query",
    views=False,
    why="what is read from the run would judge the run by its own effects",
    hint="a guard reads query attributes, variables of `for each`, and definitions over them",
    code="C130",
)
OBSERVED = Place(
    "an `observed` read",
    definitions="query",
    views=False,
    why="where an attribute is read from may hang on other attributes only",
)
SUCCESS = Place(
    "a success condition",
    attributes=False,
    definitions="none",
    views=False,
    why="what counts as success may hang on the arguments and the result of the call only",
)
DEFINITION = Place(
    "a definition",
    why="a definition has no event of its own: give it a parameter and pass the value where the event is known",
)
VIEW = Place(
    "a view", why="a view has no event of its own: give it a parameter and pass the value where the event is known"
)
PATTERN = Place("a pattern", labels=True)
LABEL = Place(
    "a label's pattern",
    views=False,
    definitions="query",
    why="where a label is made may not hang on what happened elsewhere",
)
OUTPUT = Place("an output rule", why="an output rule is judged at the end, where there is no event")
REPAIR = Place("a repair block", why="a repair block is about the arguments of the failed call")


@dataclass(frozen=True, slots=True)
class Scope:
    """What is in reach at one place: local variables, aliases of events, the event being judged, the output."""

    place: Place
    variables: Mapping[str, Slot] = field(default_factory=dict)
    aliases: Mapping[str, Leaves] = field(default_factory=dict)
    event: Leaves = ()
    has_event: bool = False
    parts: tuple[str, ...] = ("args", "result", "text", "turn")
    output: Type | None = None

    def with_variable(self, name: str, slot: Slot) -> "Scope":
        """This scope and one more variable."""
        return replace(self, variables={**self.variables, name: slot})

    def at_event(self, leaves: Leaves, alias: str = "") -> "Scope":
        """The scope of a condition on an event of these kinds."""
        aliases = {**self.aliases, alias: leaves} if alias else self.aliases
        return replace(self, aliases=aliases, event=leaves, has_event=True)

    def beside(self, alias: str, leaves: Leaves) -> "Scope":
        """The scope of another pattern of the same rule, which sees the named event of the first."""
        return replace(self, aliases={**self.aliases, alias: leaves}) if alias else self


@dataclass(frozen=True, slots=True)
class AttributeFact:
    """A query attribute before its reads are resolved."""

    name: str
    type: Type
    optional: bool
    span: Span


@dataclass(frozen=True, slots=True)
class LabelFact:
    """A label, and the kinds of events it is made on."""

    declaration: LabelDeclaration
    leaves: Leaves


@dataclass(frozen=True, slots=True)
class World:
    """All facts of a contract. The tables of definitions, views and events hold None for one that was reported as an error."""

    faults: Faults
    types: Mapping[str, Type]
    tools: Mapping[str, Tool]
    classes: Mapping[str, tuple[str, ...]]
    tools_whole: bool
    """False where a tools file could not be read: then an unknown tool is no news."""
    attributes: Mapping[str, AttributeFact]
    broken: frozenset[str]
    """Names that were declared by something this release does not support: known, but of no type."""
    members: Mapping[str, str]
    """Member of a declared enum to the name of that enum."""
    parameters: Mapping[tuple[str, str], tuple[tuple[str, Slot], ...]]
    """Of each definition, view and event (`define`, `view`, `event` and its name)."""
    names: Mapping[str, str]
    """Every declared fact to what it is, `a query attribute` and so on."""
    inferring: bool
    labels: dict[str, LabelFact | None] = field(default_factory=dict)
    definitions: dict[str, Definition | None] = field(default_factory=dict)
    views: dict[str, View | None] = field(default_factory=dict)
    events: dict[str, NamedEvent | None] = field(default_factory=dict)
    view_leaves: dict[str, Leaves] = field(default_factory=dict)
    event_leaves: dict[str, Leaves] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    """Of each definition: how many terms it stands for once the definitions it reads are written out."""

    def again(self, faults: Faults, *, inferring: bool) -> "World":
        """The same declarations with nothing resolved yet."""
        return World(
            faults,
            self.types,
            self.tools,
            self.classes,
            self.tools_whole,
            self.attributes,
            self.broken,
            self.members,
            self.parameters,
            self.names,
            inferring,
        )

    def arguments_of(self, leaves: tuple[Leaf, ...]) -> RecordType | None:
        """The arguments every matched call has with one type; None where a message can match."""
        if not leaves or any(leaf.kind == "message" for leaf in leaves):
            return None
        return merge_records(tuple(self.tools[leaf.name].arguments for leaf in leaves))

    def result_of(self, leaves: tuple[Leaf, ...]) -> Type | None:
        """The type of the result every matched call has; None where there is none or they differ."""
        found: Type | None = None
        for position, leaf in enumerate(leaves):
            if leaf.kind == "message" or leaf.verb == "attempt":
                return None
            result = self.tools[leaf.name].result
            found = (
                result
                if position == 0
                else (merge(found, result) if found is not None and result is not None else None)
            )
            if found is None:
                return None
        return found
