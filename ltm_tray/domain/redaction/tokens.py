"""Finds the keys and tokens of vendors, and JSON Web Tokens, by the shape that tells them apart."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ltm_tray.domain.redaction.shapes import SHAPES, Shape
from ltm_tray.domain.redaction.spans import Span
from ltm_tray.domain.redaction.values import is_placeholder

_ESCAPES = frozenset({"\\n", "\\r", "\\t"})
_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}\Z")
_KEY_OF_PAIR = "aws-access-key"
_PAIR_DISTANCE_CHARACTERS = 80
_SECRET_OF_PAIR = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])")


def vendor_tokens(text: str) -> Iterator[Span]:
    """Yield the tokens of a text, but for those of examples."""
    for shape in SHAPES:
        if any(hint in text for hint in shape.hints):
            yield from _tokens(text, shape)


def _tokens(text: str, shape: Shape) -> Iterator[Span]:
    for match in shape.pattern.finditer(text):
        group = match.lastindex or 0
        if is_placeholder(match[group]) or not _begins(text, match.start()):
            continue
        yield Span(*match.span(group), shape.kind)
        if shape.kind == _KEY_OF_PAIR:
            yield from _other_of_pair(text, match.end())


def _begins(text: str, at: int) -> bool:
    """Tell whether a word begins here; after a written-out line end or percent escape, too."""
    before = text[max(0, at - 3) : at]
    if not text[at].isalnum() or not before or not (before[-1].isascii() and before[-1].isalnum()):
        return True
    return before[-2:] in _ESCAPES or _PERCENT.search(before) is not None


def _other_of_pair(text: str, at: int) -> Iterator[Span]:
    """Yield the secret that is written beside the id of a key, which ends there."""
    found = _SECRET_OF_PAIR.search(text, at, at + _PAIR_DISTANCE_CHARACTERS)
    if found and not is_placeholder(found[0]) and not found[0].islower():
        yield Span(*found.span(), "aws-secret-key")
