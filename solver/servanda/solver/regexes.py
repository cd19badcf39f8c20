"""Strings in which some regular expressions and parts are found and others are not.

In: what is sought: patterns in RE2 syntax, or parts to be contained. Out: a shortest such string, `Impossible` with the reason, or `Undecided`. The
patterns are run side by side as automata over the classes of characters they tell apart. Trusts: the reference interpreter, which searches
every string once more before it is returned.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from unicodedata import is_normalized

from servanda.contracts.meaning.evaluate import matches
from servanda.grammar.diagnostic import InternalError
from servanda.solver.regex_syntax import (
    LAST,
    WORD,
    Chars,
    Edge,
    Either,
    Ranges,
    Regex,
    Repeat,
    Sequence,
    Unsupported,
    normal,
    parse,
)

STATES = 4_000
"""How many states one automaton may have."""
STEPS = 60_000
"""How many steps one search may take."""


@dataclass(frozen=True, slots=True)
class Impossible:
    """No string but those of `only` meets the demand; `only` is empty where none does."""

    only: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Undecided:
    """The question was not settled."""

    why: str


@dataclass(frozen=True, slots=True, order=True)
class Sought:
    """`matches /pattern/`, or where `part`, `contains "pattern"`."""

    pattern: str
    part: bool = False

    def found_in(self, text: str) -> bool:
        """Whether the interpreter finds it in the text."""
        return self.pattern in text if self.part else matches(text, self.pattern)

    def __str__(self) -> str:
        return f'"{self.pattern}"' if self.part else f"/{self.pattern}/"


def some_string(
    found: tuple[Sought, ...], missed: tuple[Sought, ...], avoid: frozenset[str]
) -> str | Impossible | Undecided:
    """A shortest string, not in `avoid`, in which all of `found` and none of `missed` is found."""
    answer = _shortest(found, missed, avoid)
    if not isinstance(answer, Impossible) or len({s.part for s in (*found, *missed)}) < 2:
        return answer
    # Patterns see the text normalised, parts see it as it is: only what is impossible for one of the two is impossible.
    for part in (False, True):
        alone = _shortest(tuple(s for s in found if s.part is part), tuple(s for s in missed if s.part is part), avoid)
        if isinstance(alone, Impossible):
            return alone
    return Undecided("`matches` and `contains` asked of one text")


def _shortest(
    found: tuple[Sought, ...], missed: tuple[Sought, ...], avoid: frozenset[str]
) -> str | Impossible | Undecided:
    try:
        automata = [_automaton(p) for p in (*found, *missed)]
    except Unsupported as reason:
        return Undecided(f"a regular expression uses {reason}")
    wanted = tuple(i < len(found) for i in range(len(automata)))
    # With one visit a state the first string is a shortest one; only if it is taken are more strings worth counting.
    met: list[str] = []
    for visits in (1, len(avoid) + 1):
        met = []
        for text in _strings(automata, wanted, visits):
            if text is None:
                return Undecided("regular expressions too large to compare")
            if text not in avoid:
                return _checked(text, found, missed)
            met.append(text)
        if not met:
            break
    return Impossible(tuple(met))


def _checked(text: str, found: tuple[Sought, ...], missed: tuple[Sought, ...]) -> str | Undecided:
    wrong = [s for s in found if not s.found_in(text)] + [s for s in missed if s.found_in(text)]
    if wrong and is_normalized("NFC", text):
        raise InternalError(f"the automaton of {wrong[0]} and the interpreter differ on {text!r}")
    return Undecided("a text that changes when it is normalised") if wrong else text


# ---- automata --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Automaton:
    """States from 0. `moves`: on a set of characters; `free`: without one, under a condition on the position; `last` is where it is found."""

    moves: list[list[tuple[Ranges, int]]] = field(default_factory=list)
    free: list[list[tuple[str, int]]] = field(default_factory=list)
    first: int = 0
    last: int = 0

    def state(self) -> int:
        if len(self.moves) >= STATES:
            raise Unsupported("too many repetitions")
        self.moves.append([])
        self.free.append([])
        return len(self.moves) - 1


def _automaton(sought: Sought) -> _Automaton:
    made = _Automaton()
    made.first, made.last = made.state(), made.state()
    letters = tuple(Chars(((ord(c), ord(c)),)) for c in sought.pattern)
    _wire(made, Sequence(letters) if sought.part else parse(sought.pattern), made.first, made.last)
    return made


def _wire(made: _Automaton, regex: Regex, start: int, end: int) -> None:
    match regex:
        case Chars(ranges):
            made.moves[start].append((ranges, end))
        case Edge(kind):
            made.free[start].append((kind, end))
        case Sequence(parts):
            for part in parts[:-1]:
                middle = made.state()
                _wire(made, part, start, middle)
                start = middle
            if parts:
                _wire(made, parts[-1], start, end)
            else:
                made.free[start].append(("", end))
        case Either(parts):
            for part in parts:
                _wire(made, part, start, end)
        case Repeat(part, least, most):
            for _ in range(least):
                middle = made.state()
                _wire(made, part, start, middle)
                start = middle
            if most is None:
                loop = made.state()
                made.free[start].append(("", loop))
                again = made.state()
                _wire(made, part, loop, again)
                made.free[again].append(("", loop))
                made.free[loop].append(("", end))
            else:
                for _ in range(most - least):
                    made.free[start].append(("", end))
                    middle = made.state()
                    _wire(made, part, start, middle)
                    start = middle
                made.free[start].append(("", end))


# ---- running side by side --------------------------------------------------------------------------------------------

_START, _LINE, _LETTER, _OTHER, _END = "start", "line", "letter", "other", "end"
"""What stands before or after a position: nothing, a line end, a word character, another character, nothing more."""


def _kind(char: int) -> str:
    if char == 10:
        return _LINE
    return _LETTER if any(low <= char <= high for low, high in WORD) else _OTHER


def _holds(condition: str, before: str, after: str) -> bool:
    match condition:
        case "":
            return True
        case "start":
            return before == _START
        case "end":
            return after == _END
        case "line start":
            return before in (_START, _LINE)
        case "line end":
            return after in (_END, _LINE)
        case _:
            return (before == _LETTER) != (after == _LETTER)


def _closure(one: _Automaton, states: frozenset[int], before: str, after: str) -> frozenset[int]:
    seen, todo = set(states), list(states)
    while todo:
        for condition, target in one.free[todo.pop()]:
            if target not in seen and _holds(condition, before, after):
                seen.add(target)
                todo.append(target)
    return frozenset(seen)


_FOUND = frozenset({-1})
"""The pattern was found; what follows does not matter."""

_Joint = tuple[tuple[frozenset[int], ...], str]


def _strings(automata: list[_Automaton], wanted: tuple[bool, ...], visits: int) -> Iterator[str | None]:
    """Accepted strings, shortest first; None where the budget ends. Each joint state is left at most `visits` times, which loses no string
    among the first `visits`."""
    letters = _letters(automata, visits)
    start: _Joint = (tuple(frozenset({a.first}) for a in automata), _START)
    queue: deque[tuple[_Joint, str]] = deque([(start, "")])
    visited: dict[_Joint, int] = {start: 1}
    steps = 0
    while queue:
        (states, before), text = queue.popleft()
        ends = tuple(_advance(a, s, before, _END, None) for a, s in zip(automata, states, strict=True))
        if all((e == _FOUND) == w for e, w in zip(ends, wanted, strict=True)):
            yield text
        for char in letters:
            steps += 1
            if steps > STEPS:
                yield None
                return
            after = _kind(char)
            moved = tuple(_advance(a, s, before, after, char) for a, s in zip(automata, states, strict=True))
            if any(m == _FOUND and not w for m, w in zip(moved, wanted, strict=True)):
                continue
            joint = (moved, after)
            if visited.get(joint, 0) < visits:
                visited[joint] = visited.get(joint, 0) + 1
                queue.append((joint, text + chr(char)))


def _advance(one: _Automaton, states: frozenset[int], before: str, after: str, char: int | None) -> frozenset[int]:
    if states == _FOUND:
        return _FOUND
    here = _closure(one, states, before, after)
    if one.last in here:
        return _FOUND
    if char is None:
        return here
    moved = {
        target
        for state in here
        for ranges, target in one.moves[state]
        if any(low <= char <= high for low, high in ranges)
    }
    # A search may begin at every position.
    return frozenset({*moved, one.first})


def _letters(automata: list[_Automaton], many: int) -> list[int]:
    """Up to `many` characters of each class that the automata tell apart, the plainest first."""
    cuts = {0, 0xD800, 0xE000, LAST + 1, 10, 11}
    for low, high in WORD:
        cuts |= {low, high + 1}
    for one in automata:
        for moves in one.moves:
            for ranges, _ in moves:
                for low, high in normal(list(ranges)):
                    cuts |= {low, high + 1}
    edges = sorted(cuts)
    groups: dict[tuple[bool, ...], list[tuple[int, int]]] = {}
    sets = [ranges for one in automata for moves in one.moves for ranges, _ in moves]
    for low, high in pairwise(edges):
        if 0xD800 <= low < 0xE000:
            continue
        mark = (_kind(low) == _LETTER, low == 10, *(any(a <= low <= b for a, b in s) for s in sets))
        groups.setdefault(mark, []).append((low, high - 1))
    chosen = [_plainest(spans, many) for spans in groups.values()]
    return [c for group in sorted(chosen, key=lambda g: _plainness(g[0])) for c in group]


def _plainest(spans: list[tuple[int, int]], many: int) -> list[int]:
    candidates = {c for low, high in spans for c in range(low, min(high, low + 256 + many) + 1)}
    return sorted(candidates, key=_plainness)[:many]


def _plainness(char: int) -> tuple[int, int]:
    for rank, (low, high) in enumerate(((97, 122), (48, 57), (65, 90), (32, 126), (161, LAST))):
        if low <= char <= high:
            return rank, char
    return 9, char
