"""Reads JSON bodies and query strings strictly, and names the field of whatever is wrong."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, TypeVar
from urllib.parse import unquote_to_bytes

import msgspec

from ltm_tray.domain.errors import FieldProblem, InvalidInput, invalid
from ltm_tray.domain.text import is_storable
from ltm_tray.fronts.web.errors import MalformedBody

NESTING_MAX = 64
"""How deep objects and lists may stand in each other."""
_INTEGER_MIN, _INTEGER_MAX = -(2**63), 2**63 - 1
_FIELD_MAX_CHARACTERS = 200
_PROBLEMS_MAX = 20
_BODY = "body"
_INTEGER = re.compile(r"-?[0-9]{1,20}")
_MISSING = re.compile(r"Object missing required field `(?P<field>[^`]+)`")
_PATH = re.compile(r" - at `\$\.?(?P<path>[^`]*)`$")

Shape = TypeVar("Shape", bound=msgspec.Struct)


def read_body(body: bytes, shape: type[Shape]) -> Shape:
    """Decode a JSON object into `shape`; fields it does not know are ignored.

    Raises:
        MalformedBody: The bytes are no JSON.
        InvalidInput: A field is missing, of the wrong type, or holds what no store
            keeps: NaN, NUL, lone surrogates, integers beyond 64 bits, deep nesting.
    """
    try:
        document = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError) as error:
        raise _diagnosed(body, error) from None
    _refuse_unusable(document)
    try:
        return msgspec.convert(document, shape)
    except msgspec.ValidationError as error:
        raise _misshapen(str(error)) from None


class Query:
    """The parameters of a query string; names nobody asks for are ignored."""

    def __init__(self, query_string: bytes) -> None:
        self._values: dict[str, list[bytes]] = {}
        for pair in filter(None, query_string.split(b"&")):
            name, _, value = pair.partition(b"=")
            self._values.setdefault(_unquoted(name).decode(errors="replace"), []).append(value)

    def text(self, name: str) -> str:
        """Return a parameter that must be there, once, and not blank.

        Raises:
            InvalidInput: It is missing, given twice, blank or not UTF-8.
        """
        value = self.optional(name)
        if value is None:
            raise invalid(name, "required", "must be given")
        return value

    def optional(self, name: str) -> str | None:
        """Return a parameter, or None where it is not given; see `text` for what it raises."""
        values = self._values.get(name)
        if values is None:
            return None
        if len(values) > 1:
            raise invalid(name, "duplicate", "must be given once")
        try:
            value = _unquoted(values[0]).decode()
        except UnicodeDecodeError:
            raise invalid(name, "invalid_text", "must be UTF-8") from None
        if not value.strip():
            raise invalid(name, "required", "must not be empty")
        return value

    def lenient(self, name: str) -> str:
        """Return a parameter as a page takes it: the first of several, or empty; never raises."""
        values = self._values.get(name, [b""])
        return _unquoted(values[0]).decode(errors="replace").strip()

    def integer(self, name: str, default: int) -> int:
        """Return a whole number; see `text` for what it raises."""
        value = self.optional(name)
        if value is None:
            return default
        if not _INTEGER.fullmatch(value):
            raise invalid(name, "wrong_type", "must be a whole number")
        return int(value)


def _unquoted(text: bytes) -> bytes:
    return unquote_to_bytes(text.replace(b"+", b" "))


def _diagnosed(body: bytes, error: Exception) -> InvalidInput:
    """Find the field that made a body unreadable, with a parser that lets more pass."""
    if isinstance(error, RecursionError):
        return invalid(_BODY, "too_deep", f"may be nested {NESTING_MAX} deep")
    try:
        lenient = json.loads(body.decode("utf-8", "surrogateescape"))
        _refuse_unusable(lenient)
    except InvalidInput as found:
        return found
    except (ValueError, RecursionError):
        pass
    return MalformedBody(FieldProblem(_BODY, "malformed", f"is not valid JSON: {error}"))


def _refuse_unusable(document: object) -> None:
    if not isinstance(document, dict):
        raise invalid(_BODY, "wrong_type", "must be a JSON object")
    problems: list[FieldProblem] = []
    level: list[tuple[str, object]] = [("", document)]
    for _ in range(NESTING_MAX):
        for path, value in level:
            problems.extend(_unusable(path, value))
            if len(problems) >= _PROBLEMS_MAX:
                raise InvalidInput(*problems[:_PROBLEMS_MAX])
        level = [inner for path, value in level for inner in _inside(path, value)]
    if level:
        problems.append(_problem(level[0][0], "too_deep", f"may be nested {NESTING_MAX} deep"))
    if problems:
        raise InvalidInput(*problems)


def _inside(path: str, value: object) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        prefix = f"{path[:_FIELD_MAX_CHARACTERS]}." if path else ""
        yield from ((f"{prefix}{name}", inner) for name, inner in value.items())
    elif isinstance(value, list):
        yield from ((f"{path[:_FIELD_MAX_CHARACTERS]}[{at}]", v) for at, v in enumerate(value))


def _unusable(path: str, value: object) -> Iterator[FieldProblem]:
    if isinstance(value, str):
        usable = is_storable(value)
    elif isinstance(value, dict):
        usable = all(map(is_storable, value))
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield _problem(path, "out_of_range", "must be a finite number")
        return
    elif isinstance(value, int) and not _INTEGER_MIN <= value <= _INTEGER_MAX:
        yield _problem(path, "out_of_range", "must fit in 64 bits")
        return
    else:
        return
    if not usable:
        yield _problem(path, "invalid_text", "must be valid Unicode without NUL")


def _misshapen(message: str) -> InvalidInput:
    """Turn a sentence of msgspec into a problem with its field."""
    at = _PATH.search(message)
    path = at["path"] if at else ""
    missing = _MISSING.match(message)
    if missing:
        field = f"{path}.{missing['field']}" if path else missing["field"]
        return invalid(field, "required", "must be given")
    said = _PATH.sub("", message).replace("`", "")
    return invalid(path or _BODY, "wrong_type", said[:1].lower() + said[1:])


def _problem(path: str, code: str, message: str) -> FieldProblem:
    # A path is made of names that were sent, so it may itself be unfit to be sent back.
    shown = path[:_FIELD_MAX_CHARACTERS].encode("utf-8", "replace").decode()
    return FieldProblem(shown or _BODY, code, message)
