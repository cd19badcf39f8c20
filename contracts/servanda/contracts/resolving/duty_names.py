"""The names of duties: their paths, and what a reference to one means.

In: the syntax tree. Out: a table of every duty, block and rule by its full path, with the blocks around it. A reference is any suffix of a
path that fits one duty only; the innermost block around the reference that holds a fitting one decides. Language reference §2.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal as Lit

from servanda.contracts.resolving.faults import Faults
from servanda.grammar import syntax as s
from servanda.grammar.diagnostic import Note, nearest
from servanda.grammar.span import Span

DutyKind = Lit["require", "optional", "forbid", "rule", "step", "for each", "decide", "branch", "any of", "option"]
LEAVES = ("require", "optional")


@dataclass(frozen=True, slots=True)
class DutyName:
    """A named element. `loops`: paths of the `for each` blocks around it, outermost first; `options`: each `any of` around it with the option
    it stands in."""

    path: str
    kind: DutyKind
    loops: tuple[str, ...]
    options: tuple[tuple[str, str], ...]
    span: Span

    @property
    def words(self) -> str:
        """Kind and path, for messages."""
        return f"{KIND_WORDS[self.kind]} '{self.path}'"


KIND_WORDS: dict[DutyKind, str] = {
    "require": "the required duty",
    "optional": "the optional duty",
    "forbid": "the forbidden duty",
    "rule": "the rule",
    "step": "the step",
    "for each": "the block for each",
    "decide": "the decision",
    "branch": "the branch",
    "any of": "the choice",
    "option": "the option",
}


@dataclass(frozen=True, slots=True)
class Around:
    """The blocks around a place."""

    path: str = ""
    loops: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()

    def inside(self, name: str) -> "Around":
        """Inside a named block."""
        return Around(self.join(name), self.loops, self.options)

    def join(self, name: str) -> str:
        """The path of a name here."""
        return f"{self.path}.{name}" if self.path else name


class DutyNames:
    """All duties of a contract by path, in the order written."""

    def __init__(self, items: Iterable[s.Item], faults: Faults) -> None:
        self._faults = faults
        self.table: dict[str, DutyName] = {}
        for item in items:
            self._enter(item, Around())

    def silent(self, faults: Faults) -> "DutyNames":
        """The same names, with faults of references going elsewhere."""
        other = DutyNames((), faults)
        other.table = self.table
        return other

    def _enter(self, item: s.Item, around: Around) -> None:
        match item:
            case s.Obligation():
                self._add(item.name, item.deontic, around)
            case s.Rule():
                self._add(item.name, "rule", around)
            case s.Step():
                self._block(item.name, "step", around, item.body)
            case s.ForEach():
                path = around.join(item.variable.text)
                self._add(item.variable, "for each", around)
                inner = Around(path, (*around.loops, path), around.options)
                for member in item.body:
                    self._enter(member, inner)
            case s.Decide():
                self._add(item.name, "decide", around)
                for branch in item.branches:
                    self._block(branch.name, "branch", around.inside(item.name.text), branch.body)
            case s.AnyOf():
                self._add(item.name, "any of", around)
                group = around.inside(item.name.text)
                for option in item.options:
                    self._add(option.name, "option", group)
                    path = group.join(option.name.text)
                    inner = Around(path, group.loops, (*group.options, (group.path, path)))
                    for member in option.body:
                        self._enter(member, inner)

    def _block(self, name: s.Name, kind: DutyKind, around: Around, body: tuple[s.Member, ...]) -> None:
        self._add(name, kind, around)
        for member in body:
            self._enter(member, around.inside(name.text))

    def _add(self, name: s.Name, kind: DutyKind, around: Around) -> None:
        path = around.join(name.text)
        found = DutyName(path, kind, around.loops, around.options, name.span)
        first = self.table.setdefault(path, found)
        if first is not found:
            hint = (
                "a `for each` block is called by its variable: give each block one of its own"
                if kind == "for each"
                else ""
            )
            self._faults.error(
                "C111",
                name.span,
                f"the name '{path}' is taken by {first.words}",
                notes=(Note("it stands here first", first.span),),
                help=hint,
            )

    def find(self, reference: s.Reference, block: str = "") -> DutyName | None:
        """The duty a reference written inside the block of that path names, or None once the fault is recorded."""
        wanted = ".".join(n.text for n in reference.names)
        place = block
        while True:
            found = self._within(place, wanted)
            if len(found) == 1:
                return found[0]
            if len(found) > 1:
                listed = ", ".join(f.path for f in found)
                self._faults.error(
                    "C115", reference.span, f"'{wanted}' can be any of {listed}", help="write more of the path"
                )
                return None
            if not place:
                break
            place = place.rpartition(".")[0]
        known = [p for path in self.table for p in (path, path.rpartition(".")[2])]
        self._faults.error("C116", reference.span, f"no duty is called '{wanted}'", help=nearest(wanted, known))
        return None

    def _within(self, block: str, wanted: str) -> list[DutyName]:
        """What a name fits inside a block: a whole path from there, else every path that ends so."""
        prefix = f"{block}." if block else ""
        exact = self.table.get(prefix + wanted)
        if exact is not None:
            return [exact]
        return [d for path, d in self.table.items() if path.startswith(prefix) and path.endswith(f".{wanted}")]
