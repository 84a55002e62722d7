"""Whether a database is whole, as a finding that people can act on."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from math import inf

from ltm_tray.backends.sqlite.connection import Database
from ltm_tray.backends.sqlite.rebuild import rebuild
from ltm_tray.domain.checkup import Finding, Status, fine
from ltm_tray.domain.upkeep import Backup

_CHECK = "integrity"
_INSIDE = "INSERT INTO {0} ({0}) VALUES ('integrity-check')"
_FULL_TEXT = ("memories_fts", "observations_fts")


def examine(database: Database, *, full: bool) -> Finding:
    """Look at the pages, and whether the search index holds what the tables hold.

    Raises:
        BackendUnavailable: The file cannot be opened or read.
    """
    with database.read(within_s=inf) as connection:
        pages = _damaged_pages(connection, full=full)
    if pages:
        return unreadable(pages, ())
    with database.write() as connection:
        differing = _differing_index(connection)
    if not differing:
        return fine(_CHECK, "The file and its search index are whole.")

    def make_anew() -> str:
        with database.write() as connection:
            rebuild(connection, lambda _, __: None)
        return "Made the search index anew."

    return Finding(
        check=_CHECK,
        status=Status.PROBLEM,
        found=f"The search index does not fit the memories ({differing}).",
        meaning="Some memories may not be found, or forgotten ones may be.",
        advice="Run: ltm-tray doctor --fix",
        mend=make_anew,
    )


def unreadable(reason: str, backups: Sequence[Backup]) -> Finding:
    """Return the finding for a file that is damaged or cannot be read."""
    way_back = f"ltm-tray restore {backups[0].name}" if backups else "ltm-tray restore"
    return Finding(
        check=_CHECK,
        status=Status.PROBLEM,
        found=reason,
        meaning="Some of what was saved may not be readable.",
        advice=f"Go back to a backup: {way_back}",
    )


def _damaged_pages(connection: sqlite3.Connection, *, full: bool) -> str:
    sql = "PRAGMA integrity_check(5)" if full else "PRAGMA quick_check(5)"
    told = [row[0] for row in connection.execute(sql)]
    return "" if told == ["ok"] else "The file is damaged: " + "; ".join(told)


def _differing_index(connection: sqlite3.Connection) -> str:
    for table in _FULL_TEXT:
        try:
            connection.execute(_INSIDE.format(table))
        except sqlite3.DatabaseError:
            return f"{table} is damaged"
    for base, where, table in (
        ("memories", "WHERE is_latest = 1", "memories_fts_docsize"),
        ("observations", "", "observations_fts_docsize"),
    ):
        should = connection.execute(
            f"SELECT count(*), coalesce(sum(number), 0) FROM {base} {where}"  # noqa: S608 - ours
        ).fetchone()
        held = connection.execute(
            f"SELECT count(*), coalesce(sum(id), 0) FROM {table}"  # noqa: S608 - ours
        ).fetchone()
        if should != held:
            return f"{should[0]} {base}, {held[0]} indexed"
    return ""
