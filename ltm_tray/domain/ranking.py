"""How well a text answers a query: BM25 with a bonus for covering more of the query.

BM25 as Robertson and Zaragoza give it ("The Probabilistic Relevance Framework", 2009),
with the idf of Lucene, which is never negative. The constants were chosen on
conversations with known answers; see the benchmark.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

from ltm_tray.domain.analysis import QueryTerm, stem

K1 = 0.6
"""How fast a repeated term stops adding; low, because these texts are short."""
B = 0.3
"""How much a long text is held back, 0 to 1."""
COVERAGE = 0.5
"""How much a text that holds every term gains over one that holds almost none."""
MEMORY_WEIGHT = 1.2
"""A memory was saved on purpose: it goes before an observation that matches as well."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """What the searched texts are like: how many, their mean length in terms, who holds what."""

    count: int
    mean_length: float
    holders: Mapping[str, int]

    def idf(self, term: str) -> float:
        """Return how telling a term is; more for one that few texts hold."""
        holders = self.holders.get(term, 0)
        return log(1 + (self.count - holders + 0.5) / (holders + 0.5))


def term_score(frequency: int, length: int, mean_length: float) -> float:
    """Return what one term's occurrences in one text weigh, 0 to 1 + `K1`, before idf."""
    norm = K1 * (1 - B + B * length / mean_length) if mean_length else K1
    return frequency * (K1 + 1) / (frequency + norm)


def score(
    frequencies: Mapping[str, int], length: int, terms: Sequence[str], corpus: Corpus
) -> float:
    """Return the score of a text, 0 if it holds none of the terms; grows with relevance.

    `frequencies` counts the text's terms, `length` is their sum, `terms` are distinct.
    """
    total = held = asked = 0.0
    for term in terms:
        idf = corpus.idf(term)
        asked += idf
        if frequency := frequencies.get(term, 0):
            held += idf
            total += idf * term_score(frequency, length, corpus.mean_length)
    return total * (1 + COVERAGE * held / asked) if asked else 0.0


def scores_of(texts: Mapping[str, Sequence[str]], terms: Sequence[QueryTerm]) -> dict[str, float]:
    """Score texts against each other by scanning them all; keys are the caller's ids.

    The texts are given as stemmed terms. A prefix term stands for every term that
    starts with it.
    """
    counted = {id_: Counter(text) for id_, text in texts.items()}
    asked = {stem(term.text) for term in terms if not term.prefix}
    prefixes = tuple(term.text for term in terms if term.prefix)
    asked |= {term for text in counted.values() for term in text if term.startswith(prefixes)}
    corpus = Corpus(
        count=len(counted),
        mean_length=sum(map(len, texts.values())) / max(1, len(texts)),
        holders={term: sum(term in text for text in counted.values()) for term in asked},
    )
    return {id_: score(text, text.total(), sorted(asked), corpus) for id_, text in counted.items()}
