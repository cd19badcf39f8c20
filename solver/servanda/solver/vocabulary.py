"""The unknowns of a query: its attributes as solver constants with their domains, made when first read.

In: the typed query. Out: symbols over constants, the facts that every query meets, and, for decoding, which constant stands for which place
of the query. A list is read at constant indices and at symbolic ones (*probes*); two reads that coincide agree. What has no exact encoding is a
free constant with a `Caveat`: a proof that holds for every value of it holds, a model that needs it proves nothing until replayed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from typing import Literal as Lit

import z3

from servanda.contracts.model import QueryAttribute
from servanda.contracts.types import (
    BoolType,
    DateType,
    DurationType,
    EnumType,
    EventType,
    ListType,
    MapType,
    Number,
    NumberType,
    RecordType,
    SetType,
    StringType,
    TimeType,
    Type,
    UntypedType,
    type_name,
)
from servanda.grammar.span import Span
from servanda.solver.formula import Algebra, Formula, Whole, constants
from servanda.solver.regexes import Sought
from servanda.solver.symbols import DAY, Chosen, Code, Listed, Opaque, Quantity, Record, Symbol, Truth, Values, quantity

LAST_DAY = date.max.toordinal()
"""The last day of the calendar; its first is 1."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A symbolic index of a list: `name` is unique, `term` its value."""

    name: str
    term: z3.ArithRef

    def __str__(self) -> str:
        return self.name


Path = tuple[str | int | Probe, ...]
"""A place of a query: attribute, then field names and indices."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A solver constant and the place of the query it stands for: whether something is present, how long a list is, or a scalar of `type`."""

    name: str
    path: Path
    role: Lit["presence", "length", "value", "member", "index"]
    term: z3.BoolRef | z3.ArithRef
    type: Type
    member: int = 0


@dataclass(frozen=True, slots=True)
class Fact:
    """What every query meets because of the declared type of `attribute` (empty: because two reads are of one place). `names`: the constants it is
    over; none for what is known of searches, which ties no two places together."""

    attribute: str
    formula: Formula
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Caveat:
    """What is only approximated, and where it was written."""

    why: str
    span: Span


@dataclass(frozen=True, slots=True)
class Search:
    """`sought` was searched in the string with this code; `holds` is the atom."""

    sought: Sought
    code: z3.ArithRef
    holds: z3.BoolRef


class Vocabulary:
    """Grows as expressions read it; `leaves`, `facts`, `texts`, `searches` and `caveats` only ever gain members, in a deterministic order."""

    def __init__(self, algebra: Algebra, attributes: Mapping[str, QueryAttribute]) -> None:
        self.algebra = algebra
        self.attributes = attributes
        self.values = Values(algebra, self.code)
        self.leaves: dict[str, Leaf] = {}
        self.facts: list[Fact] = []
        self.texts: dict[str, int] = {}
        self.searches: list[Search] = []
        self.caveats: dict[str, Caveat] = {}
        self.probes: dict[Path, list[Probe]] = {}
        self._reads: dict[Path, list[int | Probe]] = {}
        self._symbols: dict[str, Symbol] = {}
        self._functions: dict[Sought, z3.FuncDeclRef] = {}
        self._linked: set[tuple[str, str]] = set()
        self._linked_at: tuple[int, ...] = ()
        self._searched: set[tuple[Sought, int]] = set()

    # ---- attributes ------------------------------------------------------------------------------------------------

    def attribute(self, name: str) -> Symbol:
        """The symbol of a query attribute."""
        if name not in self._symbols:
            declared = self.attributes[name]
            self._symbols[name] = self._symbol((name,), declared.type, declared.optional)
        return self._symbols[name]

    def _symbol(self, path: Path, kind: Type, optional: bool) -> Symbol:
        present: Formula = self._truth(path, "presence", BoolType()) if optional else True
        match kind:
            case BoolType():
                value = self._truth(path, "value", kind)
                return self.values.settled(value, present)
            case NumberType(digits, low, high):
                scale = 10**digits
                return Quantity(self._whole(path, kind, present, scale, low, high), scale, present)
            case DateType(low, high):
                first = low.toordinal() if low else 1
                last = high.toordinal() if high else LAST_DAY
                return Quantity(self._whole(path, kind, present, 1, first, last), 1, present, True)
            case TimeType(low, high):
                start, end = _bound(low) or Fraction(1), _bound(high) or LAST_DAY + 1 - Fraction(1, DAY)
                return Quantity(self._whole(path, kind, present, DAY, start, end), DAY, present, True)
            case EnumType(_, members):
                return Code(self._whole(path, kind, present, 1, 0, len(members) - 1), members, present)
            case StringType():
                return Code(self._whole(path, kind, present, 1, None, None), None, present)
            case SetType(element):
                holds = tuple(self._truth(path, "member", kind, m) for m in range(len(element.members)))
                return Chosen(holds, element.members, present)
            case RecordType():
                return self._record(path, kind, present)
            case ListType(element, most):
                return self._list(path, element, most, present)
            case MapType() | DurationType() | EventType() | UntypedType():
                return Opaque(f"the type {type_name(kind)}", present)

    def _record(self, path: Path, kind: RecordType, present: Formula) -> Record:
        found: dict[str, Symbol] = {}

        def read(name: str) -> Symbol:
            if name not in found:
                field = kind.field(name)
                assert field is not None, f"the resolver let {name} through"
                found[name] = self._symbol((*path, name), field.type, field.optional)
            return self.values.only(found[name], present)

        return Record(read, present)

    def _list(self, path: Path, element: Type, most: int, present: Formula) -> Listed:
        length = self.algebra.whole(f"{spell(path)}#")
        self._leaf(path, "length", length, ListType(element, most))
        self._fact(path, present, self.algebra.within(length, 0, most))
        found: dict[str, Symbol] = {}
        self._reads[path] = []

        def item(index: Whole) -> Symbol:
            place: int | Probe = index if isinstance(index, int) else self._probe(path, index)
            if str(place) not in found:
                self._reads[path].append(place)
                found[str(place)] = self._symbol((*path, place), element, False)
            return found[str(place)]

        return Listed(item, length, most, present)

    def _probe(self, path: Path, index: z3.ArithRef) -> Probe:
        known = self.probes.setdefault(path, [])
        for probe in known:
            if probe.term.eq(index):
                return probe
        known.append(Probe(f"~{len(known)}", index))
        return known[-1]

    def index(self, name: str) -> z3.ArithRef:
        """A fresh index, for the generic element of a `for each`."""
        term = self.algebra.whole(name)
        self.leaves[name] = Leaf(name, (), "index", term, NumberType())
        return term

    # ---- leaves and facts ------------------------------------------------------------------------------------------

    def _leaf(
        self,
        path: Path,
        role: Lit["presence", "length", "value", "member", "index"],
        term: z3.BoolRef | z3.ArithRef,
        kind: Type,
        member: int = 0,
    ) -> None:
        name = term.decl().name()
        self.leaves[name] = Leaf(name, path, role, term, kind, member)

    def _truth(self, path: Path, role: Lit["presence", "value", "member"], kind: Type, member: int = 0) -> z3.BoolRef:
        mark = {"presence": "?", "value": "", "member": f"∋{member}"}[role]
        term = self.algebra.truth(spell(path) + mark)
        self._leaf(path, role, term, kind, member)
        return term

    def _whole(
        self, path: Path, kind: Type, present: Formula, scale: int, low: Number | None, high: Number | None
    ) -> z3.ArithRef:
        term = self.algebra.whole(spell(path))
        self._leaf(path, "value", term, kind)
        lowest = None if low is None else -(-low * scale // 1)
        highest = None if high is None else high * scale // 1
        within = self.algebra.within(
            term, None if lowest is None else int(lowest), None if highest is None else int(highest)
        )
        self._fact(path, present, within)
        return term

    def _fact(self, path: Path, present: Formula, formula: Formula) -> None:
        if formula is not True:
            self._state(str(path[0]), self.algebra.implies(present, formula))

    def _state(self, attribute: str, formula: Formula, *, ties: bool = True) -> None:
        self.facts.append(Fact(attribute, formula, constants(formula) if ties else frozenset()))

    def link(self) -> None:
        """Add the facts that reads of one element agree, and those that a search in a known string comes out as it does."""
        size = (len(self.leaves), len(self.texts), len(self._functions), sum(map(len, self._reads.values())))
        if size == self._linked_at:
            return
        self._linked_at = size
        for path, reads in list(self._reads.items()):
            for i, a in enumerate(reads):
                for b in reads[i + 1 :]:
                    if isinstance(a, Probe) or isinstance(b, Probe):
                        self._agree(path, a, b)
        self._known_searches()

    def _agree(self, path: Path, a: int | Probe, b: int | Probe) -> None:
        here, there = (*path, a), (*path, b)
        coincide = self.algebra.equal(_at(a), _at(b))
        for leaf in list(self.leaves.values()):
            if leaf.path[: len(here)] != here:
                continue
            twin = self.leaves.get(spell(there) + leaf.name[len(spell(here)) :])
            if twin is None or (leaf.name, twin.name) in self._linked:
                continue
            self._linked.add((leaf.name, twin.name))
            self._state("", self.algebra.implies(coincide, leaf.term == twin.term))

    # ---- strings ---------------------------------------------------------------------------------------------------

    def code(self, text: str) -> int:
        """The code of a known string; every other integer is the code of some other string."""
        return self.texts.setdefault(text, len(self.texts))

    def text(self, code: int) -> str:
        """The known string with this code."""
        return next(t for t, c in self.texts.items() if c == code)

    def found(self, code: Whole, sought: Sought) -> Formula:
        """Whether it is found in the string with this code."""
        if isinstance(code, int):
            return sought.found_in(self.text(code))
        if sought not in self._functions:
            context = self.algebra.context
            name = f"found!{len(self._functions)}"
            self._functions[sought] = z3.Function(name, z3.IntSort(context), z3.BoolSort(context))
        holds = self._functions[sought](code)
        if all(not (s.sought == sought and s.code.eq(code)) for s in self.searches):
            self.searches.append(Search(sought, code, holds))
        return holds

    def _known_searches(self) -> None:
        for sought, function in self._functions.items():
            for text, code in self.texts.items():
                if (sought, code) not in self._searched:
                    self._searched.add((sought, code))
                    found = sought.found_in(text)
                    self._state("", self.algebra.same(function(self.algebra.term(code)), found), ties=False)

    def exclude(self, found: tuple[Sought, ...], missed: tuple[Sought, ...], only: tuple[str, ...]) -> None:
        """No string but those of `only` has all of `found` and none of `missed`: say so of every string that is searched."""
        a = self.algebra
        for code in self.searched_codes():
            parts: list[Formula] = [self.found(code, s) for s in found]
            parts += [a.neg(self.found(code, s)) for s in missed]
            known = a.disj([a.equal(code, self.code(text)) for text in only])
            self._state("", a.implies(a.conj(parts), known), ties=False)

    def outcomes(self, code: int, text: str) -> list[Formula]:
        """How each search comes out in `text`, the string with this code."""
        number = self.algebra.term(code)
        found = ((f(number), sought.found_in(text)) for sought, f in self._functions.items())
        return [self.algebra.same(atom, holds) for atom, holds in found]

    def searched_codes(self) -> tuple[z3.ArithRef, ...]:
        """Each string term that is searched, once."""
        seen: list[z3.ArithRef] = []
        for search in self.searches:
            if all(not search.code.eq(s) for s in seen):
                seen.append(search.code)
        return tuple(seen)

    # ---- what has no encoding --------------------------------------------------------------------------------------

    def free_truth(self, why: str, span: Span) -> Truth:
        """A truth value of which nothing is known."""
        a = self.algebra
        name = f"free!{len(self.caveats)}"
        true, false = a.truth(name), a.truth(name + "-")
        self.caveats[name] = self.caveats[name + "-"] = Caveat(why, span)
        return Truth(true, a.conj((a.neg(true), false)))

    def free_whole(self, why: str, span: Span) -> z3.ArithRef:
        """A number of which nothing is known."""
        name = f"free!{len(self.caveats)}"
        self.caveats[name] = Caveat(why, span)
        return self.algebra.whole(name)


def _bound(value: datetime | None) -> Fraction | None:
    """A bound as an exact number of days."""
    if value is None:
        return None
    constant = quantity(value)
    assert isinstance(constant.value, int)
    return Fraction(constant.value, constant.scale)


def _at(index: int | Probe) -> Whole:
    return index if isinstance(index, int) else index.term


def spell(path: Path) -> str:
    """The name of a place: `items[0].price`."""
    first, *rest = path
    return str(first) + "".join(f".{p}" if isinstance(p, str) else f"[{p}]" for p in rest)
