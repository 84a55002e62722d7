"""The terms of a query, ready to be recognised among the terms of texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property

from ltm_tray.domain.analysis import OTHER_NAMES, QueryTerm, stem

_ODD = re.compile(r"[a-z][A-Z0-9]|[A-Z][A-Z0-9][a-z]|[0-9][A-Za-z]|[^\x00-\x7f]|[+#]|[-_.](?=\w)")
"""What the analyser parts, joins, folds or names anew cannot be told from its first letters."""


class Asked:
    """What a query asks for.

    Each of its terms has a key: its stem, or for a prefix the prefix and a `*`. Not for
    use from several threads at once.
    """

    def __init__(self, terms: Sequence[QueryTerm]) -> None:
        """Take the query's terms; those with one stem are one."""
        self.terms = {_key_of(term): term for term in terms}
        """Each term by its key, in the order of the query."""
        self._stems = {key for key, term in self.terms.items() if not term.prefix}
        self._prefixes = tuple(term.text for term in self.terms.values() if term.prefix)
        # Stemming changes a word behind its stem's last letter only.
        beginnings = {key[: max(2, len(key) - 1)] for key in self._stems}
        self.starts = tuple(beginnings | set(self._prefixes))
        """How a term must begin to match; one that begins otherwise need not be looked at."""
        self.keys = _Memo(self._keys_of)
        """The keys that a term of a text matches, by the term; mostly none."""
        self.marks: dict[str, Sequence[tuple[int, int, str]]] = {}
        """Where stretches of texts hold what is asked, and by which key: what is known so far."""

    def may_match(self, stretch: str) -> bool:
        """Tell at a glance whether a stretch of text may hold what is asked; most hold nothing."""
        bare = stretch.replace("'", "")
        if self._begins.search(bare.lower()):
            return True
        plain = bare.isascii() and bare.isalpha() and bare.islower()
        return not plain and _ODD.search(bare) is not None

    @cached_property
    def _begins(self) -> re.Pattern[str]:
        # Other forms of a word do not begin as it does. Made when a text is first looked
        # into: it costs more than a small search.
        forms = {form for form, base in OTHER_NAMES.items() if stem(base) in self._stems}
        words = "|".join(re.escape(word) for word in sorted({*self.starts, *forms}))
        return re.compile(rf"(?<![a-z0-9])(?:{words})")

    def _keys_of(self, term: str) -> tuple[str, ...]:
        key = stem(term)
        keys = (key,) if key in self._stems else ()
        return keys + tuple(f"{p}*" for p in self._prefixes if term.startswith(p))


class _Memo(dict[str, tuple[str, ...]]):
    """Finds the keys of a term once: the texts of one project share their words."""

    def __init__(self, find: Callable[[str], tuple[str, ...]]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, term: str) -> tuple[str, ...]:
        found = self[term] = self._find(term)
        return found


def _key_of(term: QueryTerm) -> str:
    return f"{term.text}*" if term.prefix else stem(term.text)
