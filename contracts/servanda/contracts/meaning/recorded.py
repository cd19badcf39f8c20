"""What one run gives to read: outcomes, arguments, results, labels, views and the query (language reference §2 to §4).

In: a contract, a trace, the values of its query, and what a cell assumes of two-valued unknowns (`Hinge.key` to its value). Out: values; the
only thing that grows while it is used is what it remembers of answers already given. Trusts the reader of the trace.
"""

from collections.abc import Mapping
from typing import cast

from servanda.contracts.cell import Hinge
from servanda.contracts.meaning.evaluate import Part, Scope, compare, evaluate, holds, key_of
from servanda.contracts.meaning.matching import match, speaks_of, successful_tools
from servanda.contracts.meaning.values import (
    Mismatch,
    Plain,
    Reader,
    Truth,
    Undefined,
    Unknown,
    Value,
    ViewMiss,
    conjunction,
    merge_undefined,
    merge_unknown,
    settled,
    show,
    unknown,
)
from servanda.contracts.model import Contract, Pattern, Read, View
from servanda.contracts.observed import MISSING, Event, Trace
from servanda.contracts.toolfiles.schema_check import schema_misfit
from servanda.contracts.types import BoolType, RecordType, Type, UntypedType
from servanda.grammar.diagnostic import nearest


class Recorded:
    """The reads of one run under one set of assumptions."""

    def __init__(
        self,
        contract: Contract,
        trace: Trace,
        query: Mapping[str, Value],
        assumed: Mapping[str, bool],
        *,
        output: Value | None = None,
        ahead: bool = False,
    ) -> None:
        self._contract = contract
        self.trace = trace
        self._query = query
        self._assumed = assumed
        self._output = output
        self._ahead = ahead
        self._spoken_of: dict[int, tuple[Event, ...]] = {}
        self._successes: dict[int, bool | Unknown] = {}
        self._arguments: dict[int, Value] = {}
        self._results: dict[int, tuple[Value | Mismatch, list[str]]] = {}
        self._matches: dict[object, list[tuple[Event, bool | Unknown]]] = {}
        self._views: dict[object, Value] = {}
        self.called_ahead: dict[int, None] = {}
        """Where reads look ahead: the events they took for want of an earlier one."""

    def looking_ahead(self) -> "Recorded":
        """The same run, read as if each view without an earlier match read its earliest match in the trace."""
        other = self._like(self._assumed, self._output, ahead=True)
        other._successes = self._successes
        return other

    def with_output(self, output: Value) -> "Recorded":
        """The same run with this output to read."""
        return self._like(self._assumed, output)

    def assuming(self, assumed: Mapping[str, bool]) -> "Recorded":
        """The same run under these assumptions instead."""
        return self._like(assumed, self._output)

    def _like(self, assumed: Mapping[str, bool], output: Value | None, *, ahead: bool = False) -> "Recorded":
        """Another view of the run; what was typed once stays typed."""
        other = Recorded(self._contract, self.trace, self._query, assumed, output=output, ahead=ahead)
        other._arguments, other._results, other._spoken_of = self._arguments, self._results, self._spoken_of
        return other

    @property
    def contract(self) -> Contract:
        """The contract whose names are read."""
        return self._contract

    # ---- the query, labels, the output -----------------------------------------------------------------------------------

    def attribute(self, name: str) -> Value:
        """A query attribute."""
        value = self._query[name]
        key = f"attribute {name}"
        return self._assumed[key] if isinstance(value, Unknown) and key in self._assumed else value

    def label(self, event: Event, name: str) -> Value:
        """A label: unknown where it was not made, undefined on an event it is not made on."""
        declared = self._contract.labels[name]
        given = event.labels.get(name)
        if given is not None:
            try:
                return Reader().read(given, declared.type)
            except Mismatch:
                pass
        key = f"label {name} {event.index}"
        if key in self._assumed:
            return self._assumed[key]
        if match(declared.pattern, event, Scope(self)) is False:
            return Undefined(f"the label {name} is not made on event {event.index}")
        what = "is absent" if given is None else "does not have its type"
        two = key if isinstance(declared.type, BoolType) else ""
        return unknown(name, f"label {name} {what} on event {event.index}", two)

    def output(self) -> Value:
        """The output of the run."""
        return self._output if self._output is not None else Undefined("there is no output")

    # ---- events ------------------------------------------------------------------------------------------------------------

    def spoken_of(self, pattern: Pattern) -> tuple[Event, ...]:
        """The events of the tools and roles a pattern of the contract names, in the order of the trace."""
        # The contract outlives this object, so the identity of its patterns is theirs alone.
        if id(pattern) not in self._spoken_of:
            kinds = {(e.kind, e.name): e for e in self.trace.events}
            named = {k for k, e in kinds.items() if speaks_of(self._contract, pattern, e)}
            self._spoken_of[id(pattern)] = tuple(e for e in self.trace.events if (e.kind, e.name) in named)
        return self._spoken_of[id(pattern)]

    def success(self, event: Event) -> bool | Unknown:
        """Whether an attempt succeeded: the adapter's word, then the tool's own condition (language reference §2)."""
        if event.index not in self._successes:
            self._successes[event.index] = self._success(event)
        return self._successes[event.index]

    def _success(self, event: Event) -> bool | Unknown:
        if event.outcome == "failed":
            return False
        key = f"outcome {event.index}"
        if key in self._assumed:
            return self._assumed[key]
        name, where = f"outcome of {event.name}", f"of {event.name} at event {event.index}"
        tool = self._contract.tools.get(event.name)
        if isinstance(self._result(event), Mismatch):
            return unknown(name, f"the result {where} does not have its type, so its outcome is unknown", key)
        if event.outcome == "unknown":
            return unknown(name, f"outcome {where} is not recorded", key)
        if tool is None or tool.success is None:
            return True
        found = holds(tool.success, Scope(self, event, event))
        if isinstance(found, Unknown):
            return unknown(name, f"outcome {where} is unknown: {found.hinges[0].text}", key)
        return found

    def part(self, event: Event, part: Part, kind: Type) -> Value:
        """A part of an event; arguments and result as typed by its tool, by `kind` where the contract has no such tool."""
        match part:
            case "args":
                return self._args(event, kind)
            case "result":
                return self._read_result(event, kind)
            case "text":
                return event.text
            case "turn":
                return event.turn

    def _args(self, event: Event, kind: Type) -> Value:
        tool = self._contract.tools.get(event.name)
        if tool is None:
            return Reader(lenient=True).read(event.args, kind, "args")
        if event.index not in self._arguments:
            self._arguments[event.index] = Reader(lenient=True).read(event.args, tool.arguments, "args")
        return self._arguments[event.index]

    def _result(self, event: Event) -> Value | Mismatch | None:
        """The typed result; None where there is none or it has no type."""
        tool = self._contract.tools.get(event.name)
        if tool is None or tool.result is None or isinstance(tool.result, UntypedType) or event.result is MISSING:
            return None
        if event.index not in self._results:
            reader = Reader()
            try:
                self._results[event.index] = reader.read(event.result, tool.result, "result"), reader.remarks
            except Mismatch as misfit:
                self._results[event.index] = misfit, []
        return self._results[event.index][0]

    def _read_result(self, event: Event, kind: Type) -> Value:
        if event.result is MISSING:
            name = f"result of {event.name}"
            return unknown(name, f"{name} at event {event.index} is not recorded")
        if event.name not in self._contract.tools:
            return Reader(lenient=True).read(event.result, kind, "result")
        found = self._result(event)
        if isinstance(found, Mismatch) or found is None:
            name = f"result of {event.name}"
            if event.outcome == "failed":
                return Undefined(f"the {name} does not have its type")
            return unknown(name, f"{name} at event {event.index} does not have its type")
        return found

    # ---- views -------------------------------------------------------------------------------------------------------------

    def view(self, name: str, arguments: tuple[Value, ...], position: Event | None) -> Value:
        """The newest successful match (by turn, then by place) strictly before the event at `position`; at the end for None."""
        place = position.index if position is not None else None
        key = (name, tuple(key_of(a) for a in arguments), place)
        if key not in self._views or self._ahead:
            self._views[key] = self._view(self._contract.views[name], arguments, position)
        return self._views[key]

    def _view(self, view: View, arguments: tuple[Value, ...], position: Event | None) -> Value:
        undefined = [a for a in arguments if isinstance(a, Undefined)]
        if undefined:
            return merge_undefined(undefined, each=True)
        bound = dict(zip((p for p, _ in view.parameters), arguments, strict=True))
        scope = Scope(self, None, position).bind(bound)
        found = self._all_matches(view, scope)
        if isinstance(found, Undefined):
            return found
        earlier = [(e, t) for e, t in found if position is None or e.turn < position.turn]
        possible: list[Value] = []
        open_: list[Unknown] = []
        for event, fits in reversed(earlier):
            possible.append(self._value(view, event, scope))
            if not isinstance(fits, Unknown):
                break
            open_.append(fits)
        else:
            elsewhere = [
                (e, t) for e, t in found if position is not None and e.index != position.index and (e, t) not in earlier
            ]
            if self._ahead and not earlier and elsewhere:
                first = next((e for e, t in elsewhere if t is True), elsewhere[0][0])
                self.called_ahead[first.index] = None
                return self._value(view, first, scope)
            possible.append(self._missed(view, arguments, elsewhere))
        if not open_:
            return possible[0]
        if not any(isinstance(v, Undefined | Unknown) for v in possible) and len({key_of(v) for v in possible}) == 1:
            return possible[0]
        return merge_unknown([*open_, *(v for v in possible if isinstance(v, Unknown))])

    def _missed(
        self, view: View, arguments: tuple[Value, ...], elsewhere: list[tuple[Event, bool | Unknown]]
    ) -> Undefined:
        shown = ", ".join(show(a, k) for a, (_, k) in zip(arguments, view.parameters, strict=True))
        text = f"{view.name}({shown})" if arguments else view.name
        tools = (view.of.tool,) if isinstance(view.of, Read) else successful_tools(self._contract, view.of)
        sure = any(fits is True for _, fits in elsewhere)
        maybe = [fits for _, fits in elsewhere if isinstance(fits, Unknown)]
        miss = ViewMiss(text, tools, sure, merge_unknown(maybe) if maybe and not sure else None)
        return Undefined(f"no {text} before", (miss,))

    def _all_matches(self, view: View, scope: Scope) -> list[tuple[Event, bool | Unknown]] | Undefined:
        """The events that match or may, wherever they are, in the order of time."""
        if isinstance(view.of, Read):
            wanted = [(n, evaluate(a, scope)) for n, a in view.of.arguments]
            undefined = [v for _, v in wanted if isinstance(v, Undefined)]
            if undefined:
                return merge_undefined(undefined, each=True)
            key: object = (view.name, tuple(key_of(v) for _, v in wanted))
        else:
            wanted = []
            key = (view.name, tuple(key_of(v) for v in scope.variables.values()))
        if key not in self._matches or self._ahead:
            if isinstance(view.of, Read):
                tool = view.of.tool
                fitting = [(e, self.read_matches(tool, wanted, e)) for e in self.trace.events]
            else:
                fitting = [(e, match(view.of, e, scope)) for e in self.spoken_of(view.of)]
            found = [(e, fits) for e, fits in fitting if fits is not False]
            self._matches[key] = sorted(found, key=lambda f: (f[0].turn, f[0].index))
        return self._matches[key]

    def read_matches(self, tool: str, wanted: list[tuple[str, Value]], event: Event) -> bool | Unknown:
        """Whether an event is a successful call of the tool with these arguments."""
        if event.kind != "call" or event.name != tool:
            return False
        args = self._args(event, RecordType("", ()))
        same: list[Truth] = [
            settled(compare("==", args.get(name, Undefined("absent")), value)) if isinstance(args, Mapping) else False
            for name, value in wanted
        ]
        return settled(conjunction([*same, self.success(event)]))

    @staticmethod
    def _value(view: View, event: Event, scope: Scope) -> Value:
        return evaluate(view.of.value, scope.reading(event)) if isinstance(view.of, Read) else cast(Plain, event)

    # ---- notes -------------------------------------------------------------------------------------------------------------

    def notes(self) -> tuple[str, ...]:
        """What was recorded and does not fit the contract, event by event."""
        return tuple(note for event in self.trace.events for note in self._notes(event))

    def unread(self) -> tuple[Hinge, ...]:
        """The arguments whose value does not have its type: conditions on them are undefined, so what must not be could not be looked for."""
        found: list[Hinge] = []
        for event in self.trace.events:
            tool = self._contract.tools.get(event.name) if event.kind == "call" else None
            if tool is None:
                continue
            arguments = Reader(lenient=True)
            arguments.read(event.args, tool.arguments, "args")
            for wrong in arguments.misfits:
                if not wrong.beyond and wrong.found not in ("nothing", "null"):
                    said = f"{wrong.path} of event {event.index} ({event.name}) is {wrong.found}, not {wrong.expected}"
                    found.append(Hinge(f"{wrong.path} of {event.name}", said))
        return tuple(dict.fromkeys(found))

    def _notes(self, event: Event) -> list[str]:
        found: list[str] = []
        at = f"event {event.index}"
        for name, declared in self._contract.labels.items():
            if event.labels.get(name) is not None:
                try:
                    Reader().read(event.labels[name], declared.type)
                except Mismatch as misfit:
                    found.append(f"{at}: label {name} is {misfit.found}, not {misfit.expected}; it counts as absent")
        for name in sorted(event.labels):
            if name not in self._contract.labels:
                hint = nearest(name, self._contract.labels)
                found.append(f"{at}: label {name} is not in the contract; it is not read{hint and '; ' + hint}")
            elif not speaks_of(self._contract, self._contract.labels[name].pattern, event):
                found.append(f"{at}: label {name} is for other events; it is not read here")
        if event.kind == "message":
            return found
        tool = self._contract.tools.get(event.name)
        if tool is None:
            hint = nearest(event.name, self._contract.tools)
            said = f"{at}: tool {event.name} is not in the contract; it counts as writes{hint and '; ' + hint}"
            return [*found, said]
        arguments = Reader(lenient=True)
        arguments.read(event.args, tool.arguments, "args")
        for wrong in arguments.misfits:
            kept = "it is compared as it is" if wrong.beyond else "it counts as undefined"
            found.append(f"{at} {event.name}: {wrong.path} is {wrong.found}, not {wrong.expected}; {kept}")
        found += [f"{at} {event.name}: {remark}" for remark in arguments.remarks]
        if not arguments.misfits and (why := schema_misfit(tool.schema, event.args)):
            found.append(f"{at} {event.name}: the arguments break the tool's schema: {why}")
        result = self._result(event)
        if isinstance(result, Mismatch) and event.outcome != "failed":
            path = result.path
            found.append(
                f"{at} {event.name}: {path} is {result.found}, not {result.expected}; the outcome counts as unknown"
            )
        elif event.index in self._results:
            found += [f"{at} {event.name}: {remark}" for remark in self._results[event.index][1]]
        return found
