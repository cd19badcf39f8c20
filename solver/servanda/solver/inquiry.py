"""Questions about queries: can a condition hold for some query of the declared types?

In: a goal over a vocabulary. Out: `Sat`, `Unsat` or `Unknown`. A model is returned only if every string it needs exists: regexes are free atoms to
the solver, so a model that asks for an impossible string teaches it why, and it is asked again. `Unsat` holds whatever the caveats stand for; `Sat`
of a goal with caveats proves nothing until replayed. Trusts: the encoding, the session, the regex automata.
"""

from dataclasses import dataclass

from servanda.solver.formula import Formula, constants
from servanda.solver.regexes import Impossible, Sought, Undecided, some_string
from servanda.solver.session import Answer, Sat, Session, Unknown
from servanda.solver.vocabulary import Caveat, Vocabulary

ROUNDS = 50
"""How often an impossible string may be excluded before a question is given up."""


@dataclass(frozen=True, slots=True)
class Texts:
    """A string for each code of a model that stands for none of the known strings."""

    by_code: dict[int, str]


class Inquiry:
    """One conversation with the solver about one vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.session = Session(vocabulary.algebra)
        self._told = 0
        self._strings: dict[
            tuple[tuple[Sought, ...], tuple[Sought, ...], frozenset[str]], str | Impossible | Undecided
        ] = {}

    def sync(self) -> None:
        """Tell the solver the facts it does not know yet."""
        self.vocabulary.link()
        for fact in self.vocabulary.facts[self._told :]:
            self.session.add(fact.formula)
        self._told = len(self.vocabulary.facts)

    def ask(self, goal: Formula, *more: Formula) -> Answer:
        """Whether some query meets the goal."""
        self.sync()
        answer = self.session.ask(goal, *more)
        if not self.vocabulary.searches or not isinstance(answer, Sat):
            return answer
        cone = self.cone(goal)
        for _ in range(ROUNDS):
            texts = self.texts(answer, cone)
            if isinstance(texts, Texts):
                return answer
            if isinstance(texts, Unknown):
                return texts
            self.sync()
            answer = self.session.ask(goal, *more)
            if not isinstance(answer, Sat):
                return answer
        return Unknown("too many combinations of regular expressions")

    def possible(self, goal: Formula) -> bool | Unknown:
        """As `ask`, where the model does not matter."""
        self.sync()
        if self.vocabulary.searches:
            answer = self.ask(goal)
            return answer if isinstance(answer, Unknown) else isinstance(answer, Sat)
        return self.session.possible(goal)

    def cone(self, goal: Formula) -> frozenset[str]:
        """The constants the goal depends on, those that must agree with them included."""
        names = constants(goal)
        links = [f.names for f in self.vocabulary.facts if not f.attribute]
        while True:
            wider = names.union(*(n for n in links if n & names))
            if wider == names:
                return names
            names = wider

    def caveats(self, cone: frozenset[str]) -> tuple[Caveat, ...]:
        """What is only approximated among these constants, once each, in the order met."""
        return tuple(dict.fromkeys(c for name, c in self.vocabulary.caveats.items() if name in cone))

    def texts(self, model: Sat, cone: frozenset[str]) -> Texts | Unknown | None:
        """Strings for the codes of the cone, different from the known ones and from each other; None if one cannot exist, which is then told
        to the vocabulary as a fact."""
        known = {code: text for text, code in self.vocabulary.texts.items()}
        wanted: dict[int, tuple[set[Sought], set[Sought]]] = {}
        for search in self.vocabulary.searches:
            code = model.whole(search.code)
            if code in known or not constants(search.holds) <= cone:
                continue
            found, missed = wanted.setdefault(code, (set(), set()))
            (found if model.truth(search.holds) else missed).add(search.sought)
        made: dict[int, str] = {}
        for code in sorted(wanted, reverse=True):
            yes, no = tuple(sorted(wanted[code][0])), tuple(sorted(wanted[code][1]))
            text = self._string(yes, no, frozenset(known.values()) | frozenset(made.values()))
            if isinstance(text, Undecided):
                return Unknown(text.why)
            if isinstance(text, Impossible):
                self.vocabulary.exclude(yes, no, text.only)
                return None
            made[code] = text
        return Texts(made)

    def _string(
        self, found: tuple[Sought, ...], missed: tuple[Sought, ...], avoid: frozenset[str]
    ) -> str | Impossible | Undecided:
        key = (found, missed, avoid)
        if key not in self._strings:
            self._strings[key] = some_string(found, missed, avoid)
        return self._strings[key]
