"""The query of one case: each attribute as given, observed from the trace, or unknown (language reference §4 and §5).

In: a contract, the attributes given (JSON with exact numbers) and a trace, either or both None. Out: a typed value for each attribute of the
contract, and notes; or a `Refusal` with every attribute that does not fit.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from servanda.contracts.meaning.evaluate import Scope, evaluate, key_of
from servanda.contracts.meaning.recorded import Recorded
from servanda.contracts.meaning.values import Mismatch, Reader, Undefined, Unknown, Value, show, unknown
from servanda.contracts.model import Contract, QueryAttribute, effect_of
from servanda.contracts.observed import Event, Json, Trace
from servanda.contracts.types import BoolType, ListType, RecordType, Type, type_name
from servanda.grammar.diagnostic import Diagnostic, Refusal, Severity, nearest


@dataclass(frozen=True, slots=True)
class QueryValues:
    """A value for every attribute of the contract, in the order declared: there, Undefined (an optional one that is not there) or Unknown.

    `notes`: what to tell a reader, such as a given attribute that differs from the observed one."""

    values: Mapping[str, Value]
    notes: tuple[str, ...] = ()


def read_query(contract: Contract, given: Mapping[str, Json] | None, trace: Trace | None) -> QueryValues:
    """The query. `given` None: nothing is given, so what is not observed is unknown; otherwise an optional attribute left out is not there.

    Raises Refusal: Q110 an attribute the contract does not have, Q111 a value that does not have its type, Q112 a list beyond its `max`."""
    values, notes = _given(contract, given or {})
    optional = set() if given is None else {a.name for a in contract.attributes.values() if a.optional}
    observed = _Observed(contract, trace, values) if trace is not None else None
    found: dict[str, Value] = {}
    for attribute in contract.attributes.values():
        name = attribute.name
        seen = observed.value(attribute) if observed is not None and attribute.observed else None
        if name in values:
            found[name] = values[name]
            note = _differs(attribute, values[name], seen)
            notes += [note] if note else []
        elif seen is not None:
            found[name] = seen
        elif name in optional and not attribute.observed:
            found[name] = Undefined(f"{name} is absent")
        else:
            found[name] = _not_given(attribute)
    if observed is not None:
        notes += observed.notes
    return QueryValues(MappingProxyType(found), tuple(notes))


def _given(contract: Contract, given: Mapping[str, Json]) -> tuple[dict[str, Value], list[str]]:
    """The typed values of what is given. An explicit null says that an optional attribute is not there."""
    found: dict[str, Value] = {}
    notes: list[str] = []
    faults: list[Diagnostic] = []
    for name, json in given.items():
        attribute = contract.attributes.get(name)
        if attribute is None:
            hint = (
                nearest(name, contract.attributes) or f"its attributes are {', '.join(contract.attributes) or 'none'}"
            )
            faults.append(_fault("Q110", f"the query has no attribute '{name}' in this contract", hint))
            continue
        if json is None and attribute.optional:
            found[name] = Undefined(f"{name} is absent")
            continue
        reader = Reader()
        try:
            found[name] = reader.read(json, attribute.type, name)
        except Mismatch as misfit:
            code = "Q112" if misfit.beyond and misfit.found.endswith("elements") else "Q111"
            where = f"query attribute {misfit.path}"
            faults.append(_fault(code, f"{where}: expected {misfit.expected}, found {misfit.found}"))
        faults += [
            _fault("Q111", f"query: {remark}", "the contract is proved over the digits it declares")
            for remark in reader.remarks
        ]
        faults += [
            _fault("Q110", f"query attribute {where} has no field '{key}' in this contract", hint)
            for where, key, hint in _strange(json, attribute.type, name)
        ]
    if faults:
        raise Refusal(faults)
    return found, notes


def _strange(json: Json, kind: Type, path: str) -> Iterator[tuple[str, str, str]]:
    """The keys of a given value that its type does not have: the place, the key, the nearest name."""
    match kind:
        case RecordType(_, fields) if isinstance(json, Mapping):
            for key, value in json.items():
                field = kind.field(key)
                if field is None:
                    names = [f.name for f in fields]
                    yield path, key, nearest(key, names) or f"its fields are {', '.join(names)}"
                else:
                    yield from _strange(value, field.type, f"{path}.{key}")
        case ListType(element) if isinstance(json, list | tuple):
            for i, item in enumerate(json):
                yield from _strange(item, element, f"{path}[{i}]")
        case _:
            return


def _fault(code: str, message: str, help: str = "") -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, help=help)


def _differs(attribute: QueryAttribute, given: Value, seen: Value | None) -> str:
    if seen is None or isinstance(seen, Unknown) or key_of(seen) == key_of(given):
        return ""
    if isinstance(seen, Undefined) and isinstance(given, Undefined):
        return ""
    one, other = show(given, attribute.type), show(seen, attribute.type)
    return f"query attribute {attribute.name} is given as {one} and observed as {other}; the given one is used"


def _not_given(attribute: QueryAttribute, why: str = "") -> Unknown:
    said = why or ("is not given and was not observed before the first write" if attribute.observed else "is not given")
    key = f"attribute {attribute.name}" if isinstance(attribute.type, BoolType) and not attribute.optional else ""
    return unknown(attribute.name, f"query attribute {attribute.name} {said}", key)


class _Observed:
    """Reads attributes from the successful calls that ended before the first attempt of a write was launched."""

    def __init__(self, contract: Contract, trace: Trace, values: Mapping[str, Value]) -> None:
        self._contract = contract
        self._values = values
        self._found: dict[str, Value | None] = {}
        self.notes: list[str] = []
        calls = [e for e in trace.events if e.kind == "call"]
        writes = [e.turn for e in calls if effect_of(contract, e.name) == "writes"]
        early = [e for e in calls if not writes or e.turn < min(writes)]
        self._calls = sorted(early, key=lambda e: (e.turn, e.index))
        self._run = Recorded(contract, trace, _Attributes(self), {})

    def attribute(self, name: str) -> Value:
        """An attribute as another's read sees it: given, else observed, else unknown."""
        if name in self._values:
            return self._values[name]
        attribute = self._contract.attributes[name]
        seen = self.value(attribute) if attribute.observed else None
        return _not_given(attribute) if seen is None else seen

    def value(self, attribute: QueryAttribute) -> Value | None:
        """The value of the first matching call; None where no call matches."""
        if attribute.name not in self._found:
            self._found[attribute.name] = self._value(attribute)
        return self._found[attribute.name]

    def _value(self, attribute: QueryAttribute) -> Value | None:
        scope = Scope(self._run)
        wanted = [(r, [(n, evaluate(a, scope)) for n, a in r.arguments]) for r in attribute.observed]
        possible: list[Value] = []
        open_: list[Unknown] = []
        for event in self._calls:
            for read, arguments in wanted:
                fits = self._run.read_matches(read.tool, arguments, event)
                if fits is False:
                    continue
                possible.append(self._fitted(attribute, event, evaluate(read.value, scope.reading(event))))
                if fits is True:
                    return self._joined(attribute, possible, open_)
                open_.append(fits)
        return self._joined(attribute, [*possible, _not_given(attribute)], open_) if open_ else None

    @staticmethod
    def _joined(attribute: QueryAttribute, possible: list[Value], open_: list[Unknown]) -> Value:
        if len({key_of(v) for v in possible}) == 1:
            return possible[0]
        why = open_[0].hinges[0].text if open_ else "was not observed"
        return _not_given(attribute, f"is not known: {why}")

    def _fitted(self, attribute: QueryAttribute, event: Event, value: Value) -> Value:
        """The value as one of the attribute's type."""
        if isinstance(value, Unknown):
            return _not_given(attribute, f"is not known: {value.hinges[0].text}")
        if isinstance(value, Undefined):
            return (
                value if attribute.optional else _not_given(attribute, f"is not in the result of event {event.index}")
            )
        try:
            return Reader().read(as_json(value), attribute.type, attribute.name)
        except Mismatch as misfit:
            shown = show(value, attribute.type)
            expected = type_name(attribute.type)
            self.notes.append(
                f"event {event.index} shows {misfit.path} as {shown}, which is no {expected}; it counts as unknown"
            )
            return _not_given(attribute, f"is observed as {shown}, which is no {expected}")


def as_json(value: object) -> object:
    """A value back in the shape of JSON, numbers as they are."""
    if isinstance(value, Mapping):
        return {k: as_json(v) for k, v in value.items() if not isinstance(v, Undefined)}
    if isinstance(value, tuple):
        return [as_json(v) for v in value]
    return value.isoformat() if hasattr(value, "isoformat") else value


class _Attributes(Mapping[str, Value]):
    """The attributes as reads see them, each found when it is asked for."""

    def __init__(self, observed: _Observed) -> None:
        self._observed = observed

    def __getitem__(self, name: str) -> Value:
        return self._observed.attribute(name)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0
