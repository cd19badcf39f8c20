"""The analysis in words: one diagnostic for each kind of finding.

In: what a check established. Out: diagnostics, codes C201 to C206 and C290. Trusts the checks; decides nothing.
"""

from collections.abc import Sequence

from servanda.contracts.model import Branch, Decide, Order
from servanda.grammar.diagnostic import Diagnostic, Note, Severity
from servanda.grammar.span import Source, Span
from servanda.solver.activation_encoding import Place
from servanda.solver.core import Member
from servanda.solver.findings.finding import Finding, Unsettled
from servanda.solver.witness import Witness


def _error(
    source: Source, code: str, span: Span, message: str, label: str, notes: Sequence[Note], help: str
) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, source, span, label, tuple(notes), help)


def _warning(
    source: Source, code: str, span: Span, message: str, label: str, notes: Sequence[Note], help: str
) -> Diagnostic:
    return Diagnostic(code, Severity.WARNING, message, source, span, label, tuple(notes), help)


def _joined(parts: Sequence[str], word: str) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {word} {parts[-1]}"


def _core_notes(core: Sequence[Member]) -> list[Note]:
    notes = []
    for member in core:
        text = f"`{member.text}`" if member.text else "this condition"
        notes.append(Note(f"{text} ({member.origin})" if member.origin else f"{text} is declared here", member.span))
    return notes


def _why(core: Sequence[Member]) -> str:
    if not core:
        return ""
    texts = [f"`{m.text}`" for m in core if m.text]
    if len(core) == 1:
        return f": {texts[0]} is never true" if texts else ": its condition is never true"
    return (
        f": {_joined(texts, 'and')} exclude each other"
        if len(texts) == len(core)
        else ": its conditions exclude each other"
    )


def _where(witness: Witness) -> str:
    return f"when {witness.text}" if witness.text != "any query" else "for every query"


def _witness_note(witness: Witness) -> Note:
    free = f"; {', '.join(witness.free)} may have any value" if witness.free else ""
    return Note(f"smallest query: {witness.text}{free}")


def dead(source: Source, place: Place, core: tuple[Member, ...]) -> Finding:
    """C201, C202 or C206: a place that no query activates."""
    state = "taken" if place.word == "branch" else "active"
    message = f"{place.word} `{place.path}` can never be {state}{_why(core)}"
    notes = _core_notes(core)
    span = place.node.span
    if place.word == "rule":
        help = "without one of these conditions it would apply; as it stands it asks for nothing"
        diagnostic = _warning(source, "C206", span, message, "never active", notes, help)
    elif place.word == "branch":
        assert isinstance(place.node, Branch)
        otherwise = place.node.guard is None
        help = (
            "the branches before it already cover every query: drop it"
            if otherwise
            else "change or drop one of these conditions"
        )
        diagnostic = _error(source, "C202", span, message, "never taken", notes, help)
    else:
        help = "change or drop one of these conditions"
        diagnostic = _error(source, "C201", span, message, "never active", notes, help)
    return Finding(place.path, diagnostic, core=core)


def gap(source: Source, decision: Place, witness: Witness) -> Finding:
    """C203: a decision that some query falls through."""
    assert isinstance(decision.node, Decide)
    message = f"decision `{decision.path}` has no branch {_where(witness)}"
    help = "add a branch for it, or `otherwise`"
    notes = [_witness_note(witness)]
    diagnostic = _error(source, "C203", decision.node.span, message, "falls through here", notes, help)
    return Finding(decision.path, diagnostic, witness)


def overlap(source: Source, decision: Place, taken: Sequence[Branch], witness: Witness) -> Finding:
    """C204: a decision in which some query takes several branches."""
    names = [f"`{b.name}`" for b in taken]
    many = "both" if len(taken) == 2 else "all"
    message = f"branches {_joined(names, 'and')} of `{decision.path}` {many} hold {_where(witness)}"
    notes = [Note(f"branch {b.name} holds", b.guard.span if b.guard else b.span) for b in taken]
    help = "make their conditions exclude each other"
    diagnostic = _error(
        source, "C204", taken[-1].span, message, "holds as well", [*notes, _witness_note(witness)], help
    )
    return Finding(decision.path, diagnostic, witness)


def cycle(source: Source, steps: Sequence[Order], choices: Sequence[str], witness: Witness) -> Finding:
    """C205: orders that ask of obligations active together what no run can do."""
    asked = [f"`{o.earlier}` before `{o.later}`" for o in steps]
    where = f" {_where(witness)}" if witness.text != "any query" else ""
    chosen = f", with {_joined([f'`{c}`' for c in choices], 'and')} chosen" if choices else ""
    message = f"these orders form a cycle{where}{chosen}: {_joined(asked, 'and')}"
    notes = [Note(f"{text} is asked here", o.span) for text, o in zip(asked, steps, strict=True)]
    help = "drop or turn round one of them"
    first = min(steps, key=lambda o: (o.span.start, o.span.end))
    diagnostic = _error(
        source, "C205", first.span, message, "part of the cycle", [*notes, _witness_note(witness)], help
    )
    return Finding(" before ".join([*(o.earlier for o in steps), steps[0].earlier]), diagnostic, witness)


def idle_order(source: Source, order: Order, core: tuple[Member, ...], reason: str) -> Finding:
    """C206: an order whose ends are never active together."""
    element = f"{order.earlier} before {order.later}"
    message = f"order `{element}` never binds: {reason or 'its ends are never active together' + _why(core)}"
    help = "drop it, or name the ends that are meant"
    diagnostic = _warning(source, "C206", order.span, message, "never binds", _core_notes(core), help)
    return Finding(element, diagnostic, core=core)


def unsettled(source: Source, entry: Unsettled) -> Diagnostic:
    """C290: a question that was not answered."""
    message = f"not proved: {entry.question} (unknown: {entry.why})"
    return _warning(
        source, "C290", entry.span, message, "not settled", (), "a contract with an unknown is never reported as sound"
    )
