"""How much room the store takes on the disk."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from ltm_tray.domain.figures import StoreSize

_TEXT_SQL = """
SELECT (SELECT coalesce(sum(text_bytes), 0) FROM memories)
     + (SELECT coalesce(sum(text_bytes), 0) FROM observations)
"""


def store_size(connection: sqlite3.Connection, file: Path) -> StoreSize:
    """Return the sizes of the database, of what is in it, and of its write-ahead log.

    The index is what remains: SQLite could count its pages, but only by reading them
    all, and only where it was built with `dbstat`.
    """
    text_bytes = _number(connection, _TEXT_SQL)
    page_bytes = _number(connection, "PRAGMA page_size")
    pages = _number(connection, "PRAGMA page_count")
    free = _number(connection, "PRAGMA freelist_count")
    wal = file.with_name(f"{file.name}-wal")
    return StoreSize(
        database_bytes=pages * page_bytes,
        text_bytes=text_bytes,
        index_bytes=(pages - free) * page_bytes - text_bytes,
        wal_bytes=wal.stat().st_size if wal.exists() else 0,
    )


def _number(connection: sqlite3.Connection, sql: str) -> int:
    return int(connection.execute(sql).fetchone()[0])
