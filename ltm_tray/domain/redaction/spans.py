"""Where a text holds something that is never stored, and the text with those places replaced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ltm_tray.domain.left_out import replacement


@dataclass(frozen=True, slots=True)
class Span:
    """A place to replace: characters from `start` up to `end`, and the kind of what is there."""

    start: int
    end: int
    kind: str


def merged(spans: Sequence[Span]) -> list[Span]:
    """Return spans in order, those that overlap as one.

    It has the kind of the longest of them; of equals, that of the first given.
    """
    found: list[Span] = []
    longest = 0
    for span in sorted(spans, key=lambda span: span.start):
        length = span.end - span.start
        if not found or span.start >= found[-1].end:
            found.append(span)
            longest = length
            continue
        last = found[-1]
        kind = span.kind if length > longest else last.kind
        longest = max(longest, length)
        found[-1] = Span(last.start, max(last.end, span.end), kind)
    return found


def replaced(text: str, spans: Sequence[Span]) -> tuple[str, Counter[str]]:
    """Return the text with each span replaced by its kind, and how many of each kind."""
    parts: list[str] = []
    at = 0
    for span in spans:
        parts += (text[at : span.start], replacement(span.kind))
        at = span.end
    parts.append(text[at:])
    return "".join(parts), Counter(span.kind for span in spans)
