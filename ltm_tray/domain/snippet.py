"""What of a long text a reader sees of a hit: the best window, and where the matches are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ltm_tray.domain.analysis import QueryTerm, spans, stem

SNIPPET_CHARACTERS = 600
"""A text up to this long is shown whole."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A part of a text. `truncated` says that something was left out."""

    text: str
    truncated: bool


@dataclass(frozen=True, slots=True)
class Match:
    """Where a query term stands in a text, in characters, and which stem it matched."""

    start: int
    end: int
    stem: str


def matches(text: str, terms: Sequence[QueryTerm]) -> list[Match]:
    """Return where the terms stand in the text, in order, without overlaps."""
    stems = {stem(term.text) for term in terms if not term.prefix}
    prefixes = tuple(term.text for term in terms if term.prefix)
    found: list[Match] = []
    for span in spans(text):
        hit = _matched(span.terms, stems, prefixes)
        if hit is not None:
            start = max(span.start, found[-1].end) if found else span.start
            if start < span.end:
                found.append(Match(start, span.end, hit))
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


def _matched(found: tuple[str, ...], stems: set[str], prefixes: tuple[str, ...]) -> str | None:
    for term in found:
        if stem(term) in stems:
            return stem(term)
        if prefixes and term.startswith(prefixes):
            return term
    return None


def _best_start(found: list[Match]) -> int:
    """Slide a window over the matches; return where the one with most distinct stems begins."""
    best, best_start, last = 0, 0, 0
    inside: dict[str, int] = {}
    for first, match in enumerate(found):
        while last < len(found) and found[last].end - match.start <= SNIPPET_CHARACTERS:
            inside[found[last].stem] = inside.get(found[last].stem, 0) + 1
            last += 1
        if len(inside) > best:
            best, best_start = len(inside), match.start
            best_start = _centred(found[first].start, found[last - 1].end)
        inside[match.stem] = inside.get(match.stem, 1) - 1
        if inside[match.stem] <= 0:
            del inside[match.stem]
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
