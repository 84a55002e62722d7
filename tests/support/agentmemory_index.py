"""Finds texts as agentmemory 0.9.29 does: BM25 over its words, with words that only begin so."""

from __future__ import annotations

from collections import Counter, defaultdict
from math import log

import regex
import snowballstemmer

_K1, _B, _BEGUN_WEIGHT = 1.2, 0.75, 0.5
# The range from `\` to `_` stands as it does in the product: those stay within words.
_BETWEEN = regex.compile(r"[^\p{L}\p{N}\s/.\\-_]")


Scores = defaultdict[str, float]


class _Stems(dict[str, str]):
    """Stems a word once."""

    _stemmer = snowballstemmer.stemmer("porter")

    def __missing__(self, word: str) -> str:
        stem = self[word] = str(self._stemmer.stemWord(word))
        return stem


class WordIndex:
    """Texts by id."""

    def __init__(self) -> None:
        self._stems = _Stems()
        self._texts: dict[str, Counter[str]] = {}

    def add(self, text_id: str, text: str) -> None:
        """Take a text, or take one anew."""
        self._texts[text_id] = Counter(self._words(text))

    def remove(self, text_id: str) -> None:
        """Leave a text out from now on."""
        self._texts.pop(text_id, None)

    def search(self, query: str, limit: int) -> list[tuple[str, float]]:
        """Return ids and scores, best first."""
        scores: Scores = defaultdict(float)
        known = {word for words in self._texts.values() for word in words}
        for asked in dict.fromkeys(self._words(query)):
            for word in known:
                if word.startswith(asked):
                    weight = 1.0 if word == asked else _BEGUN_WEIGHT
                    self._score(word, weight, scores)
        return sorted(scores.items(), key=lambda found: -found[1])[:limit]

    def _score(self, word: str, weight: float, scores: Scores) -> None:
        holders = {id_: words for id_, words in self._texts.items() if word in words}
        rest = len(self._texts) - len(holders)
        idf = log((rest + 0.5) / (len(holders) + 0.5) + 1)
        mean = sum(words.total() for words in self._texts.values()) / len(self._texts)
        for text_id, words in holders.items():
            times = words[word]
            norm = _K1 * (1 - _B + _B * words.total() / mean)
            scores[text_id] += weight * idf * times * (_K1 + 1) / (times + norm)

    def _words(self, text: str) -> list[str]:
        found = _BETWEEN.sub(" ", text.lower()).split()
        return [self._stems[word] for word in found if len(word) > 1]
