"""What changed between two versions of a text, in words or, for long texts, in lines."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_WORDS_MAX = 1_500
"""Longer texts are compared by lines: the cost grows with the square."""
_CONTEXT_CHARACTERS = 80
_GAP = " … "


@dataclass(frozen=True, slots=True)
class Change:
    """A stretch of text that is `kept`, `gone` or `new`."""

    text: str
    sort: str


def changes(old: str, new: str) -> list[Change]:
    """Return the way from one text to another; long kept stretches are cut to their ends."""
    before, after = _WORDS.findall(old), _WORDS.findall(new)
    by_words = max(len(before), len(after)) <= _WORDS_MAX
    if not by_words:
        before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    found: list[Change] = []
    matcher = SequenceMatcher(None, before, after, autojunk=not by_words)
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        gone, come = "".join(before[i1:i2]), "".join(after[j1:j2])
        if kind == "equal":
            found.append(Change(come, "kept"))
            continue
        found += [Change(text, sort) for text, sort in ((gone, "gone"), (come, "new")) if text]
    last = len(found) - 1
    return [
        Change(_shortened(change.text, first=at == 0, last=at == last), "kept")
        if change.sort == "kept"
        else change
        for at, change in enumerate(found)
    ]


def _shortened(text: str, *, first: bool, last: bool) -> str:
    if len(text) <= 2 * _CONTEXT_CHARACTERS:
        return text
    head = "" if first else text[:_CONTEXT_CHARACTERS]
    tail = "" if last else text[-_CONTEXT_CHARACTERS:]
    return f"{head}{_GAP}{tail}"
