"""How much room the store takes on the disk."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from ltm_tray.domain.figures import StoreSize


def store_size(connection: sqlite3.Connection, file: Path, text_bytes: int) -> StoreSize:
    """Return the sizes of the database, of its texts, and of its write-ahead log.

    The index is what remains: SQLite could count its pages, but only by reading them
    all, and only where it was built with `dbstat`.
    """
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
