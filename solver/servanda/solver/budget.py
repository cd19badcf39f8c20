"""What may be spent on one alignment problem, in counts that are the same on every machine; never seconds."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """`few`: choices looked at one by one before a solver is asked. `asked`: questions to the solver. `effort`: its deterministic time."""

    few: int = 64
    asked: int = 4000
    effort: float = 10.0


class Spent(Exception):
    """The budget ended."""
