"""What the console lists: projects, pages of items, single items with their versions."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from ltm_tray.backends.sqlite import redactions, rows
from ltm_tray.backends.sqlite.filtering import Condition, condition_of, of_project
from ltm_tray.backends.sqlite.finding import AMONG_FOUND, finding
from ltm_tray.domain.catalog import ItemFilter, ItemPage, ProjectDetail, ProjectSummary
from ltm_tray.domain.cursor import Position
from ltm_tray.domain.errors import NotFound
from ltm_tray.domain.memory import HitKind, Memory, Observation, ProjectStats
from ltm_tray.domain.times import from_iso, to_iso

_ITEMS_SQL = {
    HitKind.MEMORY: """
SELECT 'memory', id, project_id, title, content, type, created_at FROM memories m
""",
    HitKind.OBSERVATION: """
SELECT 'observation', id, project_id, title, narrative, kind, created_at FROM observations o
""",
}
_PLACES_SQL = {
    HitKind.MEMORY: "SELECT created_at, id, number FROM memories m ",
    HitKind.OBSERVATION: "SELECT created_at, id, number FROM observations o ",
}
_PROJECTS_SQL = """
SELECT project_id, cwd, first_seen_at, last_seen_at FROM projects
WHERE {where} ORDER BY last_seen_at DESC, project_id DESC
"""
_SAVED_SQL = [
    """
SELECT project_id, count(*), max(updated_at), sum(text_bytes) FROM memories
WHERE is_latest = 1 AND {where} GROUP BY project_id
""",
    """
SELECT project_id, count(*), max(updated_at), sum(text_bytes) FROM memories
WHERE is_latest = 0 AND {where} GROUP BY project_id
""",
]
_OBSERVED_SQL = """
SELECT project_id, count(*), max(created_at), sum(text_bytes) FROM observations
WHERE {where} GROUP BY project_id
"""
_ASKED_SQL = "SELECT project_id, max(asked_at) FROM recalls WHERE {where} GROUP BY project_id"
_Figures = tuple[int, str | None, int]
"""How many, the last one's time, and their bytes."""
_NONE: _Figures = (0, None, 0)
_AMONG = "number IN (SELECT value FROM json_each(?))"
_VERSIONS_SQL = f"""
WITH RECURSIVE later (id) AS (
    SELECT id FROM memories WHERE id = ?1
    UNION SELECT m.id FROM memories m JOIN later ON m.parent_id = later.id
), chain (id) AS (
    SELECT id FROM later
    UNION SELECT m.parent_id FROM memories m JOIN chain ON m.id = chain.id
    WHERE m.parent_id IS NOT NULL
)
{rows.MEMORY_SQL} WHERE m.id IN (SELECT id FROM chain) ORDER BY m.number DESC
"""  # noqa: S608 — made of constants


def projects(connection: sqlite3.Connection) -> list[ProjectSummary]:
    """See `MemoryCatalog.projects`."""
    found = connection.execute(
        "SELECT p.project_id, p.cwd,"
        " (SELECT count(*) FROM memories m WHERE m.project_id = p.project_id AND m.is_latest = 1),"
        " (SELECT count(*) FROM observations o WHERE o.project_id = p.project_id),"
        " p.first_seen_at, p.last_seen_at FROM projects p"
        " ORDER BY p.last_seen_at DESC, p.project_id DESC"
    )
    return [rows.project_of(row) for row in found]


def project(connection: sqlite3.Connection, project_id: str) -> ProjectDetail:
    """See `MemoryCatalog.project`."""
    found = _details(connection, of_project(project_id))
    if not found:
        raise NotFound("There is no project with that id.")
    return found[0]


def project_details(connection: sqlite3.Connection) -> list[ProjectDetail]:
    """See `MemoryCatalog.project_details`."""
    return _details(connection, of_project(None))


@dataclass(frozen=True, slots=True)
class Listing:
    """What is listed: the items under a filter and, with an expression, among what it finds."""

    wanted: ItemFilter
    expression: str | None


class Place(NamedTuple):
    """Where an item stands in a list, and its row."""

    created_at: str
    id: str
    number: int
    kind: HitKind

    @property
    def position(self) -> Position:
        """The place in the order newest first."""
        return Position(from_iso(self.created_at), self.id)


def listing_of(connection: sqlite3.Connection, wanted: ItemFilter, text: str | None) -> Listing:
    """Return the items under a filter; with a text, those that it finds."""
    return Listing(wanted, None if text is None else finding(connection, text, wanted))


def newest(
    connection: sqlite3.Connection, listing: Listing, limit: int, before: Position | None
) -> ItemPage:
    """See `MemoryCatalog.newest`."""
    found = [
        rows.item_of(row)
        for kind, sql in _ITEMS_SQL.items()
        for row in _newest(connection, sql, _condition(listing, kind), (before, limit + 1))
    ]
    found.sort(key=lambda item: (item.created_at, item.id), reverse=True)
    page = tuple(found[:limit])
    more = len(found) > limit
    return ItemPage(
        items=page,
        next_cursor=Position(page[-1].created_at, page[-1].id).cursor() if more else None,
    )


def places(
    connection: sqlite3.Connection, listing: Listing, size: int, before: Position | None
) -> list[Place]:
    """Return where so many of the newest items behind a position stand; fewer only at the end."""
    found = [
        Place(created_at, id_, number, kind)
        for kind, sql in _PLACES_SQL.items()
        for created_at, id_, number in _newest(
            connection, sql, _condition(listing, kind), (before, size)
        )
    ]
    return sorted(found, reverse=True)[:size]


def whole(connection: sqlite3.Connection, places_: Sequence[Place]) -> list[Memory | Observation]:
    """Return the items at some places, newest first, without those forgotten meanwhile."""
    memories, observations = (
        rows.as_json([place.number for place in places_ if place.kind is kind])
        for kind in _PLACES_SQL
    )
    found: list[Memory | Observation] = []
    saved = connection.execute(f"{rows.MEMORY_SQL} WHERE m.{_AMONG}", (memories,))
    found += map(rows.memory_of, saved)
    captured = connection.execute(f"{rows.OBSERVATION_SQL} WHERE o.{_AMONG}", (observations,))
    found += map(rows.observation_of, captured)
    return sorted(found, key=lambda item: (item.created_at, item.id), reverse=True)


def _condition(listing: Listing, kind: HitKind) -> Condition | None:
    condition = condition_of(listing.wanted, kind)
    if condition is not None and listing.expression is not None:
        condition.add(AMONG_FOUND[kind], listing.expression)
    return condition


def memory(connection: sqlite3.Connection, memory_id: str, project_id: str | None) -> Memory:
    """See `MemoryCatalog.memory`."""
    row = connection.execute(rows.MEMORY_SQL + " WHERE m.id = ?", (memory_id,)).fetchone()
    if row is None or project_id not in {None, row[1]}:
        raise NotFound("This project has no memory with that id.")
    return rows.memory_of(row)


def versions(connection: sqlite3.Connection, memory_id: str) -> list[Memory]:
    """See `MemoryCatalog.versions`."""
    found = connection.execute(_VERSIONS_SQL, (memory_id,))
    return [rows.memory_of(row) for row in found]


def observation(
    connection: sqlite3.Connection, observation_id: str, project_id: str | None
) -> Observation:
    """See `MemoryCatalog.observation`."""
    row = connection.execute(rows.OBSERVATION_SQL + " WHERE o.id = ?", (observation_id,)).fetchone()
    if row is None or project_id not in {None, row[1]}:
        raise NotFound("This project has no observation with that id.")
    return rows.observation_of(row)


def stats(connection: sqlite3.Connection, project_id: str) -> ProjectStats:
    """See `MemoryBackend.stats`."""
    latest, versions_, saved = connection.execute(
        "SELECT count(*) FILTER (WHERE is_latest = 1), count(*) FILTER (WHERE is_latest = 0),"
        " max(updated_at) FROM memories WHERE project_id = ?",
        (project_id,),
    ).fetchone()
    observed, observed_at = connection.execute(
        "SELECT count(*), max(created_at) FROM observations WHERE project_id = ?", (project_id,)
    ).fetchone()
    (asked_at,) = connection.execute(
        "SELECT max(asked_at) FROM recalls WHERE project_id = ?", (project_id,)
    ).fetchone()
    return ProjectStats(
        memory_count=latest,
        version_count=versions_,
        observation_count=observed,
        last_saved_at=_time(saved),
        last_observed_at=_time(observed_at),
        last_recalled_at=_time(asked_at),
        redacted=redactions.counted(connection, project_id),
    )


def _newest(
    connection: sqlite3.Connection,
    sql: str,
    condition: Condition | None,
    span: tuple[Position | None, int],
) -> list[rows.Row]:
    """Return rows, newest first: those behind a position, and so many."""
    if condition is None:
        return []
    before, limit = span
    if before is not None:
        condition.add("(created_at, id) < (?, ?)", to_iso(before.created_at), before.id)
    order = "WHERE {where} ORDER BY created_at DESC, id DESC LIMIT ?"
    return condition.ask(connection, sql + order, limit).fetchall()


def _details(connection: sqlite3.Connection, one: Condition) -> list[ProjectDetail]:
    latest, replaced = ({row[0]: row[1:] for row in one.ask(connection, sql)} for sql in _SAVED_SQL)
    observed = {row[0]: row[1:] for row in one.ask(connection, _OBSERVED_SQL)}
    asked = dict(one.ask(connection, _ASKED_SQL).fetchall())
    return [
        _detail(
            row,
            (latest.get(row[0], _NONE), replaced.get(row[0], _NONE), observed.get(row[0], _NONE)),
            asked.get(row[0]),
        )
        for row in one.ask(connection, _PROJECTS_SQL)
    ]


def _detail(
    row: rows.Row, figures: tuple[_Figures, _Figures, _Figures], asked_at: str | None
) -> ProjectDetail:
    """Return a project from its row, and from its latest, its replaced, its captured items."""
    latest, replaced, observed = figures
    project_id, cwd, first_seen, last_seen = row
    saved_at = max(filter(None, (latest[1], replaced[1])), default=None)
    return ProjectDetail(
        summary=rows.project_of((project_id, cwd, latest[0], observed[0], first_seen, last_seen)),
        version_count=replaced[0],
        last_saved_at=_time(saved_at),
        last_observed_at=_time(observed[1]),
        last_recalled_at=_time(asked_at),
        text_bytes=latest[2] + replaced[2] + observed[2],
    )


def _time(text: str | None) -> datetime | None:
    return from_iso(text) if text else None
