"""How much room the store takes on the disk."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from ltm_tray.domain.figures import StoreSize

_INDEX_SQL = """
SELECT sum(pgsize) FROM json_each(?) tables JOIN dbstat
ON dbstat.name = tables.value AND dbstat.aggregate = 1
"""


def store_size(connection: sqlite3.Connection, file: Path) -> StoreSize:
    """Return the sizes of the database, of its write-ahead log and of the search index."""
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (page_bytes,) = connection.execute("PRAGMA page_size").fetchone()
    wal = file.with_name(f"{file.name}-wal")
    return StoreSize(
        database_bytes=pages * page_bytes,
        wal_bytes=wal.stat().st_size if wal.exists() else 0,
    )
