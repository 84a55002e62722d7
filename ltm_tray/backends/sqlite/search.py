"""Recall: from a query to the best hits of one project, or of all.

SQLite finds the candidates and orders them roughly; the best of them are scored once
more by the rules of `domain.ranking`, the same for memories and observations.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ltm_tray.backends.sqlite import rows
from ltm_tray.backends.sqlite.filtering import condition_of
from ltm_tray.backends.sqlite.index import match_expression, term_finder
from ltm_tray.domain.analysis import QueryTerm, begun_terms, query_terms
from ltm_tray.domain.asked import Asked
from ltm_tray.domain.catalog import Item, ItemFilter
from ltm_tray.domain.hits import hit_of
from ltm_tray.domain.memory import HitKind, RecallHit, RecallQuery, Sort
from ltm_tray.domain.ranking import Rated, Text, Weights, count, mean_length_of

_CANDIDATES_MIN = 20
"""How many of SQLite's best are scored again, at least; twice the limit if that is more."""


@dataclass(frozen=True, slots=True)
class _Table:
    """What is asked of one full-text table.

    The indexed terms are read from the table that FTS5 keeps them in: asking the
    virtual table for each row costs more than finding it. Its base table is joined
    only to narrow by what the index does not hold: types and times.
    """

    kind: HitKind
    terms_sql: str
    best: str
    newest: str
    base: str
    count_sql: str
    items_sql: str


_MEMORY_TERMS = """
SELECT found.number, terms.c0, terms.c1 || ' ' || terms.c2 FROM (
    SELECT memories_fts.rowid AS number FROM memories_fts {base}
    WHERE memories_fts MATCH ? AND {narrowed} ORDER BY {order} LIMIT ?
) found JOIN memories_fts_content terms ON terms.id = found.number
"""
_OBSERVATION_TERMS = """
SELECT found.number, terms.c0, terms.c1 FROM (
    SELECT observations_fts.rowid AS number FROM observations_fts {base}
    WHERE observations_fts MATCH ? AND {narrowed} ORDER BY {order} LIMIT ?
) found JOIN observations_fts_content terms ON terms.id = found.number
"""
_TABLES = (
    _Table(
        HitKind.MEMORY,
        _MEMORY_TERMS,
        # bm25 takes a weight for each column: title, content, labels
        "bm25(memories_fts, 1.0, 5.0, 5.0), memories_fts.rowid DESC",
        "memories_fts.rowid DESC",
        "CROSS JOIN memories m ON m.number = memories_fts.rowid",
        "(SELECT count(*) FROM memories_fts WHERE memories_fts MATCH ?)",
        "SELECT number, 'memory', id, project_id, title, content, type, created_at"
        " FROM memories WHERE number IN (SELECT value FROM json_each(?))",
    ),
    _Table(
        HitKind.OBSERVATION,
        _OBSERVATION_TERMS,
        # title, narrative
        "bm25(observations_fts, 1.0, 5.0), observations_fts.rowid DESC",
        "observations_fts.rowid DESC",
        "CROSS JOIN observations o ON o.number = observations_fts.rowid",
        "(SELECT count(*) FROM observations_fts WHERE observations_fts MATCH ?)",
        "SELECT number, 'observation', id, project_id, title, narrative, kind, created_at"
        " FROM observations WHERE number IN (SELECT value FROM json_each(?))",
    ),
)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is asked for, and what finds it in an indexed text."""

    asked: Asked
    find: Callable[[str], list[str]]


@dataclass(frozen=True, slots=True)
class _Candidate:
    table: _Table
    number: int
    text: Text


@dataclass(frozen=True, slots=True)
class _Found:
    table: _Table
    number: int
    rated: Rated


def recall(connection: sqlite3.Connection, query: RecallQuery) -> list[RecallHit]:
    """Return the hits of a query; see `MemoryBackend.recall`."""
    terms = query_terms(query.text)
    projects = _numbers(connection, query.project_id)
    if not projects:
        return []
    return _search(connection, query, terms, projects) or _search(
        connection, query, begun_terms(terms), projects
    )


def _search(
    connection: sqlite3.Connection,
    query: RecallQuery,
    terms: Sequence[QueryTerm],
    projects: Sequence[int],
) -> list[RecallHit]:
    asked = Asked(terms)
    wanted = _Wanted(asked, term_finder(projects, asked.starts))
    tables = [table for table in _TABLES if table.kind in query.kinds and terms]
    expression = match_expression(asked.terms.values(), projects)
    candidates = [
        candidate
        for table in tables
        for candidate in _candidates(connection, table, expression, query, wanted)
    ]
    if not candidates:
        return []
    # Where nothing narrows, a table without a candidate holds none of the terms.
    answering = [
        table for table in tables if _is_narrow(query) or any(c.table is table for c in candidates)
    ]
    holders = _holders(connection, answering, asked, projects)
    found = _rated(candidates, Weights(asked, holders))
    return [
        hit_of(item, rated, terms, explain=query.explain)
        for item, rated in _ordered(connection, found, query)
    ]


def _numbers(connection: sqlite3.Connection, project_id: str | None) -> Sequence[int]:
    sql = "SELECT number FROM projects WHERE ? IN (project_id, '')"
    return [row[0] for row in connection.execute(sql, (project_id or "",))]


def _candidates(
    connection: sqlite3.Connection,
    table: _Table,
    expression: str,
    query: RecallQuery,
    wanted: _Wanted,
) -> list[_Candidate]:
    condition = condition_of(ItemFilter.of(query), table.kind)
    if condition is None:
        return []
    newest = query.sort is Sort.NEWEST
    sql = table.terms_sql.format(
        order=table.newest if newest else table.best,
        base=table.base if _is_narrow(query) else "",
        narrowed=condition.sql if _is_narrow(query) else "1",
    )
    values = condition.values if _is_narrow(query) else []
    depth = query.limit if newest else max(_CANDIDATES_MIN, 2 * query.limit)
    found = connection.execute(sql, (expression, *values, depth))
    asked, find = wanted.asked, wanted.find
    return [
        _Candidate(table, number, count(asked, find(title), find(body), body.count(" ") + 1))
        for number, title, body in found
    ]


def _is_narrow(query: RecallQuery) -> bool:
    """Tell whether a query asks for more than the full-text index knows."""
    return bool(query.types or query.concepts or query.since or query.until)


def _holders(
    connection: sqlite3.Connection,
    tables: Sequence[_Table],
    asked: Asked,
    projects: Sequence[int],
) -> dict[str, int]:
    """Return how many texts of the projects hold each asked term, by its key."""
    one = " + ".join(table.count_sql for table in tables)
    sql = "SELECT " + ", ".join([one] * len(asked.terms))
    values = [match_expression([term], projects) for term in asked.terms.values() for _ in tables]
    return dict(zip(asked.terms, connection.execute(sql, values).fetchone(), strict=True))


def _rated(candidates: Sequence[_Candidate], weights: Weights) -> list[_Found]:
    found = []
    for table in _TABLES:
        own = [c for c in candidates if c.table is table]
        mean = mean_length_of(c.text for c in own)
        found += [_Found(table, c.number, Rated(c.text, weights, mean, table.kind)) for c in own]
    return found


def _ordered(
    connection: sqlite3.Connection, found: list[_Found], query: RecallQuery
) -> list[tuple[Item, Rated]]:
    """Read the best and put them in order; equally good ones come newest first."""
    if query.sort is Sort.RELEVANCE and len(found) > query.limit:
        # Ties across the limit are decided by time, which only the rows tell.
        found.sort(key=lambda f: f.rated.score, reverse=True)
        last = found[query.limit - 1].rated.score
        found = [f for f in found if f.rated.score >= last]
    items = _items(connection, found)
    read = [(items[f.table.kind, f.number], f.rated) for f in found]
    read.sort(key=lambda pair: (pair[0].created_at, pair[0].id), reverse=True)
    if query.sort is Sort.RELEVANCE:
        read.sort(key=lambda pair: pair[1].score, reverse=True)
    return read[: query.limit]


def _items(
    connection: sqlite3.Connection, found: Sequence[_Found]
) -> dict[tuple[HitKind, int], Item]:
    items = {}
    for table in _TABLES:
        numbers = [f.number for f in found if f.table is table]
        if numbers:
            for number, *row in connection.execute(table.items_sql, (rows.as_json(numbers),)):
                items[table.kind, number] = rows.item_of(tuple(row))
    return items
