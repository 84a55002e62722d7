"""Rules for people's text: what may be stored, where it may be cut, when two texts are the same."""

from __future__ import annotations

import hashlib
import unicodedata

import regex

TITLE_CHARACTERS = 80
"""Length of a title made from a text, in characters (code points)."""


def first_characters(text: str, count: int) -> str:
    """Return at most `count` leading characters, never half of a grapheme.

    A grapheme is what a reader sees as one character (Unicode UAX 29): a letter
    with its marks, a flag, a family emoji. A single grapheme longer than `count`
    gives the empty string.
    """
    if len(text) <= count:
        return text
    if text[: count + 1].isascii():
        return text[:count]
    end = 0
    for match in regex.finditer(r"\X", text[: count + 64]):
        if match.end() > count:
            break
        end = match.end()
    return text[:end]


def title_of(text: str) -> str:
    """Return a one-line title: the first 80 characters of the text, white space folded."""
    folded = fold_whitespace(text[: TITLE_CHARACTERS * 8])
    return first_characters(folded, TITLE_CHARACTERS).rstrip() or folded[:TITLE_CHARACTERS]


def fold_whitespace(text: str) -> str:
    """Return the text with each run of white space as one space, and none at the ends."""
    return " ".join(text.split())


def same_text_key(text: str) -> str:
    """Return a key that is equal for texts equal after NFC and white-space folding."""
    folded = fold_whitespace(unicodedata.normalize("NFC", text))
    return hashlib.sha256(folded.encode()).hexdigest()[:32]


def is_storable(text: str) -> bool:
    """Tell whether a store can keep the text: valid Unicode without NUL."""
    if "\0" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
