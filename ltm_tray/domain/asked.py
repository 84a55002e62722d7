"""The terms of a query, ready to be recognised among the terms of texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from ltm_tray.domain.analysis import OTHER_NAMES, QueryTerm, stem


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

    @cached_property
    def glimpse(self) -> re.Pattern[str]:
        """Finds something in every stretch of text that may match, once its apostrophes are out.

        In most others it finds nothing. Made when a text is first looked into: it costs
        more than a small search.
        """
        return _glimpse(self.starts, self._stems)

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


def _glimpse(starts: Iterable[str], stems: set[str]) -> re.Pattern[str]:
    # Other forms of a word do not begin as it does; and what the analyser parts, joins, folds
    # or names anew cannot be told from its first letters.
    forms = {form for form, base in OTHER_NAMES.items() if stem(base) in stems}
    words = "|".join(re.escape(word) for word in sorted({*starts, *forms}))
    parted = r"(?-i:[a-z][A-Z]|[A-Z]{2}[a-z])|[0-9][a-z]|[a-z][0-9]"
    return re.compile(
        rf"(?<![a-z0-9])(?:{words})|{parted}|[^\x00-\x7f]|[+#]|[-_.](?=\w)", re.IGNORECASE
    )


def _key_of(term: QueryTerm) -> str:
    return f"{term.text}*" if term.prefix else stem(term.text)
