"""What of a long text a reader sees of a hit: the best window, and where the matches are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ltm_tray.domain.analysis import QueryTerm, chunk_spans
from ltm_tray.domain.asked import Asked

SNIPPET_CHARACTERS = 600
"""A text up to this long is shown whole."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A part of a text. `truncated` says that something was left out."""

    text: str
    truncated: bool


class Match(NamedTuple):
    """Where a query term stands in a text, in characters, and which term it matched."""

    start: int
    end: int
    key: str


def matches(text: str, terms: Sequence[QueryTerm] | Asked) -> list[Match]:
    """Return where the terms stand in the text, in order, without overlaps.

    For many texts give one `Asked`: it knows the words of the texts before.
    """
    asked = terms if isinstance(terms, Asked) else Asked(terms)
    known = asked.marks
    text = text.replace("…", " ")  # no term reaches across it
    words = set(text.split())
    for word in words.difference(known):
        known[word] = _marks(word, asked) if asked.may_match(word) else ()
    return sorted(
        Match(at + start, at + end, key)
        for word in words
        if known[word]
        for at in _places(word, text)
        for start, end, key in known[word]
    )


def _places(word: str, text: str) -> Iterator[int]:
    """Yield where a word stands between white space."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not text[at - 1 : at].strip() and not text[end : end + 1].strip():
            yield at
        at = text.find(word, end)


def _marks(chunk: str, asked: Asked) -> Sequence[Match]:
    found: list[Match] = []
    last = 0
    for start, end, terms in chunk_spans(chunk):
        key = next((key for term in terms for key in asked.keys[term]), None)
        if key is not None and end > last:
            found.append(Match(max(start, last), end, key))
            last = end
    return found


def snippet_of(text: str, terms: Sequence[QueryTerm] | Asked) -> Snippet:
    """Return the whole text up to 600 characters, else the window richest in distinct terms.

    The window is cut at white space where there is some nearby; the earliest of
    equally good windows wins. A text without a match gives its beginning.
    """
    if len(text) <= SNIPPET_CHARACTERS:
        return Snippet(text, truncated=False)
    start, end = window_of(text, matches(text, terms), SNIPPET_CHARACTERS)
    return Snippet(text[start:end].strip(), truncated=True)


def window_of(text: str, found: Sequence[Match], most: int) -> tuple[int, int]:
    """Return where the window richest in distinct matched terms begins and ends.

    It holds at most `most` characters and is cut at white space where there is some nearby.
    """
    if len(text) <= most:
        return 0, len(text)
    start = min(_best_start(found, most), len(text) - most)
    end = start + most
    if start > 0:
        gap = text.find(" ", start, start + 40)
        start = gap + 1 if gap >= 0 else start
    if end < len(text):
        gap = text.rfind(" ", max(start, end - 40), end)
        end = gap if gap >= 0 else end
    return start, end


def _best_start(found: Sequence[Match], most: int) -> int:
    """Slide a window over the matches; return where the one with most distinct terms begins."""
    best, best_start, last = 0, 0, 0
    inside: dict[str, int] = {}
    for first, match in enumerate(found):
        while last < len(found) and found[last].end - match.start <= most:
            inside[found[last].key] = inside.get(found[last].key, 0) + 1
            last += 1
        if len(inside) > best:
            best = len(inside)
            best_start = _centred(found[first].start, found[last - 1].end, most)
        inside[match.key] = inside.get(match.key, 1) - 1
        if inside[match.key] <= 0:
            del inside[match.key]
    return best_start


def _centred(start: int, end: int, most: int) -> int:
    return max(0, start - (most - (end - start)) // 2)
