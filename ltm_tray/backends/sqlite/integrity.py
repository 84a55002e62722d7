"""Looks whether a database is whole: its pages, its references, its index against the tables.

Nothing here changes anything; `rebuild` and `mending` do, by what was found.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from ltm_tray.backends.sqlite import index, rows
from ltm_tray.backends.sqlite.migrations import DERIVED

Progress = Callable[[int, int], None]
"""Is told how many items are done, and how many there are."""

_TELL_EVERY = 500
_TOLD_MAX = 20
_TABLES = ("projects", "memories", "observations", "recalls", "recall_hits", "store_facts")
_SHADOWS = ("data", "idx", "content", "docsize", "config")
_FULL_TEXT = ("memories_fts", "observations_fts")


class Part(StrEnum):
    """Which part of a database something was found in."""

    FILE = "file"
    """Its pages: some data cannot be read, or is not what was written."""
    REFERENCES = "references"
    """Rows that name others which are not there."""
    INDEX = "index"
    """The search index; it can be made anew from the tables."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it should be, without any text that people saved."""

    part: Part
    sentence: str


# With one row for another, or one too few, the sum differs too; more would cost a start more.
_SUMS = "SELECT count(*), coalesce(sum({0}), 0) FROM "
_TABLED = _SUMS.format("number")
_INDEXED = _SUMS.format("id")
_PAIRS_SQL = (
    ("memories", _TABLED + "memories WHERE is_latest = 1", _INDEXED + "memories_fts_docsize"),
    ("observations", _TABLED + "observations", _INDEXED + "observations_fts_docsize"),
)
_HOLDERS_SQL = """
SELECT count(*) FROM (
    SELECT project, term, count(*) AS holders FROM memory_terms GROUP BY project, term
    EXCEPT SELECT project, term, holders FROM term_holders
) UNION ALL SELECT count(*) FROM (
    SELECT project, term, holders FROM term_holders
    EXCEPT SELECT project, term, count(*) FROM memory_terms GROUP BY project, term
)
"""
_LATEST_SQL = """
SELECT p.number, m.number, m.title, m.content, m.concepts_json, m.files_json,
       f.title, f.content, f.labels
FROM memories m JOIN projects p ON p.project_id = m.project_id
LEFT JOIN memories_fts f ON f.rowid = m.number
WHERE m.is_latest = 1 ORDER BY m.number
"""
_OBSERVED_SQL = """
SELECT p.number, o.number, o.title, o.narrative, f.title, f.narrative
FROM observations o JOIN projects p ON p.project_id = o.project_id
LEFT JOIN observations_fts f ON f.rowid = o.number ORDER BY o.number
"""
_COUNT_SQL = """
SELECT (SELECT count(*) FROM memories WHERE is_latest = 1) + (SELECT count(*) FROM observations)
"""
_INSIDE_SQL = "INSERT INTO {0} ({0}) VALUES ('integrity-check')"
_ORPHANS_SQL = """
SELECT count(*) FROM memories
WHERE parent_id IS NOT NULL AND parent_id NOT IN (SELECT id FROM memories)
"""


def quick_check(connection: sqlite3.Connection) -> list[Finding]:
    """Compare which rows the index has with which it should; 25 ms for 100,000 memories.

    The connection may be one that cannot write. Empty where all is well.
    """
    missing = _missing_tables(connection)
    if missing:
        return missing
    connection.execute("SAVEPOINT quick_check")  # both sides of one state
    try:
        return list(_differing_rows(connection))
    finally:
        connection.execute("RELEASE quick_check")


def page_check(connection: sqlite3.Connection) -> list[Finding]:
    """Look at every page of the file; about a second for 100,000 memories."""
    found = connection.execute(f"PRAGMA quick_check({_TOLD_MAX})").fetchall()
    return [Finding(Part.FILE, _plain(row[0])) for row in found if row[0] != "ok"]


def damage_check(connection: sqlite3.Connection) -> list[Finding]:
    """Look at every page and every row's place in its indexes and among the others."""
    return [*_pages_and_indexes(connection), *_broken_references(connection)]


def index_check(connection: sqlite3.Connection) -> list[Finding]:
    """Look at the inside of the index; the connection must be one that may write."""
    found = quick_check(connection)
    return found or [*_damaged_index(connection), *_differing_holders(connection)]


def full_check(connection: sqlite3.Connection, progress: Progress) -> list[Finding]:
    """Look at everything: pages, indexes, references, and each text against the search index.

    Takes minutes for 100,000 memories. Run it on a connection that may write, within a
    transaction, so that nothing changes meanwhile. Empty where all is well.
    """
    found = damage_check(connection)
    if found:
        return found  # what else would be found follows from it
    found = [*_orphans(connection), *index_check(connection)]
    if not any(finding.part is Part.INDEX for finding in found):
        found += _differing_texts(connection, progress)
    return found


def _missing_tables(connection: sqlite3.Connection) -> list[Finding]:
    sql = "SELECT name FROM sqlite_schema WHERE type = 'table'"
    there = {row[0] for row in connection.execute(sql)}
    shadows = [f"{table}_{shadow}" for table in _FULL_TEXT for shadow in _SHADOWS]
    needed = {Part.FILE: _TABLES, Part.INDEX: (*DERIVED, *shadows)}
    return [
        Finding(part, f"The table {name} is missing.")
        for part, names in needed.items()
        for name in names
        if name not in there
    ]


def _differing_rows(connection: sqlite3.Connection) -> Iterator[Finding]:
    for what, should_sql, is_sql in _PAIRS_SQL:
        should = connection.execute(should_sql).fetchone()
        found = connection.execute(is_sql).fetchone()
        if should != found:
            sentence = f"There are {should[0]:,} {what}, and {found[0]:,} in the search index"
            same = ", but not the same" if should[0] == found[0] else ""
            yield Finding(Part.INDEX, f"{sentence}{same}.")


def _damaged_index(connection: sqlite3.Connection) -> Iterator[Finding]:
    for table in _FULL_TEXT:
        try:
            connection.execute(_INSIDE_SQL.format(table))
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CORRUPT:
                raise
            yield Finding(Part.INDEX, f"The full-text index {table} is damaged.")


def _differing_holders(connection: sqlite3.Connection) -> Iterator[Finding]:
    differing = sum(row[0] for row in connection.execute(_HOLDERS_SQL))
    if differing:
        yield Finding(Part.INDEX, f"{differing:,} terms have another count than they should.")


def _pages_and_indexes(connection: sqlite3.Connection) -> list[Finding]:
    found = connection.execute(f"PRAGMA integrity_check({_TOLD_MAX})").fetchall()
    return [Finding(Part.FILE, _plain(row[0])) for row in found if row[0] != "ok"]


def _broken_references(connection: sqlite3.Connection) -> Iterator[Finding]:
    tables = [row[0] for row in connection.execute("PRAGMA foreign_key_check")]
    for table in sorted(set(tables)):
        sentence = f"{tables.count(table):,} rows of {table} name a row that is not there."
        yield Finding(Part.REFERENCES, sentence)


def _orphans(connection: sqlite3.Connection) -> Iterator[Finding]:
    (orphans,) = connection.execute(_ORPHANS_SQL).fetchone()
    if orphans:
        sentence = f"{orphans:,} memories name an earlier version that is not there."
        yield Finding(Part.REFERENCES, sentence)


def _differing_texts(connection: sqlite3.Connection, progress: Progress) -> list[Finding]:
    (total,) = connection.execute(_COUNT_SQL).fetchone()
    wrong = 0
    for done, same in enumerate(_compared(connection), start=1):
        wrong += not same
        if done % _TELL_EVERY == 0 or done == total:
            progress(done, total)
    sentence = f"{wrong:,} items are indexed under other words than theirs."
    return [Finding(Part.INDEX, sentence)] if wrong else []


def _compared(connection: sqlite3.Connection) -> Iterator[bool]:
    for project, _, title, content, concepts, files, *held in connection.execute(_LATEST_SQL):
        texts = (title, content, rows.labels(concepts, files))
        yield held == [index.scoped(project, text) for text in texts]
    for project, _, title, narrative, *held in connection.execute(_OBSERVED_SQL):
        yield held == [index.scoped(project, text) for text in (title, narrative)]


def _plain(told: str) -> str:
    """Return a line of SQLite's on one line; it names pages and rows, never their content."""
    return " ".join(told.split())
