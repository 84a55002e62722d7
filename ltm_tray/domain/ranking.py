"""How well a text answers a query: BM25 on terms, with a bonus for covering the query.

BM25 as Robertson and Zaragoza give it ("The Probabilistic Relevance Framework", 2009),
with an idf that is never negative. The constants were chosen on one half of LoCoMo's
conversations, on a plateau; `make bench` measures them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import NamedTuple

from ltm_tray.domain.analysis import QueryTerm, index_terms
from ltm_tray.domain.asked import Asked
from ltm_tray.domain.memory import Explanation, HitKind, MatchedTerm

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


class Text(NamedTuple):
    """A text to be scored: how often it holds each asked term, and its length in terms."""

    frequencies: Mapping[str, float]
    length: int


def count(asked: Asked, title: Iterable[str], body: Iterable[str], length: int) -> Text:
    """Count the asked terms in a text of `length` terms.

    Only terms that begin with one of `asked.starts` count, so others may be left out.
    `title` may repeat what `body` holds.
    """
    frequencies: dict[str, float] = {}
    for term in body:
        for key in asked.keys[term]:
            frequencies[key] = frequencies.get(key, 0) + 1
    for key in {key for term in title for key in asked.keys[term]}:
        frequencies[key] = frequencies.get(key, 0) + TITLE_BONUS
    return Text(frequencies, length)


class Weights:
    """How telling each term of a query is in one project."""

    def __init__(self, asked: Asked, holders: Mapping[str, int]) -> None:
        """Take every asked term's key with the number of the project's texts that hold it."""
        self.asked = asked
        self.holders = holders
        self.idf = {
            key: log(1 + (BACKGROUND + 0.5) / (count + 0.5)) for key, count in holders.items()
        }
        self.all = sum(self.idf.values())


class Rated:
    """A text held against a query: its score, and on demand why."""

    __slots__ = ("_coverage", "_kind_weight", "_norm", "_text", "_weights", "score")

    def __init__(self, text: Text, weights: Weights, mean_length: float, kind: HitKind) -> None:
        """Score the text; `mean_length` is that of the texts of its kind, in terms."""
        self._text = text
        self._weights = weights
        self._norm = K1 * (1 - B + B * text.length / mean_length) if mean_length else K1
        self._kind_weight = MEMORY_WEIGHT if kind is HitKind.MEMORY else 1.0
        total = held = 0.0
        for key, frequency in text.frequencies.items():
            idf = weights.idf[key]
            held += idf
            total += idf * frequency / (frequency + self._norm)
        self._coverage = 1 + COVERAGE * held / weights.all if held else 1.0
        self.score = total * (K1 + 1) * self._coverage * self._kind_weight

    def explanation(self) -> Explanation:
        """Return what made the score, the term that added most first."""
        weights, norm = self._weights, self._norm
        terms = [
            MatchedTerm(
                term=weights.asked.terms[key].text,
                frequency=frequency,
                holders=weights.holders[key],
                score=weights.idf[key] * frequency * (K1 + 1) / (frequency + norm),
            )
            for key, frequency in self._text.frequencies.items()
        ]
        return Explanation(
            terms=tuple(sorted(terms, key=lambda term: term.score, reverse=True)),
            coverage=self._coverage,
            kind_weight=self._kind_weight,
        )


def rate_all(
    texts: Mapping[str, tuple[HitKind, str, str]], terms: Sequence[QueryTerm]
) -> dict[str, Rated]:
    """Rate texts against each other by scanning them all: the reference for real indexes.

    Each text is its kind, title and body; the keys are the caller's ids.
    """
    asked = Asked(terms)
    counted = {}
    for id_, (_, title, body) in texts.items():
        found = index_terms(body)
        counted[id_] = count(asked, index_terms(title), found, len(found))
    holders = {
        key: sum(key in text.frequencies for text in counted.values()) for key in asked.terms
    }
    weights = Weights(asked, holders)
    mean_length = {
        kind: mean_length_of(t for id_, t in counted.items() if texts[id_][0] is kind)
        for kind in HitKind
    }
    return {
        id_: Rated(text, weights, mean_length[texts[id_][0]], texts[id_][0])
        for id_, text in counted.items()
    }


def mean_length_of(texts: Iterable[Text]) -> float:
    """Return the mean length in terms; 0 for no texts."""
    lengths = [text.length for text in texts]
    return sum(lengths) / len(lengths) if lengths else 0.0
