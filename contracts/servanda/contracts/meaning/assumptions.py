"""What a cell assumes of something unknown: the questions that grounding asks, and the words of their answers.

In: an unknown truth value, and what it decides. Out: a question with all its answers. An unknown that hangs on a two-valued thing (a bool, an
outcome) is asked about that thing, so that whatever else hangs on it is settled with it. Pure.
"""

from collections.abc import Hashable, Mapping
from typing import NoReturn

from servanda.contracts.cell import Hinge
from servanda.contracts.meaning.instances import Answer, Question
from servanda.contracts.meaning.values import Unknown

Assumed = Mapping[Hashable, Answer]


class OpenQuestion(Exception):
    """A question that decides has no answer yet: the run that asked it ends here."""

    def __init__(self, question: Question) -> None:
        super().__init__(question.key)
        self.question = question


class Oracle:
    """Answers assumed so far; raises `OpenQuestion` for the first that is missing."""

    def __init__(self, assumed: Assumed) -> None:
        self._assumed = assumed

    def settle(self, value: bool | Unknown, key: Hashable, yes: str, no: str) -> bool:
        """A truth value that decides: as it is, or as assumed. `yes` and `no`: the assumption in contract words."""
        if isinstance(value, bool):
            return value
        answer = self._assumed.get(key)
        return answer if isinstance(answer, bool) else self.ask(Question(key, ((True, yes), (False, no)), value))

    @staticmethod
    def ask(question: Question) -> NoReturn:
        """End the run with a question."""
        two = next((h for h in question.open.hinges if h.key), None)
        raise OpenQuestion(question if two is None else _about(two, question.open))


def _about(hinge: Hinge, open_: Unknown) -> Question:
    word, _, rest = hinge.key.partition(" ")
    if word == "outcome":
        yes, no = f"event {rest} succeeded", f"event {rest} did not succeed"
    elif word == "label":
        name, _, event = rest.rpartition(" ")
        yes, no = f"{name} is true on event {event}", f"{name} is false on event {event}"
    else:
        yes, no = f"{rest} is true", f"{rest} is false"
    return Question(hinge.key, ((True, yes), (False, no)), open_)
