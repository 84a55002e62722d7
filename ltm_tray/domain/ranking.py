"""How well a text answers a query: BM25 on terms, with a bonus for covering the query.

BM25 as Robertson and Zaragoza give it ("The Probabilistic Relevance Framework", 2009),
with an idf that is never negative. The constants were chosen on one half of LoCoMo's
conversations, on a plateau; `make bench` measures them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

from ltm_tray.domain.analysis import QueryTerm, index_terms, stem

K1 = 0.5
"""How fast a repeated term stops adding; low, because these texts are short."""
B = 0.2
"""How much a long text is held back, 0 to 1."""
COVERAGE = 0.5
"""How much a text that holds every term gains over one that holds almost none."""
TITLE_BONUS = 0.3
"""A term in the title, a text's first 80 characters, counts as this much of an occurrence more."""
BACKGROUND = 20_000
"""A project is too small to tell how rare a word is: so many texts without it are added."""
MEMORY_WEIGHT = 1.2
"""A memory was saved on purpose: it goes before an observation that matches as well."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text to be scored: how often it holds each asked term, and its length in terms."""

    frequencies: Mapping[str, float]
    length: int


@dataclass(frozen=True, slots=True)
class TermScore:
    """What one query term adds to a score; the parts of an explanation."""

    term: str
    frequency: float
    holders: int
    score: float


class Asked:
    """The terms of a query, ready to be counted in texts.

    A term is known by its key: its stem, or for a prefix the prefix and a `*`.
    """

    def __init__(self, terms: Sequence[QueryTerm]) -> None:
        """Take the query's terms; those with one stem are one."""
        self.terms = {key_of(term): term for term in terms}
        self._stems = {key for key, term in self.terms.items() if not term.prefix}
        self._prefixes = tuple(term.text for term in self.terms.values() if term.prefix)
        # Stemming keeps the first letters, so a term with others need not be looked at.
        self.starts = tuple({key[:3] for key in self._stems} | set(self._prefixes))

    def count(self, title: Iterable[str], body: Iterable[str], length: int) -> Text:
        """Count the asked terms in a text of `length` terms.

        Only terms that begin with one of `starts` count, so others may be left out.
        `title` may repeat what `body` holds.
        """
        frequencies: dict[str, float] = {}
        for term in body:
            for key in self._keys(term):
                frequencies[key] = frequencies.get(key, 0) + 1
        for key in {key for term in title for key in self._keys(term)}:
            frequencies[key] = frequencies.get(key, 0) + TITLE_BONUS
        return Text(frequencies, length)

    def _keys(self, term: str) -> Iterable[str]:
        key = stem(term)
        if key in self._stems:
            yield key
        if self._prefixes:
            yield from (f"{prefix}*" for prefix in self._prefixes if term.startswith(prefix))


class Weights:
    """How telling each term of a query is in one project, and the score of a text by them."""

    def __init__(self, holders: Mapping[str, int]) -> None:
        """Take every asked term's key with the number of the project's texts that hold it."""
        self.holders = holders
        self._idf = {
            key: log(1 + (BACKGROUND + 0.5) / (count + 0.5)) for key, count in holders.items()
        }
        self._asked = sum(self._idf.values())

    def score(self, text: Text, mean_length: float) -> float:
        """Return the score of a text, 0 if it holds no asked term; grows with relevance.

        `mean_length` is that of the texts of its kind.
        """
        total = held = 0.0
        for part in self.parts(text, mean_length):
            total += part.score
            held += self._idf[part.term]
        return total * (1 + COVERAGE * held / self._asked) if total else 0.0

    def parts(self, text: Text, mean_length: float) -> list[TermScore]:
        """Return what each term adds, before the bonus for coverage."""
        norm = K1 * (1 - B + B * text.length / mean_length) if mean_length else K1
        return [
            TermScore(
                key,
                frequency,
                self.holders[key],
                self._idf[key] * frequency * (K1 + 1) / (frequency + norm),
            )
            for key, frequency in text.frequencies.items()
        ]


def key_of(term: QueryTerm) -> str:
    """Return what a query term is known by in counts and scores."""
    return f"{term.text}*" if term.prefix else stem(term.text)


def scores_of(texts: Mapping[str, tuple[str, str]], terms: Sequence[QueryTerm]) -> dict[str, float]:
    """Score texts against each other by scanning them all: the reference for real indexes.

    Each text is its title and its body; the keys are the caller's ids.
    """
    asked = Asked(terms)
    counted = {}
    for id_, (title, body) in texts.items():
        found = index_terms(body)
        counted[id_] = asked.count(index_terms(title), found, len(found))
    weights = Weights(
        {key: sum(key in text.frequencies for text in counted.values()) for key in asked.terms}
    )
    mean_length = sum(text.length for text in counted.values()) / max(1, len(counted))
    return {id_: weights.score(text, mean_length) for id_, text in counted.items()}
