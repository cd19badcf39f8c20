"""Obligations and the blocks that hold them, order edges included.

In: members as written, the facts, the names of duties. Out: nodes of the typed model and the orders, or nothing for one with a fault.
Guards read the query only; patterns read the run. Language reference §5 and §6.
"""

from dataclasses import dataclass, replace
from typing import Literal as Lit
from typing import assert_never, cast

from servanda.contracts import model as m
from servanda.contracts.expression import Expr
from servanda.contracts.resolving.duty_names import LEAVES, Around, DutyName, DutyNames
from servanda.contracts.resolving.expressions import condition, walk
from servanda.contracts.resolving.patterns import patterns
from servanda.contracts.resolving.prose import ProseFiles
from servanda.contracts.resolving.rules import bound, form
from servanda.contracts.resolving.world import GUARD, PATTERN, Scope, World
from servanda.grammar import syntax as s
from servanda.grammar.span import Span


class Duties:
    """Resolves members into nodes; the orders met on the way gather in `orders`."""

    def __init__(self, world: World, names: DutyNames, prose: ProseFiles) -> None:
        self._world = world
        self._names = names
        self._prose = prose
        self.orders: list[m.Order] = []

    def top(self, items: tuple[s.Item, ...]) -> tuple[m.Node, ...]:
        """The nodes of a whole contract."""
        members = tuple(i for i in items if isinstance(i, s.Member))
        return self._body(members, _Where(Around(), Scope(GUARD)))

    def _body(self, members: tuple[s.Member, ...], where: "_Where") -> tuple[m.Node, ...]:
        nodes: list[m.Node] = []
        for member in members:
            if isinstance(member, s.Order):
                self._order(member, where)
                continue
            node = self._node(member, where)
            if node is not None:
                nodes.append(node)
        return tuple(nodes)

    def _node(self, member: s.Member, where: "_Where") -> m.Node | None:
        match member:
            case s.Obligation():
                return self._duty(member, where)
            case s.Step():
                self._only(member.clauses, "a step", ("guard", "prose", "by"))
                body = self._body(member.body, where.inside(member.name.text))
                guard, sound = self._guard(member.clauses.guard, where)
                path, title = where.around.join(member.name.text), _title(member.title)
                return (
                    m.Step(path, title, guard, self._from(member.clauses), (), body, member.name.span)
                    if sound
                    else None
                )
            case s.ForEach():
                return self._for_each(member, where)
            case s.Decide():
                return self._decide(member, where)
            case s.AnyOf():
                return self._any_of(member, where)
            case s.Rule():
                return self._rule(member, where)
            case s.Order():
                return None
            case _:
                assert_never(member)

    def _duty(self, node: s.Obligation, where: "_Where") -> m.Duty | None:
        clauses = node.clauses
        guard, sound = self._guard(clauses.guard, where)
        if not clauses.by:
            self._world.faults.error(
                "C140", node.name.span, f"'{node.name.text}' says no evidence: it needs at least one `by`"
            )
        by = patterns(self._world, where.patterns, clauses.by)
        if not sound or not by:
            return None
        return m.Duty(
            node.deontic,
            where.around.join(node.name.text),
            _title(node.title),
            guard,
            self._from(clauses),
            severity(clauses),
            cast(Lit["shared", "exclusive"], clauses.sharing.text) if clauses.sharing else None,
            by,
            node.name.span,
        )

    def _for_each(self, node: s.ForEach, where: "_Where") -> m.ForEach | None:
        listed, scope = walk(self._world, where.guards, node.variable, node.list)
        path = where.around.join(node.variable.text)
        inner = _Where(Around(path, (*where.around.loops, path), where.around.options), scope)
        guard, sound = self._guard(node.guard, inner)
        body = self._body(node.body, inner)
        element = scope.variables[node.variable.text].type
        if listed is None or element is None or not sound:
            return None
        return m.ForEach(path, node.variable.text, listed, element, guard, body, node.variable.span)

    def _decide(self, node: s.Decide, where: "_Where") -> m.Decide | None:
        self._only(node.clauses, "a decision", ("guard", "prose"))
        guard, sound = self._guard(node.clauses.guard, where)
        inner = where.inside(node.name.text)
        branches: list[m.Branch] = []
        for place, branch in enumerate(node.branches):
            self._only(branch.clauses, "a branch", ("prose",))
            if branch.when is None and place < len(node.branches) - 1:
                self._world.faults.error(
                    "C142",
                    branch.name.span,
                    f"the branch '{branch.name.text}' is taken otherwise, so it has to be the last one",
                )
            when, whole = self._guard(branch.when, inner)
            body = self._body(branch.body, inner.inside(branch.name.text))
            sound = sound and whole
            path = inner.around.join(branch.name.text)
            branches.append(
                m.Branch(
                    branch.name.text,
                    path,
                    _title(branch.title),
                    when,
                    self._from(branch.clauses),
                    body,
                    branch.name.span,
                )
            )
        if not sound:
            return None
        path = where.around.join(node.name.text)
        prose = self._from(node.clauses)
        return m.Decide(path, _title(node.title), node.partial, guard, prose, tuple(branches), node.name.span)

    def _any_of(self, node: s.AnyOf, where: "_Where") -> m.AnyOf | None:
        self._only(node.clauses, "a choice", ("guard", "prose"))
        guard, sound = self._guard(node.clauses.guard, where)
        group = where.inside(node.name.text)
        options: list[m.Option] = []
        for option in node.options:
            self._only(option.clauses, "an option", ())
            path = group.around.join(option.name.text)
            inside = group.inside(option.name.text).option(group.around.path, path)
            body = self._body(option.body, inside)
            options.append(m.Option(option.name.text, path, _title(option.title), body, option.name.span))
        path = where.around.join(node.name.text)
        if not sound:
            return None
        return m.AnyOf(path, _title(node.title), guard, self._from(node.clauses), tuple(options), node.name.span)

    def _rule(self, node: s.Rule, where: "_Where") -> m.Rule | None:
        guard, sound = self._guard(node.clauses.guard, where)
        found = form(self._world, where.patterns, node.form)
        if found is None or not sound:
            return None
        path = where.around.join(node.name.text)
        prose = self._from(node.clauses)
        spans = (node.name.span, node.form.span)
        return m.Rule(path, _title(node.title), guard, prose, severity(node.clauses), found, *spans)

    def _order(self, node: s.Order, where: "_Where") -> None:
        earlier, later = self._end(node.earlier, where), self._end(node.later, where)
        within = bound(node.bound)
        prose = self._from(node.clauses)
        if earlier is None or later is None:
            return
        if earlier.path == later.path:
            self._fault_order(node.later.span, f"'{earlier.path}' cannot stand before itself")
            return
        for group, option in earlier.options:
            other = next((o for g, o in later.options if g == group), option)
            if other != option:
                self._fault_order(
                    node.span,
                    f"'{earlier.path}' and '{later.path}' stand in two options of '{group}', of which one is chosen: the order never binds",
                )
                return
        depth = len(where.around.loops)
        found = m.Order(earlier.path, later.path, within, depth, prose, severity(node.clauses), node.span)
        if any((o.earlier, o.later, o.depth) == (found.earlier, found.later, depth) for o in self.orders):
            self._world.faults.error(
                "C111", node.span, f"the order {found.earlier} before {found.later} is written twice"
            )
            return
        self.orders.append(found)

    def _end(self, reference: s.Reference, where: "_Where") -> DutyName | None:
        """An end of an order: a leaf with evidence, inside every `for each` block that the order stands in."""
        found = self._names.find(reference, where.around.path)
        if reference.indices:
            self._fault_order(reference.span, "an order joins duties, not instances of them", "leave the index out")
            return None
        if found is None:
            return None
        if found.kind not in LEAVES:
            self._fault_order(
                reference.span, f"an order joins required and optional duties, and {found.words} is neither"
            )
            return None
        loops = where.around.loops
        if found.loops[: len(loops)] != loops:
            self._fault_order(
                reference.span,
                f"this order stands inside 'for each {loops[-1]}', and '{found.path}' does not",
                "write the order outside of the block: there it binds every instance",
            )
            return None
        return found

    def _fault_order(self, span: Span, message: str, hint: str = "") -> None:
        self._world.faults.error("C141", span, message, help=hint)

    def _guard(self, node: s.Expr | None, where: "_Where") -> tuple[Expr | None, bool]:
        """The guard, and whether it is sound."""
        if node is None:
            return None, True
        found = condition(self._world, where.guards, node)
        return found, found is not None

    def _from(self, clauses: s.Clauses) -> m.ProseSpan | None:
        return self._prose.span(clauses.prose)

    def _only(self, clauses: s.Clauses, what: str, allowed: tuple[str, ...]) -> None:
        """Refuse the clauses that say nothing about such a block."""
        written: dict[str, tuple[str, Span | None]] = {
            "guard": ("if", clauses.guard.span if clauses.guard else None),
            "prose": ("from", clauses.prose.span if clauses.prose else None),
            "severity": ("severity", clauses.severity.span if clauses.severity else None),
            "sharing": ("shared or exclusive", clauses.sharing.span if clauses.sharing else None),
            "by": ("by", clauses.by[0].span if clauses.by else None),
        }
        for slot, (word, span) in written.items():
            if span is not None and slot not in allowed:
                self._world.faults.error(
                    "C139", span, f"{what} takes no `{word}`", help="write it on the duties inside"
                )


@dataclass(frozen=True, slots=True)
class _Where:
    """A place among duties: the blocks around it and the variables in reach."""

    around: Around
    guards: Scope

    @property
    def patterns(self) -> Scope:
        return replace(self.guards, place=PATTERN)

    def inside(self, name: str) -> "_Where":
        return replace(self, around=self.around.inside(name))

    def option(self, group: str, path: str) -> "_Where":
        return replace(self, around=replace(self.around, options=(*self.around.options, (group, path))))


def severity(clauses: s.Clauses) -> m.Severity:
    """The severity written, `normal` where none is."""
    return cast(m.Severity, clauses.severity.text) if clauses.severity else "normal"


def _title(text: s.Text | None) -> str:
    return text.value if text else ""
