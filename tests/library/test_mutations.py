"""No typo makes a rule vanish: a token left out, or a keyword with a letter or two changed, is refused or changes the contract.

The normal run takes a sample of tokens that is the same every time; `SERVANDA_EXHAUSTIVE=1` takes them all, which takes about an hour.
"""

import os
import random
import string
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from servanda.contracts.load import load_text
from servanda.grammar.diagnostic import Refusal
from servanda.grammar.lexer import Lexer, Token
from servanda.grammar.parser import automaton
from servanda.grammar.span import Source

ROOT = Path(__file__).resolve().parent.parent.parent
LIBRARY = ROOT / "contracts/servanda/contracts/library"
NAMES = sorted(p.name for p in LIBRARY.glob("*.contract"))
EXHAUSTIVE = os.environ.get("SERVANDA_EXHAUSTIVE") == "1"
SAMPLE = 18
"""Tokens of a contract that are looked at in the normal run, for each property, beside one of each kind in the smallest contract."""


class Recorder(Lexer):
    """A lexer that remembers the tokens it gave to the parser."""

    def __init__(self, source: Source) -> None:
        super().__init__(automaton().lexicon, source)
        self.seen: list[Token] = []

    def next(self, state: int, row: Mapping[str, int]) -> Token:
        token = super().next(state, row)
        if token.text:
            self.seen.append(token)
        return token


def tokens(text: str) -> list[Token]:
    """The tokens of a contract as the parser read them."""
    source = Source("library", text)
    recorder = Recorder(source)
    automaton().run(recorder, "start")
    return recorder.seen


def digest(text: str) -> str | None:
    """What the contract means, or None where it is refused."""
    try:
        return load_text(text, "library", LIBRARY)[0].digest
    except Refusal:
        return None


def chosen(every: list[Token], name: str) -> list[Token]:
    """All of them, or a sample; in the first contract one of each kind is looked at as well."""
    if EXHAUSTIVE:
        return every
    first = {t.type: t for t in reversed(every)} if name == NAMES[0] else {}
    rest = random.Random(name).sample(every, SAMPLE)
    return sorted({t.start: t for t in (*first.values(), *rest)}.values(), key=lambda t: t.start)


def mutants(word: str, words: frozenset[str], seed: int) -> Iterator[str]:
    """The word with one letter changed, with two changed, and every other keyword that is so near; one of these in the normal run."""
    draw = random.Random(f"{word} {seed}")
    near = [
        w for w in sorted(words) if len(w) == len(word) and 0 < sum(a != b for a, b in zip(word, w, strict=True)) <= 2
    ]
    kinds: tuple[int | str, ...] = (1, 2, *near)
    for kind in kinds if EXHAUSTIVE else (draw.choice(kinds),):
        if isinstance(kind, str):
            yield kind
            continue
        letters = list(word)
        for place in draw.sample(range(len(word)), min(kind, len(word))):
            letters[place] = draw.choice([c for c in string.ascii_lowercase if c != letters[place]])
        yield "".join(letters)


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_token_is_refused_or_changes_the_contract(name: str) -> None:
    text = (LIBRARY / name).read_text(encoding="utf-8")
    whole = digest(text)
    assert whole is not None
    silent = [
        f"{t.line}:{t.column} {t.text}"
        for t in chosen(tokens(text), name)
        if t.type != "COMMA" and digest(text[: t.start] + text[t.end :]) == whole
    ]
    assert silent == []


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_comma_is_refused_or_means_nothing(name: str) -> None:
    """A comma that may be left out leaves the contract as it was; any other one is missed."""
    text = (LIBRARY / name).read_text(encoding="utf-8")
    whole = digest(text)
    commas = [t for t in tokens(text) if t.type == "COMMA"]
    for t in commas if EXHAUSTIVE else commas[:: max(1, len(commas) // 6)]:
        assert digest(text[: t.start] + text[t.end :]) in (None, whole), f"{t.line}:{t.column}"


@pytest.mark.parametrize("name", NAMES)
def test_a_misspelt_keyword_is_refused(name: str) -> None:
    """Another keyword in its place may be read, but then it means something else."""
    text = (LIBRARY / name).read_text(encoding="utf-8")
    whole = digest(text)
    spelt = automaton().lexicon.words
    words = frozenset(spelt)
    keywords = [t for t in tokens(text) if spelt.get(t.text) == t.type]
    wrong = []
    for t in chosen(keywords, name):
        for mutant in mutants(t.text, words, t.start):
            found = digest(text[: t.start] + mutant + text[t.end :])
            if found == whole or (found is not None and mutant not in words):
                wrong.append(f"{t.line}:{t.column} {t.text} -> {mutant}")
    assert wrong == []
