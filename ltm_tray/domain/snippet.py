"""What of a long text a reader sees of a hit: the best window, and where the matches are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ltm_tray.domain.analysis import QueryTerm, spans
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


def matches(text: str, terms: Sequence[QueryTerm]) -> list[Match]:
    """Return where the terms stand in the text, in order, without overlaps."""
    keys = Asked(terms).keys
    found: list[Match] = []
    last = 0
    for start, end, held in spans(text):
        key = next((key for term in held for key in keys[term]), None)
        if key is not None and end > last:
            found.append(Match(max(start, last), end, key))
            last = end
    return found


def snippet_of(text: str, terms: Sequence[QueryTerm]) -> Snippet:
    """Return the whole text up to 600 characters, else the window richest in distinct terms.

    The window is cut at white space where there is some nearby; the earliest of
    equally good windows wins. A text without a match gives its beginning.
    """
    if len(text) <= SNIPPET_CHARACTERS:
        return Snippet(text, truncated=False)
    start = _best_start(matches(text, terms))
    return Snippet(_cut_at_words(text, start), truncated=True)


def _best_start(found: list[Match]) -> int:
    """Slide a window over the matches; return where the one with most distinct terms begins."""
    best, best_start, last = 0, 0, 0
    inside: dict[str, int] = {}
    for first, match in enumerate(found):
        while last < len(found) and found[last].end - match.start <= SNIPPET_CHARACTERS:
            inside[found[last].key] = inside.get(found[last].key, 0) + 1
            last += 1
        if len(inside) > best:
            best, best_start = len(inside), match.start
            best_start = _centred(found[first].start, found[last - 1].end)
        inside[match.key] = inside.get(match.key, 1) - 1
        if inside[match.key] <= 0:
            del inside[match.key]
    return best_start


def _centred(start: int, end: int) -> int:
    return max(0, start - (SNIPPET_CHARACTERS - (end - start)) // 2)


def _cut_at_words(text: str, start: int) -> str:
    start = min(start, len(text) - SNIPPET_CHARACTERS)
    end = start + SNIPPET_CHARACTERS
    if start > 0:
        gap = text.find(" ", start, start + 40)
        start = gap + 1 if gap >= 0 else start
    if end < len(text):
        gap = text.rfind(" ", end - 40, end)
        end = gap if gap >= 0 else end
    return text[start:end].strip()
