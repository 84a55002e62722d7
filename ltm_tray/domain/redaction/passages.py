"""Finds private passages: `<private>...</private>`, however the tags are written or cut."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ltm_tray.domain.redaction.spans import Span

KIND = "private"

_TAG = re.compile(
    r"(?:[<＜]|&lt;|\\+u003c)\s{0,99}(?P<close>/?)\s{0,99}private(?![\w.:-])", re.IGNORECASE
)
_TAG_END = re.compile(r"[>＞]|&gt;|\\+u003e", re.IGNORECASE)
_ATTRIBUTES_MAX = 1_000
"""So many characters of a tag tell what it is."""


@dataclass(frozen=True, slots=True)
class _Tag:
    start: int
    end: int
    closes: bool
    sure: bool
    """Whether it opens a passage even if none is closed after it."""


def private_passages(text: str) -> list[Span]:
    """Return the passages of a text, with their tags.

    A passage that is never closed goes on to the end, one that is never opened begins at
    the start of the text or at the end of the one before: texts are cut. A tag between
    backticks speaks of the tag, and `<private repo url>` is a gap to fill in where
    nothing is closed after it.
    """
    tags = list(_tags(text))
    last_close = max((tag.start for tag in tags if tag.closes), default=-1)
    spans: list[Span] = []
    depth = start = after = 0
    for tag in tags:
        if tag.closes:
            depth = max(0, depth - 1)
            if depth == 0:
                spans.append(Span(start, tag.end, KIND))
                start = after = tag.end
        elif tag.sure or tag.start < last_close:
            start = tag.start if depth == 0 else start
            depth += 1
    if depth:
        spans.append(Span(max(start, after), len(text), KIND))
    return spans


def _tags(text: str) -> Iterator[_Tag]:
    ends = _TAG_END.finditer(text)
    ended = next(ends, None)
    for match in _TAG.finditer(text):
        closes, name_end = bool(match["close"]), match.end()
        while ended is not None and ended.start() < name_end:
            ended = next(ends, None)
        inside = ""
        if ended is not None:
            inside = text[name_end : min(ended.start(), name_end + _ATTRIBUTES_MAX)].strip()
        end = ended.end() if ended and not (closes and inside) else name_end
        if not _is_spoken_of(text, match.start(), end) and (closes or not inside.endswith("/")):
            yield _Tag(match.start(), end, closes, not inside or "=" in inside)


def _is_spoken_of(text: str, start: int, end: int) -> bool:
    return text.endswith("`", 0, start) and text.startswith("`", end)
