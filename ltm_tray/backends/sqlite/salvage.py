"""Copies what a damaged database still holds into a new one, row by row, and fills gaps.

A row that cannot be read, or does not hold what was written, is taken from a backup. One
that the backup has and the damaged file would have, had it not been forgotten since, stays
forgotten: the damaged file's own index of ids tells, or where that is unreadable too, the
place of the row.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ltm_tray.backends.sqlite.migrations import DERIVED
from ltm_tray.domain.text import is_storable, same_text_key
from ltm_tray.domain.times import from_iso

_ITEMS = ("memories", "observations")
_NAMED = (*_ITEMS, "projects")
"""Tables whose rows have a name of their own beside their number."""
_PROBED_BLINDLY = 10_000
"""How many numbers are tried behind the last readable row where nothing tells the end."""
_ENDLESS = (1 << 63) - 1

_UNNAMED_PROJECTS_SQL = """
INSERT INTO projects (project_id, cwd, first_seen_at, last_seen_at)
SELECT project_id, project_id, min(created_at), max(created_at) FROM {0}
WHERE project_id NOT IN (SELECT project_id FROM projects) GROUP BY project_id
"""

Row = tuple[Any, ...]


@dataclass(slots=True)
class Counts:
    """What became of the rows of one table.

    `lost` is None where nothing tells how many rows there had been.
    """

    read: int = 0
    restored: int = 0
    lost: int | None = 0


@dataclass(frozen=True, slots=True)
class _Table:
    """A table and those of its columns that are copied; their names are the program's own."""

    name: str
    key: str | None
    """The column that is its row number; None for a table without one."""
    columns: tuple[str, ...]

    @property
    def select_sql(self) -> str:
        return f"SELECT {', '.join(self.columns)} FROM {self.name}"  # noqa: S608 — names of ours

    @property
    def insert_sql(self) -> str:
        marks = ", ".join("?" * len(self.columns))
        columns = ", ".join(self.columns)
        return f"INSERT OR IGNORE INTO {self.name} ({columns}) VALUES ({marks})"  # noqa: S608

    def without_key(self) -> _Table:
        columns = tuple(column for column in self.columns if column != self.key)
        return _Table(self.name, None, columns)

    def with_columns(self, *columns: str) -> _Table:
        return _Table(self.name, self.key, columns)


@dataclass(slots=True)
class _Reading:
    """How far a damaged table could be read: the numbers that could not, and the ids it had."""

    gaps: list[tuple[int, int]] = field(default_factory=list)
    ids: dict[str, int] | None = None

    def may_have_held(self, id_: str, number: int) -> bool:
        """Tell whether an unreadable row may have been this one."""
        if self.ids is not None:
            return id_ in self.ids
        return any(first <= number <= last for first, last in self.gaps)


def salvage(
    source: sqlite3.Connection | None, backup: sqlite3.Connection | None, target: sqlite3.Connection
) -> dict[str, Counts]:
    """Fill an empty database of the current schema, but for its index, within a transaction.

    `source` is None where nothing of the damaged file can be read. Returns what became
    of memories and of observations, by table.

    Raises:
        sqlite3.Error: The target cannot be written, or the backup not read.
    """
    counts: dict[str, Counts] = {}
    for table in _tables(target):
        counts[table.name], reading = _copy(source, target, table)
        if backup is not None and (table.name in _NAMED or source is None):
            counts[table.name].restored = _restore(backup, target, table, reading)
        _count_lost(target, table, counts[table.name], reading)
    _join_up(target)
    return {name: counts[name] for name in _ITEMS}


def _tables(target: sqlite3.Connection) -> list[_Table]:
    found = target.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").fetchall()
    virtual = tuple(f"{name}_" for name, sql in found if sql.startswith("CREATE VIRTUAL"))
    names = [name for name, _ in found if not f"{name}_".startswith((*virtual, "sqlite_"))]
    return [_table(target, name) for name in names if name not in DERIVED]


def _table(connection: sqlite3.Connection, name: str) -> _Table:
    columns = connection.execute(f"PRAGMA table_info({name})").fetchall()
    keys = [column[1] for column in columns if column[5]]
    numbered = len(keys) == 1 and any(c[1] == keys[0] and c[2] == "INTEGER" for c in columns)
    return _Table(name, keys[0] if numbered else None, tuple(column[1] for column in columns))


def _copy(
    source: sqlite3.Connection | None, target: sqlite3.Connection, table: _Table
) -> tuple[Counts, _Reading]:
    """Copy what can be read of a table."""
    counts, reading = Counts(), _Reading()
    common = _common(source, table) if source else None
    if source is None or common is None:
        reading.gaps.append((0, _ENDLESS))
        counts.lost = None
        return counts, reading
    if table.name in _ITEMS:
        reading.ids = _ids(source, table)
    rows = _numbered(source, common, reading) if common.key else _plain(source, common)
    for row in rows:
        added = _insert(target, common, row)
        counts.read += added
        if not added and common.key:
            number = row[common.columns.index(common.key)]
            reading.gaps.append((number, number))
    return counts, reading


def _common(source: sqlite3.Connection, table: _Table) -> _Table | None:
    """Return the table with the columns that the damaged file has too; None without any."""
    try:
        there = {row[1] for row in source.execute(f"PRAGMA table_info({table.name})")}
    except sqlite3.DatabaseError:
        return None
    columns = tuple(column for column in table.columns if column in there)
    return table.with_columns(*columns) if columns else None


def _ids(source: sqlite3.Connection, table: _Table) -> dict[str, int] | None:
    """Return the numbers by id from the index of ids alone; None where that is unreadable."""
    sql = table.with_columns("id", "number").select_sql
    with suppress(sqlite3.DatabaseError):
        by_id = f"{sql} INDEXED BY sqlite_autoindex_{table.name}_1"
        return dict(source.execute(by_id).fetchall())
    return None


def _numbered(source: sqlite3.Connection, table: _Table, reading: _Reading) -> Iterator[Row]:
    """Yield the readable rows in order, and note the numbers between that are not."""
    sql = f"{table.select_sql} WHERE {table.key} >= ? ORDER BY {table.key} LIMIT 1"
    key = table.columns.index(table.key or "")
    last = _last_number(source, table, reading)
    at, gap_from = 0, None
    while True:
        try:
            row = source.execute(sql, (at,)).fetchone()
        except sqlite3.DatabaseError:
            gap_from = at if gap_from is None else gap_from
            at += 1
            if at > (last or gap_from + _PROBED_BLINDLY):
                break
            continue
        if row is None:
            break
        if gap_from is not None:
            reading.gaps.append((gap_from, row[key] - 1))
        at, gap_from = row[key] + 1, None
        yield row
    if gap_from is not None:
        reading.gaps.append((gap_from, _ENDLESS))


def _last_number(source: sqlite3.Connection, table: _Table, reading: _Reading) -> int:
    """Return the highest number that some part of the file tells of; 0 where none does."""
    found = max((reading.ids or {}).values(), default=0)
    with suppress(sqlite3.DatabaseError):
        sql = table.with_columns(f"max({table.key})").select_sql
        found = max(found, source.execute(sql).fetchone()[0] or 0)
    return found


def _plain(source: sqlite3.Connection, table: _Table) -> Iterator[Row]:
    with suppress(sqlite3.DatabaseError):
        yield from source.execute(table.select_sql)


def _insert(target: sqlite3.Connection, table: _Table, row: Row) -> int:
    """Add a row unless it is not whole, or there already; return how many were added."""
    if not _is_whole(dict(zip(table.columns, row, strict=True))):
        return 0
    return max(target.execute(table.insert_sql, row).rowcount, 0)


def _is_whole(row: dict[str, Any]) -> bool:
    """Tell whether a row holds what was written: overwritten pages can be read, too."""
    try:
        return all(_is_sound(name, value) for name, value in row.items()) and _adds_up(row)
    except (ValueError, TypeError, RecursionError):
        return False


def _is_sound(name: str, value: object) -> bool:
    if not isinstance(value, str):
        return not isinstance(value, bytes)
    if name.endswith("_json"):
        json.loads(value)
    if name.endswith("_at"):
        from_iso(value)
    return is_storable(value)


def _adds_up(row: dict[str, Any]) -> bool:
    text = row.get("content", row.get("narrative"))
    if text is None:
        return True
    if "text_key" in row and same_text_key(text) != row["text_key"]:
        return False
    return bool(row["text_bytes"] == len(row["title"].encode()) + len(text.encode()))


def _restore(
    backup: sqlite3.Connection, target: sqlite3.Connection, table: _Table, reading: _Reading
) -> int:
    """Take from a backup what the damaged file held and did not give."""
    common = _common(backup, table)
    if common is None:
        return 0
    found: Iterable[Row] = backup.execute(common.select_sql)
    if table.name in _ITEMS:
        id_, number = common.columns.index("id"), common.columns.index("number")
        found = (row for row in found if reading.may_have_held(row[id_], row[number]))
    return sum(_restored(target, common, row) for row in found)


def _restored(target: sqlite3.Connection, table: _Table, row: Row) -> int:
    """Add a row of a backup, under another number where its own is taken."""
    added = _insert(target, table, row)
    if added or table.key is None or table.name not in _NAMED:
        return added
    key = table.columns.index(table.key)
    return _insert(target, table.without_key(), (*row[:key], *row[key + 1 :]))


def _count_lost(
    target: sqlite3.Connection, table: _Table, counts: Counts, reading: _Reading
) -> None:
    if reading.ids is None:
        counts.lost = None if reading.gaps else 0
    else:
        there = {row[0] for row in target.execute(table.with_columns("id").select_sql)}
        counts.lost = len(reading.ids.keys() - there)


def _join_up(target: sqlite3.Connection) -> None:
    """Let no row name another that is not there, and no replaced memory be found again."""
    for sql in (
        # Where a project's directory is not known, the next save from there gives it back.
        *(_UNNAMED_PROJECTS_SQL.format(table) for table in _ITEMS),
        "UPDATE memories SET parent_id = NULL WHERE parent_id NOT IN (SELECT id FROM memories)",
        "UPDATE memories SET is_latest = 0 WHERE is_latest = 1 AND id IN"
        " (SELECT parent_id FROM memories WHERE parent_id IS NOT NULL)",
        "DELETE FROM recall_hits WHERE recall_id NOT IN (SELECT id FROM recalls)",
    ):
        target.execute(sql)
