"""Rules (language reference §6): when a form is activated, kept, violated, undecided or pending."""

from typing import Any

import pytest

from servanda.contracts.meaning.evaluate import Scope
from servanda.contracts.meaning.monitors import judge
from servanda.contracts.meaning.query import read_query
from servanda.contracts.meaning.recorded import Recorded

HEAD = """tool a(k: int optional) writes
tool b(k: int optional) writes
tool r(k: int optional) -> { v: int } reads
tool th() neutral
query { q: int }
label yes: bool on message user
view last_r(n) = last r(k: n)
"""


def judged(make: Any, rule: str, *turns: Any, complete: bool = True) -> list[Any]:
    """Each activation: event, ending and, where violated, the events of the finding."""
    found = activations(make, rule, *turns, complete=complete).activations
    return [(x.event, x.ending[:4], *([x.events] if x.ending == "violated" else [])) for x in found]


def activations(make: Any, rule: str, *turns: Any, complete: bool = True) -> Any:
    contract = make.contract(f"{HEAD}rule it {rule}")
    trace = make.trace(*turns, complete=complete)
    reads = Recorded(contract, trace, read_query(contract, {"q": 1}, None).values, {})
    return judge(contract.body[0].form, trace, Scope(reads))


class Words:
    """Events by letters: a, b, r, th calls; u, s messages; A a failed a; ? an a without outcome; y, n, m consents given, refused, not judged."""

    def __init__(self, make: Any) -> None:
        self.letters = {
            **{t: make.call(t) for t in "ab"},
            "r": make.call("r", {}, {"v": 1}),
            "t": make.call("th"),
            "u": make.user(),
            "s": make.says(),
            "A": make.failed("a"),
            "?": make.unrecorded("a"),
            "y": make.user(yes=True),
            "n": make.user(yes=False),
            "m": make.user(),
        }

    def __call__(self, text: str) -> list[Any]:
        """One turn a word."""
        turns = [[self.letters[c] for c in word] for word in text.split()]
        return [t[0] if len(t) == 1 else t for t in turns]


@pytest.fixture
def words(make: Any) -> Words:
    return Words(make)


# ---- never -----------------------------------------------------------------------------------------------------------------


def test_never_is_violated_at_each_match_and_activated_at_each_event_of_its_kind(make: Any) -> None:
    rule = "never message assistant where text matches /4111/"
    turns = [make.says("hi"), make.user("4111"), make.says("4111")]
    assert judged(make, rule, *turns) == [(0, "fulf"), (2, "viol", (2,))]


def test_never_needs_a_true_match(make: Any, words: Words) -> None:
    assert judged(make, "never call a where args.k > 1", make.call("a"), make.call("a", {"k": 2})) == [
        (0, "fulf"),
        (1, "viol", (1,)),
    ]
    assert judged(make, "never call a", *words("? A")) == [(0, "unde")]
    assert judged(make, "never attempt a", *words("? A")) == [(0, "viol", (0,)), (1, "viol", (1,))]


def test_never_after_and_before_are_windows(make: Any, words: Words) -> None:
    assert judged(make, "never call a after call b", *words("a b a")) == [(2, "viol", (2,))]
    assert judged(make, "never call a after call b", *words("ab")) == [], "nothing is after within one response"
    assert judged(make, "never call a before call b", *words("a b a")) == [(0, "viol", (0,))]
    assert judged(make, "never call a after call b before call r", *words("a b a r a")) == [(2, "viol", (2,))]
    open_ = judged(make, "never call a before call b", *words("a"), complete=False)
    assert open_ == [(0, "pend")], "b may come"


# ---- cardinality ----------------------------------------------------------------------------------------------------------


def test_at_most_has_one_finding_a_key_with_the_events_from_the_next_on(make: Any) -> None:
    turns = [make.call("a", {"k": k}) for k in (1, 2, 1, 1, 2, 3)]
    assert judged(make, "at most 1 call a per args.k", *turns) == [
        (-1, "viol", (2, 3)),
        (-1, "viol", (4,)),
        (-1, "fulf"),
    ]
    assert judged(make, "at most 2 call a", *turns) == [(-1, "viol", (2, 3, 4, 5))]


def test_at_most_without_an_event_is_not_activated(make: Any, words: Words) -> None:
    assert judged(make, "at most 1 call a", *words("b")) == []


def test_an_undefined_key_counts_for_none_and_is_told(make: Any) -> None:
    found = activations(make, "at most 1 call a per args.k", make.call("a"), make.call("a"), make.call("a", {"k": 1}))
    assert [a.ending for a in found.activations] == ["fulfilled"]
    assert found.notes == tuple(f"event {i}: args.k is undefined, so it counts for no key" for i in (0, 1))


def test_per_turn(make: Any, words: Words) -> None:
    rule = "at most 1 any of { attempt of tools  message assistant } per turn"
    assert judged(make, rule, *words("sa bb u s")) == [
        (-1, "viol", (1,)),
        (-1, "viol", (3,)),
        (-1, "fulf"),
    ]


@pytest.mark.parametrize(
    "rule,text,ending",
    [
        ("at least 2 call a", "a", "viol"),
        ("at least 2 call a", "a a a", "fulf"),
        ("at least 1 call a", "", "viol"),
        ("exactly 1 call a", "a", "fulf"),
        ("exactly 1 call a", "", "viol"),
        ("exactly 1 call a", "a A", "fulf"),
        ("at most 1 call a", "a ?", "unde"),
        ("at most 1 call a", "a ? a", "viol"),
        ("at least 1 call a", "?", "unde"),
        ("at least 2 call a", "?", "viol"),
        ("exactly 1 call a", "a ?", "unde"),
        ("exactly 1 call a", "a a ?", "viol"),
    ],
)
def test_counting(make: Any, words: Words, rule: str, text: str, ending: str) -> None:
    (one,) = judged(make, rule, *words(text))
    assert one[1] == ending


def test_too_few_names_no_event_and_too_many_those_beyond(make: Any, words: Words) -> None:
    assert judged(make, "exactly 2 call a", *words("a")) == [(-1, "viol", ())]
    assert judged(make, "exactly 1 call a", *words("a b a")) == [(-1, "viol", (2,))]


def test_an_unknown_key_may_be_any(make: Any) -> None:
    contract = make.contract(f"{HEAD}rule it at most 1 call r per result.v")
    from servanda.contracts.observed import MISSING

    def endings(*values: Any) -> list[str]:
        turns = [make.call("r", {}, MISSING if v is None else {"v": v}) for v in values]
        reads = Recorded(contract, make.trace(*turns), read_query(contract, {"q": 1}, None).values, {})
        return [a.ending for a in judge(contract.body[0].form, reads.trace, Scope(reads)).activations]

    assert endings(1, None) == ["undecided"]
    assert endings(None, None) == ["undecided"]
    assert endings(None) == []
    assert endings(1, 1, None) == ["violated"]


def test_open_traces_leave_too_few_pending(make: Any, words: Words) -> None:
    assert judged(make, "at least 2 call a", *words("a"), complete=False) == [(-1, "pend")]
    assert judged(make, "exactly 1 call a", *words(""), complete=False) == [(-1, "pend")]
    assert judged(make, "exactly 1 call a", *words("a a"), complete=False) == [(-1, "viol", (1,))]
    assert judged(make, "at most 1 call a", *words("a a"), complete=False) == [(-1, "viol", (1,))]


# ---- each ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rule,text,violated",
    [
        ("each call a needs earlier call b", "a b a", [0]),
        ("each call a needs earlier call b", "ba", [1]),
        ("each call a forbids earlier call b", "a b a", [2]),
        ("each call a needs later call b", "a b a", [2]),
        ("each call a forbids later call b", "a b a", [0]),
        ("each call a needs anywhere call b", "ba", []),
        ("each call a needs anywhere call a", "a", [0]),
        ("each call a forbids anywhere call b", "a b", [0]),
        # one b may serve several a
        ("each call a needs earlier call b", "b a a", []),
        # since: after the last, or from the start where there is none
        ("each call a needs earlier message user since message assistant", "u a", []),
        ("each call a needs earlier message user since message assistant", "u s a", [2]),
        ("each call a needs earlier message user since message assistant", "s u a a", []),
        ("each call a needs earlier message user since any of { message assistant  attempt of writes }", "u a a", [2]),
        # the text of the same response is not before the call
        ("each call a needs earlier message user since message assistant", "s u sa", []),
        # until: before the next
        ("each call a needs later call b until call a", "a a b", [0]),
        ("each call a needs later call b until call r", "a r b", [0]),
        ("each call a needs later call b until call r", "a rb", [0]),
        # within
        ("each call a needs later call b within 1 turns", "a u b", []),
        ("each call a needs later call b within 1 turns", "a s b", [0]),
        ("each call a needs later call b within 1 events", "a t b", []),
        ("each call a needs later call b within 1 events", "a u b", [0]),
        ("each call a needs earlier call b within 2 turns", "b s a", []),
        ("each call a needs earlier call b within 1 turns", "b s a", [2]),
        # immediately: neutral calls are skipped and nothing else; concurrent events are not adjacent
        ("each call a needs immediately earlier call b", "b t a", []),
        ("each call a needs immediately earlier call b", "b u a", [2]),
        ("each call a needs immediately earlier call b", "ba", [1]),
        ("each call a needs immediately earlier call b", "br a", []),
        ("each call a needs immediately later call b", "a t b", []),
        ("each call a forbids immediately later call b", "a b", [0]),
        ("each call a forbids immediately later call b", "a r b", []),
    ],
)
def test_each(make: Any, words: Words, rule: str, text: str, violated: list[int]) -> None:
    found = judged(make, rule, *words(text))
    assert [f[0] for f in found if f[1] == "viol"] == violated
    assert {f[1] for f in found} <= {"viol", "fulf"}


def test_each_reads_the_named_event(make: Any) -> None:
    rule = "each call a as w needs earlier call b where args.k == w.args.k"
    turns = [make.call("b", {"k": 1}), make.call("a", {"k": 1}), make.call("a", {"k": 2}), make.call("a")]
    assert judged(make, rule, *turns) == [(1, "fulf"), (2, "viol", (2,)), (3, "viol", (3,))]


@pytest.mark.parametrize(
    "rule,text,endings",
    [
        ("each call a needs earlier message user where yes", "y a", ["fulf"]),
        ("each call a needs earlier message user where yes", "n a", ["viol"]),
        ("each call a needs earlier message user where yes", "m a", ["unde"]),
        ("each call a needs earlier message user where yes", "m y a", ["fulf"]),
        ("each call a forbids earlier message user where yes", "m a", ["unde"]),
        ("each call a needs earlier message user where yes since call b", "m b a", ["viol"]),
        ("each call a needs earlier call b since message user where yes", "b m a", ["unde"]),
        ("each call a needs earlier call b since message user where yes", "b m b a", ["fulf"]),
        # an activation that may not be one is told only where it could be violated
        ("each call a needs earlier message user", "?", ["unde"]),
        ("each call a needs earlier message user", "u ?", []),
    ],
)
def test_each_with_what_is_unknown(make: Any, words: Words, rule: str, text: str, endings: list[str]) -> None:
    assert [f[1] for f in judged(make, rule, *words(text))] == endings


@pytest.mark.parametrize(
    "rule,text,ending",
    [
        ("each call a needs later call b", "a", "pend"),
        ("each call a needs later call b", "a b", "fulf"),
        ("each call a needs later call b until call r", "a r", "viol"),
        ("each call a needs later call b within 1 turns", "a s", "pend"),
        ("each call a needs later call b within 1 turns", "a s s", "viol"),
        ("each call a needs immediately later call b", "a t", "pend"),
        ("each call a needs immediately later call b", "a u", "viol"),
        ("each call a needs anywhere call b", "a", "pend"),
        ("each call a needs earlier call b", "a", "viol"),
        ("each call a forbids later call b", "a b", "viol"),
    ],
)
def test_each_in_an_open_trace(make: Any, words: Words, rule: str, text: str, ending: str) -> None:
    (one,) = judged(make, rule, *words(text), complete=False)
    assert one[1] == ending


def test_a_violation_says_what_was_not_there(make: Any, words: Words) -> None:
    rule = "each call a needs earlier message user since message assistant"
    (one,) = activations(make, rule, *words("u s a")).activations
    assert one.seen == "event 2 a {} without earlier message user since message assistant"
    (one,) = activations(make, "each call a needs earlier call b", *words("ab")).activations
    assert one.seen == "event 0 a {} without earlier call b (event 1 b {} is in the same response)"


# ---- only if ---------------------------------------------------------------------------------------------------------------


def test_only_if_is_violated_unless_it_is_true(make: Any) -> None:
    rule = "attempt a only if last_r(args.k).v == 1"
    turns = [
        make.call("a", {"k": 1}),
        make.call("r", {"k": 1}, {"v": 1}),
        make.call("a", {"k": 1}),
        make.failed("a", {"k": 2}),
        make.call("r", {"k": 1}, {"v": 2}),
        make.call("a", {"k": 1}),
        make.call("a"),
    ]
    found = activations(make, rule, *turns).activations
    assert [(a.event, a.ending, a.view) for a in found] == [
        (0, "violated", "last_r(1)"),
        (2, "fulfilled", ""),
        (3, "violated", "last_r(2)"),
        (5, "violated", ""),
        (6, "violated", ""),
    ]
    assert found[3].seen == 'event 5 a {"k": 1}: last_r(args.k).v == 1: 2 != 1'


def test_only_if_with_what_is_unknown(make: Any) -> None:
    unsure = make.call("r", {"k": 1}, {"v": 2}, "unknown")
    found = judged(make, "call a only if last_r(1).v == 2", unsure, make.call("a"), make.unrecorded("a"))
    assert found == [(1, "unde"), (2, "unde")]
    assert judged(make, "call a only if q == 1", make.unrecorded("a")) == []
