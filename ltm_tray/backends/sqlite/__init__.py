"""Memories in one SQLite file with full-text search: the store people have by default."""

from ltm_tray.backends.sqlite.archive import SqliteArchive
from ltm_tray.backends.sqlite.store import SqliteStore
from ltm_tray.backends.sqlite.upkeep import SqliteUpkeep

__all__ = ["SqliteArchive", "SqliteStore", "SqliteUpkeep"]
