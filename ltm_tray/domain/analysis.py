"""The one analyser: how any text, and any query, becomes search terms.

Every writer, every query, the supersede rule and the highlights use this module, so
what one of them stores another finds. The steps, in order:

1. NFKC, case folding, diacritics off Latin, Greek and Cyrillic letters, format
   characters (zero-width, bidirectional marks) and apostrophes out.
2. Words joined by `-`, `_`, `.` or `+` and words in camelCase give their parts and, in
   one piece, the whole: `getShippingMethod`, `get_shipping_method` and
   `get-shipping-method` share all their terms.
3. Scripts written without spaces (Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese)
   give each run as overlapping pairs of characters and its last character, so that any
   substring of the run can be found.
4. Irregular English forms become their base form: `went` is `go`.
5. Names of technologies that are mostly punctuation get a word: `C++`, `C#`, `.NET`.
   Emoji are terms.

Terms are not stemmed here: SQLite's `porter` tokenizer does that for its index, and
`stem` is the same rule for whoever compares terms outside of it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import regex
from snowballstemmer.porter_stemmer import PorterStemmer

from ltm_tray.domain.irregular import BASE_FORMS
from ltm_tray.domain.stopwords import STOP_WORDS

ANALYSER_VERSION = 1
"""Raised with every change that alters terms: an index made by another version is rebuilt."""

QUERY_TERMS_MAX = 32
"""A query keeps its first terms up to this many; the rest adds cost, not precision."""
QUERY_CHARACTERS_MAX = 10_000
"""How much of a query is read at all."""
_BEGINNING_MIN = 3
TERM_CHARACTERS_MAX = 64
"""Longer terms are cut; terms that agree that far are taken as equal."""

_UNSPACED = (
    r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
    r"\u3005-\u3007\u30FC\u3031-\u3035"
)
_LETTER = rf"[[\p{{L}}\p{{N}}\p{{M}}]--[{_UNSPACED}]]"
_TERMS = regex.compile(
    rf"(?V1)(?P<run>[{_UNSPACED}][{_UNSPACED}\p{{M}}]*)"
    r"|(?P<plus>(?<![\p{L}\p{N}])[A-Za-z]\+\+)"
    r"|(?P<sharp>(?<![\p{L}\p{N}])[A-Za-z]\#(?![\p{L}\p{N}]))"
    r"|(?P<net>(?<![\p{L}\p{N}.])\.(?i:net)\b)"
    rf"|(?P<word>{_LETTER}+(?:[-_.+'\u2019\u02BC]{_LETTER}+)*)"
    r"|(?P<emoji>[\U0001F1E6-\U0001F1FF]{2}|\p{So})"
)
# The same for pure ASCII, where the standard library's engine is several times faster.
_ASCII_TERMS = re.compile(
    r"(?P<plus>(?<![A-Za-z0-9])[A-Za-z]\+\+)"
    r"|(?P<sharp>(?<![A-Za-z0-9])[A-Za-z]\#(?![A-Za-z0-9]))"
    r"|(?P<net>(?<![A-Za-z0-9.])\.(?i:net)\b)"
    r"|(?P<word>[A-Za-z0-9]+(?:[-_.+'][A-Za-z0-9]+)*)"
)
_CHUNK = re.compile(r"[^\s…]+")
_JOINERS = regex.compile(r"[-_.+]")
_CAMEL = regex.compile(r"\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lu}+|\p{N}+")
_POSSESSIVE = regex.compile(r"(?<=\w)['\u2019\u02BC]s\b", regex.IGNORECASE)
_DROPPED = regex.compile(r"[\p{Cf}\uFE0E\uFE0F'\u2019\u02BC]")
_FOLDABLE_MARKS = regex.compile(r"[\u0300-\u036F]+")
OTHER_NAMES = {**BASE_FORMS, "cpp": "cplusplus"}
"""Words that become another term than their own letters."""


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A term to look for; with `prefix`, any indexed term that starts with it matches."""

    text: str
    prefix: bool = False


class Span(NamedTuple):
    """A stretch of a text, `start` to `end` in characters, and the terms it gives."""

    start: int
    end: int
    terms: tuple[str, ...]


def index_terms(text: str) -> list[str]:
    """Return the terms of a text in reading order, repeats included; empty for none."""
    return [term for word in text.split() for term in _terms_of(word)]


def term_set(text: str) -> frozenset[str]:
    """Return the distinct terms of a text: what similarity is measured on."""
    return frozenset(index_terms(text))


def query_terms(query: str) -> list[QueryTerm]:
    """Return the terms to search for, distinct, at most 32, in the order of the query.

    English stop words are left out unless the query holds nothing else. One lone
    character of an unspaced script becomes a prefix. Work is bounded: only the first
    10,000 characters are read.
    """
    found: dict[QueryTerm, None] = {}
    for kind, piece in _pieces(_normalise(query[:QUERY_CHARACTERS_MAX])):
        if kind == "run":
            pairs = _pairs(piece)
            terms = [QueryTerm(p) for p in pairs[:-1]] or [QueryTerm(piece, prefix=True)]
        else:
            terms = [QueryTerm(term) for term in _EXPAND[kind](piece)]
        found.update(dict.fromkeys(terms))
    telling = [term for term in found if term.text not in STOP_WORDS]
    return (telling or list(found))[:QUERY_TERMS_MAX]


def begun_terms(terms: Sequence[QueryTerm]) -> list[QueryTerm]:
    """Return the terms as beginnings of words, for when nothing holds them whole.

    Those of fewer than three characters are left out: too much begins with them.
    """
    return [QueryTerm(t.text, prefix=True) for t in terms if len(t.text) >= _BEGINNING_MIN]


def spans(text: str) -> Iterator[Span]:
    """Yield the words and runs of the original text with the terms each one gives.

    For finding matches in what a person reads: positions are those of `text` itself.
    A run of an unspaced script yields one span for each pair of characters.
    """
    for chunk in chunks(text):
        start = chunk.start()
        for span in chunk_spans(chunk[0]):
            yield Span(start + span.start, start + span.end, span.terms)


def chunks(text: str) -> Iterator[re.Match[str]]:
    """Yield the stretches between white space and ellipses; no term reaches across those."""
    return _CHUNK.finditer(text)


def chunk_spans(chunk: str) -> Iterator[Span]:
    """Yield the spans of a stretch without white space; positions are those in it."""
    pattern = _ASCII_TERMS if chunk.isascii() else _TERMS
    for match in pattern.finditer(chunk):
        start, end = match.span()
        if match.lastgroup == "run":
            yield from _pair_spans(match[0], start)
        else:
            yield Span(start, end, _terms_of(match[0]))


def _pair_spans(run: str, start: int) -> Iterator[Span]:
    plain = _normalise(run) == run
    for at in range(len(run)):
        pair = run[at : at + 2]
        terms = (pair,) if plain else _terms_of(pair)[:1]
        yield Span(start + at, start + at + len(pair), terms)


@lru_cache(maxsize=65_536)
def stem(term: str) -> str:
    """Return the term's stem by Porter's rules (1980), as SQLite's `porter` tokenizer does."""
    if len(term) < 3 or not term.isascii() or not term.isalpha():
        return term
    return str(PorterStemmer().stemWord(term))


def _terms_of(word: str) -> tuple[str, ...]:
    # No term reaches across white space, and most words come again.
    return _terms_of_short(word) if len(word) <= TERM_CHARACTERS_MAX else _analysed(word)


@lru_cache(maxsize=65_536)
def _terms_of_short(word: str) -> tuple[str, ...]:
    return _analysed(word)


def _analysed(word: str) -> tuple[str, ...]:
    return tuple(term for kind, piece in _pieces(_normalise(word)) for term in _EXPAND[kind](piece))


def _normalise(text: str) -> str:
    if text.isascii() and "'" not in text:
        return text
    text = unicodedata.normalize("NFKC", _POSSESSIVE.sub("", text))
    text = _DROPPED.sub("", text)
    if text.isascii():
        return text
    bare = _FOLDABLE_MARKS.sub("", unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFC", bare)


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    pattern = _ASCII_TERMS if text.isascii() else _TERMS
    for match in pattern.finditer(text):
        yield match.lastgroup or "", match[0]


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run))]


def _identifier(word: str) -> list[str]:
    if word.isalnum() and (word.islower() or word.isdigit() or word[1:].islower()):
        return [_finish(word)]
    parts = [part for chunk in _JOINERS.split(word) for part in _camel_parts(chunk)]
    terms = [_finish(part) for part in parts]
    if len(parts) > 1:
        terms.insert(0, _finish("".join(parts)))
    return terms


def _camel_parts(chunk: str) -> list[str]:
    if chunk.islower() or chunk.isupper() or chunk.isdigit():
        return [chunk]
    parts = _CAMEL.findall(chunk)
    return parts if len(parts) > 1 and len("".join(parts)) == len(chunk) else [chunk]


def _finish(part: str) -> str:
    folded = part.casefold()[:TERM_CHARACTERS_MAX]
    return OTHER_NAMES.get(folded, folded)


_EXPAND: dict[str, Callable[[str], list[str]]] = {
    "run": _pairs,
    "word": _identifier,
    "plus": lambda piece: [f"{piece[0].lower()}plusplus"],
    "sharp": lambda piece: [f"{piece[0].lower()}sharp"],
    "net": lambda _: ["dotnet"],
    "emoji": lambda piece: [piece],
}
"""How each kind of piece becomes terms; the keys are the group names of the patterns."""
