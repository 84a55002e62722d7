"""What the recall log tells: pages of it, single entries, where an item was found."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from ltm_tray.backends.sqlite import rows
from ltm_tray.backends.sqlite.filtering import recall_condition_of
from ltm_tray.domain.catalog import (
    RecallDetail,
    RecalledItem,
    RecallLogEntry,
    RecallLogFilter,
    RecallPage,
)
from ltm_tray.domain.errors import NotFound
from ltm_tray.domain.memory import HitKind

_ENTRIES_SQL = """
SELECT id, project_id, query, source, session_id, hit_ids_json, duration_ms, asked_at FROM recalls
"""
_OF_ITEM_SQL = """
WHERE id IN (SELECT recall_id FROM recall_hits WHERE hit_id = ?) ORDER BY id DESC LIMIT ?
"""
_ITEMS_SQL = """
SELECT id, 'memory', project_id, title, type, is_latest = 0
FROM memories WHERE id IN (SELECT value FROM json_each(?1))
UNION ALL SELECT id, 'observation', project_id, title, kind, 0
FROM observations WHERE id IN (SELECT value FROM json_each(?1))
"""


def recalls(
    connection: sqlite3.Connection, wanted: RecallLogFilter, limit: int, before_id: int | None
) -> RecallPage:
    """See `MemoryCatalog.recalls`."""
    condition = recall_condition_of(wanted, before_id)
    found = condition.ask(
        connection, _ENTRIES_SQL + "WHERE {where} ORDER BY id DESC LIMIT ?", limit + 1
    ).fetchall()
    page = tuple(rows.recall_of(row) for row in found[:limit])
    return RecallPage(entries=page, next_before_id=page[-1].id if len(found) > limit else None)


def recall_entry(connection: sqlite3.Connection, entry_id: int) -> RecallDetail:
    """See `MemoryCatalog.recall_entry`."""
    # As text, which SQLite turns back: a number of more than 64 bits cannot be bound.
    row = connection.execute(f"{_ENTRIES_SQL} WHERE id = ?", (str(entry_id),)).fetchone()
    if row is None:
        raise NotFound("The recall log has no such entry; it keeps the newest ones only.")
    entry = rows.recall_of(row)
    known = recalled(connection, entry.hit_ids)
    hits = tuple(known.get(id_) or RecalledItem.gone(id_) for id_ in entry.hit_ids)
    return RecallDetail(entry=entry, hits=hits)


def recalls_of(connection: sqlite3.Connection, item_id: str, limit: int) -> list[RecallLogEntry]:
    """See `MemoryCatalog.recalls_of`."""
    found = connection.execute(_ENTRIES_SQL + _OF_ITEM_SQL, (item_id, limit))
    return [rows.recall_of(row) for row in found]


def recalled(connection: sqlite3.Connection, ids: Iterable[str]) -> dict[str, RecalledItem]:
    """Return what the named items are now, by id; forgotten ones are left out."""
    found = connection.execute(_ITEMS_SQL, (rows.as_json(list(ids)),))
    return {
        row[0]: RecalledItem(
            id=row[0],
            kind=HitKind(row[1]),
            project_id=row[2],
            title=row[3],
            type=row[4],
            superseded=bool(row[5]),
        )
        for row in found
    }
