"""The console's exports: what a filter shows, whole, as a JSON or CSV file that streams."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import msgspec
from flask import Response, request

from ltm_tray.domain.memory import HitKind, Memory, Observation
from ltm_tray.domain.times import to_iso
from ltm_tray.fronts.web import answers
from ltm_tray.fronts.web.listing import Filter
from ltm_tray.fronts.web.reading import Query
from ltm_tray.service import MemoryService

COLUMNS = (
    "kind", "id", "project", "type", "created_at", "title", "text",
    "concepts", "files", "session_id",
)  # fmt: skip
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
_FORMATS: dict[str, tuple[str, Callable[[Iterator[Memory | Observation]], Iterator[str]]]]


def export(service: MemoryService, name: str) -> Response:
    """Return the file `export.json` or `export.csv` of the URL's filter.

    Raises:
        InvalidInput: The filter cannot be understood.
    """
    asked = Filter.of(Query(request.query_string))
    items = service.items(asked.items(), asked.text)
    # The first item is read here, so that a store that cannot answer is an error, not a file.
    first = next(items, None)
    found = chain([] if first is None else [first], items)
    media_type, lines = _FORMATS[name]
    response = Response(lines(found), mimetype=media_type)
    response.headers["Content-Disposition"] = f'attachment; filename="ltm-{name}"'
    return response


def guarded(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA_STARTS) else cell


def _as_json(items: Iterator[Memory | Observation]) -> Iterator[str]:
    yield "["
    between = "\n"
    for item in items:
        kind = "memory" if isinstance(item, Memory) else "observation"
        shape: Any = answers.MemoryAnswer if kind == "memory" else answers.ObservationAnswer
        fields = msgspec.to_builtins(answers.shaped(item, shape), enc_hook=str)
        yield between + msgspec.json.encode({"kind": kind, **_renamed(fields)}).decode()
        between = ",\n"
    yield "\n]\n"


def _renamed(fields: dict[str, Any]) -> dict[str, Any]:
    # An observation's own `kind` is its type, as everywhere in the console.
    if "narrative" in fields:
        fields["type"] = fields.pop("kind")
    return fields


def _as_csv(items: Iterator[Memory | Observation]) -> Iterator[str]:
    line = _Line()
    writer = csv.writer(line)
    writer.writerow(COLUMNS)
    yield "\ufeff" + line.taken()
    for item in items:
        writer.writerow([guarded(cell) for cell in _cells(item)])
        yield line.taken()


def _cells(item: Memory | Observation) -> list[str]:
    if isinstance(item, Memory):
        kind, type_, text = HitKind.MEMORY, str(item.type), item.content
        labels = [", ".join(item.concepts), ", ".join(item.files)]
    else:
        kind, type_, text = HitKind.OBSERVATION, str(item.kind), item.narrative
        labels = ["", ""]
    when = to_iso(item.created_at)
    return [kind, item.id, item.cwd, type_, when, item.title, text, *labels, item.session_id or ""]


class _Line:
    """A file that holds one line until it is taken."""

    def __init__(self) -> None:
        self._text = ""

    def write(self, text: str) -> None:
        self._text += text

    def taken(self) -> str:
        text, self._text = self._text, ""
        return text


_FORMATS = {
    "export.json": ("application/json", _as_json),
    "export.csv": ("text/csv", _as_csv),
}
