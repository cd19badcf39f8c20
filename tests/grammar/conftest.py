"""Random contracts: sentences of the grammar itself, and known contracts with other blanks and comments."""

import random
from collections.abc import Callable

import pytest

from servanda.grammar.tables import Tables, load

_WORDS = ("alpha", "beta", "gamma", "delta_2", "Epsilon", "zeta9")
_KEYS = (*_WORDS, "rule", "from", "query", "true", "if")
_SAMPLES: dict[str, tuple[str, ...]] = {
    "NAME": _WORDS,
    "KEY": _KEYS,
    "QUOTED": ('"a"', '"two words"', '""', r'"a \"b\" \u00e9"', '"# no comment { "', '"' + "long " * 25 + '"'),
    "WHOLE": ("0", "1", "20", "12345678901234567890"),
    "FRACTION": ("0.5", "20.00"),
    "NEGATIVE": ("-1", "-0.25"),
    "DAY": ("2026-05-01",),
    "INSTANT": ("2026-05-01T10:00Z", "2026-05-01T10:00:30+02:00"),
    "LENGTH": ("30d", "5m"),
    "LINES": ("3", "12-14"),
    "REGEX": ("/a/", r"/\bx\/y{2}#\b/"),
    "POINTER": ("/a", "/a/b~1c"),
    "COMPARISON": ("==", "!=", "<", "<=", ">", ">="),
    "OR_BY": ("or by", "or\n  by"),
}


Said = list[tuple[str, str]]
"""Terminals and their texts."""


class Speaker:
    """Makes sentences of the grammar: random derivations that are cut short at a depth."""

    def __init__(self, tables: Tables) -> None:
        self._fixed = {t.name: t.pattern for t in tables.terminals if t.fixed}
        self._rules: dict[str, list[tuple[str, ...]]] = {}
        for production, symbols in zip(tables.productions, tables.symbols, strict=True):
            self._rules.setdefault(production.origin, []).append(symbols)
        self.productions = sorted((origin, symbols) for origin, choices in self._rules.items() for symbols in choices)
        self._least: dict[str, int] = {}
        changed = True
        while changed:
            changed = False
            for origin, choices in self._rules.items():
                known = [c for c in choices if all(s.isupper() or s in self._least for s in c)]
                if known:
                    depth = min(self._cost(c) for c in known)
                    if depth < self._least.get(origin, 10**9):
                        self._least[origin], changed = depth, True

    def _cost(self, symbols: tuple[str, ...]) -> int:
        return 1 + max((0 if s.isupper() else self._least[s] for s in symbols), default=0)

    def say(self, origin: str, depth: int, chance: random.Random) -> Said:
        """A sentence of `origin`, about `depth` productions deep."""
        choices = self._rules[origin]
        short = [c for c in choices if self._cost(c) <= depth] or [min(choices, key=self._cost)]
        return self.say_all(chance.choice(short), depth - 1, chance)

    def say_all(self, symbols: tuple[str, ...], depth: int, chance: random.Random) -> Said:
        """Sentences of all the symbols, one behind the other."""
        said: Said = []
        for symbol in symbols:
            if symbol.isupper():
                said.append((symbol, self._fixed.get(symbol) or chance.choice(_SAMPLES[symbol])))
            else:
                said.extend(self.say(symbol, depth, chance))
        return said

    def around(self) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
        """For each rule that stands somewhere in a declaration: the symbols before and behind it there, as few as may be."""
        found: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {"item": ((), ())}
        queue = ["item"]
        for origin in queue:
            left, right = found[origin]
            for symbols in self._rules[origin]:
                for i, symbol in enumerate(symbols):
                    if not symbol.isupper() and symbol not in found:
                        found[symbol] = (left + symbols[:i], symbols[i + 1 :] + right)
                        queue.append(symbol)
        return found


@pytest.fixture(scope="session")
def speaker() -> Speaker:
    """Sentences of the contract language."""
    return Speaker(load())


Spacing = Callable[[list[str], random.Random], str]


@pytest.fixture(scope="session")
def spaced() -> Spacing:
    """Words to text, with blanks, empty lines and comments of any kind between them."""

    def space(words: list[str], chance: random.Random) -> str:
        out = []
        for i, word in enumerate(words):
            out.append(word)
            for _ in range(chance.choice((1, 1, 1, 1, 2, 3))):
                out.append(
                    chance.choice(
                        (" ", " ", " ", "  ", "\n", "\n\n\n", "\t", f" # c{i}\n", f"\n   # own {i}\n", "\n#\n")
                    )
                )
        return "".join(out)

    return space
