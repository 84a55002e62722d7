"""Takes secrets out of the fields of a request, JSON data too, and counts what went."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from ltm_tray.domain.left_out import MARK, replacement, without_replacements
from ltm_tray.domain.redaction.assignments import kind_of_assigned
from ltm_tray.domain.redaction.names import secret_name
from ltm_tray.domain.redaction.texts import redact

_FLAG = re.compile(r"--?[A-Za-z][\w-]*")
_HEADERS = frozenset({"authorization", "proxy-authorization", "cookie", "set-cookie"})
_PAIR_NAMES = ("name", "key")


def is_nothing(text: str) -> bool:
    """Tell whether a text says nothing but what was taken out of it."""
    return not any(character.isalnum() for character in without_replacements(text))


class Redactor:
    """Takes secrets out of the fields of one request, and counts them by kind over all."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    @property
    def counts(self) -> dict[str, int]:
        """How many of each kind were taken out so far; empty for none."""
        return dict(sorted(self._counts.items()))

    def counts_with(self, others: Mapping[str, int]) -> dict[str, int]:
        """Return the counts together with those of another."""
        return dict(sorted((self._counts + Counter(others)).items()))

    def text(self, text: str) -> str:
        """Return a text without its secrets."""
        redacted = redact(text)
        self._counts.update(redacted.counts)
        return redacted.text

    def words(self, text: str) -> str:
        """Return a text without its secrets; empty where it says nothing else."""
        redacted = self.text(text)
        return "" if redacted != text and is_nothing(redacted) else redacted

    def labels(self, labels: Iterable[str]) -> tuple[str, ...]:
        """Return labels without their secrets; those that say nothing else are left out."""
        return tuple(kept for label in labels if (kept := self.words(label)))

    def json(self, value: Any, name: str = "") -> Any:
        """Return JSON data of the same form, without the secrets in its texts and names.

        A value counts as assigned to its name, `name` for the whole: under `password` a
        number goes too. Names that become equal are told apart by a number.
        """
        if MARK in name:  # `[redacted: github-token]` is no name of a token
            name = ""
        if isinstance(value, str):
            return self._named(name, value)
        if isinstance(value, dict):
            return self._object(value)
        if isinstance(value, list | tuple):
            return self._list(value, name)
        if isinstance(value, int) and not isinstance(value, bool):
            return self._number(name, value)
        return value

    def _object(self, value: Mapping[Any, Any]) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for name, inner in value.items():
            named = _name_of_pair(value) if name == "value" else name
            free = _free(self.text(name), found) if isinstance(name, str) else name
            found[free] = self.json(inner, str(named))
        return found

    def _list(self, values: list[Any] | tuple[Any, ...], name: str) -> list[Any]:
        found: list[Any] = []
        flag = name
        for value in values:
            kept = self.json(value, flag)
            found.append(kept)
            is_flag = kept == value and isinstance(value, str) and _FLAG.fullmatch(value)
            flag = value if is_flag and secret_name(value) else name
        return found

    def _named(self, name: str, value: str) -> str:
        kind = kind_of_assigned(name, value)
        if kind is not None:
            self._counts[kind] += 1
            return replacement(kind)
        if name.lower() in _HEADERS:
            head = f"{name}: "
            return self.text(head + value).removeprefix(head)
        return self.text(value)

    def _number(self, name: str, value: int) -> int | str:
        told = secret_name(name)
        if told is None or not told.is_password or len(str(value)) < told.least_characters:
            return value
        self._counts[told.kind] += 1
        return replacement(told.kind)


def _name_of_pair(value: Mapping[Any, Any]) -> Any:
    """Return the name in `{"name": "API_TOKEN", "value": "..."}`, else `value` itself."""
    return next((value[name] for name in _PAIR_NAMES if name in value), "value")


def _free(name: str, taken: Mapping[str, Any]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} ({number})"
    return free
