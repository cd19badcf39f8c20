"""A slip of the keyboard is refused, or it shows in the tree: no keyword and no token can go unnoticed."""

import string
from itertools import pairwise
from pathlib import Path

import pytest

from servanda.grammar import syntax as s
from servanda.grammar.diagnostic import Refusal
from servanda.grammar.lexer import Token
from servanda.grammar.parser import parse, tokens
from servanda.grammar.span import Source
from servanda.grammar.tables import load

HERE = Path(__file__).resolve().parent
SAMPLES = {p.stem: p.read_text("utf-8") for p in sorted((HERE / "samples").glob("*.contract"))}
KEYWORDS = {t.name: t.pattern for t in load().terminals if t.fixed and t.pattern[0].isalpha()}


def read(text: str) -> s.Tree | None:
    """The tree, or None where the text is refused."""
    try:
        return parse(Source("t", text))
    except Refusal:
        return None


def cut(text: str, name: str) -> list[tuple[str, list[Token]]]:
    """A contract as small contracts of one declaration each, with their tokens; quicker to read a thousand times."""
    tree = parse(Source(name, text))
    header = text[tree.span.start : tree.items[0].span.start]
    pieces = []
    for item in tree.items:
        piece = f"{header}\n{text[item.span.start : item.span.end]}\n"
        pieces.append((piece, list(tokens(Source(name, piece)))))
    return pieces


def slips(word: str) -> list[str]:
    """The word with one or two letters changed: left out, doubled, swapped, replaced."""
    found = [word[:i] + word[i + 1 :] for i in range(len(word))]
    found += [word[:i] + word[i] + word[i:] for i in range(len(word))]
    found += [word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1)]
    found += [word[:i] + c + word[i + 1 :] for i in range(len(word)) for c in string.ascii_lowercase[i::13]]
    found += [word[1:-1], word[:-2], word + "es", "x" + word, word.capitalize(), word.upper()]
    return sorted({f for f in found if f and f != word})


def test_the_samples_hold_every_terminal() -> None:
    seen = {t.type for text in SAMPLES.values() for t in tokens(Source("t", text))}
    assert {t.name for t in load().terminals} - seen == {"COMMENT", "BLANK"}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_misspelt_keyword_is_refused_or_shows(name: str) -> None:
    tried = refused = 0
    seen: set[tuple[str, str]] = set()
    for piece, read_tokens in cut(SAMPLES[name], name):
        whole = read(piece)
        assert whole is not None
        for before, token in zip([None, *read_tokens], read_tokens, strict=False):
            place = (before.type if before else "", token.type)
            if token.type not in KEYWORDS or place in seen:
                continue
            seen.add(place)
            for slip in slips(token.text):
                mutant = read(piece[: token.start] + slip + piece[token.end :])
                tried += 1
                refused += mutant is None
                assert mutant != whole, (token, slip)
                assert mutant is None or len(mutant.items) >= len(whole.items) or KEYWORDS.get(slip.upper()) == slip, (
                    slip
                )
    assert tried > 500
    assert refused > 0.85 * tried


@pytest.mark.parametrize("name", SAMPLES)
def test_a_token_left_out_is_refused_or_shows(name: str) -> None:
    for piece, read_tokens in cut(SAMPLES[name], name):
        whole = read(piece)
        assert whole is not None
        for token in read_tokens:
            if token.type != "COMMA":
                mutant = read(f"{piece[: token.start]} {piece[token.end :]}")
                assert mutant != whole, token


@pytest.mark.parametrize("name", SAMPLES)
def test_a_comma_left_out_is_refused_or_was_optional(name: str) -> None:
    for piece, read_tokens in cut(SAMPLES[name], name):
        whole = read(piece)
        for token in read_tokens:
            if token.type == "COMMA":
                assert read(f"{piece[: token.start]} {piece[token.end :]}") in (None, whole), token


@pytest.mark.parametrize("name", SAMPLES)
def test_two_tokens_swapped_are_refused_or_show(name: str) -> None:
    for piece, read_tokens in cut(SAMPLES[name], name):
        whole = read(piece)
        for one, other in pairwise(read_tokens):
            if one.text != other.text and "COMMA" not in (one.type, other.type):
                mutant = read(f"{piece[: one.start]} {other.text} {one.text} {piece[other.end :]}")
                assert mutant != whole, (one, other)
