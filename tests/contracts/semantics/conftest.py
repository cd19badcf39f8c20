"""Small contracts and traces for tests of the meaning of the language."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from servanda.contracts.load import load_text
from servanda.contracts.model import Contract
from servanda.contracts.observed import MISSING, Event, Trace

Events = list[Any]


class Making:
    """Makes contracts and traces in few words."""

    @staticmethod
    def contract(body: str) -> Contract:
        """A contract of this body."""
        return load_text(f'language 1\ncontract t "t" version 1\n{body}\n', "t.contract", Path())[0]

    @staticmethod
    def call(tool: str, args: dict[str, Any] | None = None, result: Any = None, outcome: str = "ok") -> Any:
        """A call, successful with result null where nothing else is said."""
        return lambda index, turn: Event(
            index,
            "call",
            tool,
            turn,
            f"$.events[{index}]",
            args or {},
            result,
            outcome,  # type: ignore[arg-type]
        )

    @staticmethod
    def failed(tool: str, args: dict[str, Any] | None = None) -> Any:
        """A call that failed."""
        return Making.call(tool, args, MISSING, "failed")

    @staticmethod
    def unrecorded(tool: str, args: dict[str, Any] | None = None) -> Any:
        """A call of which nothing came back."""
        return Making.call(tool, args, MISSING, "unknown")

    @staticmethod
    def user(text: str = "hello", **labels: Any) -> Any:
        """A user message."""
        return lambda index, turn: Event(index, "message", "user", turn, f"$.events[{index}]", text=text, labels=labels)

    @staticmethod
    def says(text: str = "hello", **labels: Any) -> Any:
        """An assistant message."""
        return lambda index, turn: Event(
            index, "message", "assistant", turn, f"$.events[{index}]", text=text, labels=labels
        )

    @staticmethod
    def trace(*turns: Any, complete: bool = True, output: Any = MISSING) -> Trace:
        """A trace; a list is one response, anything else a turn of its own."""
        events: list[Event] = []
        for turn, made in enumerate(turns):
            for make in made if isinstance(made, list) else [made]:
                events.append(make(len(events), turn))
        return Trace("t", tuple(events), complete, None, output, "t.jsonl", "test")


@pytest.fixture
def make() -> Making:
    """The maker of contracts and traces."""
    return Making()


Loader = Callable[[str], Contract]
