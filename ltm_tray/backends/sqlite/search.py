"""Recall: from a query to the best hits of one project, or of all.

The full-text index tells which texts hold which term; those that hold the most telling
terms are read and scored by the rules of `domain.ranking`, the same for memories and
observations. FTS5's own bm25 is not asked: it looks up the length of every text found,
which costs several times what finding them does.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from ltm_tray.backends.sqlite import rows
from ltm_tray.backends.sqlite.filtering import Condition, condition_of
from ltm_tray.backends.sqlite.index import TermFinder, match_expression, term_finder
from ltm_tray.domain.analysis import QueryTerm, begun_terms, query_terms
from ltm_tray.domain.asked import Asked
from ltm_tray.domain.catalog import Item, ItemFilter
from ltm_tray.domain.hits import hit_of
from ltm_tray.domain.memory import HitKind, RecallHit, RecallQuery, Sort
from ltm_tray.domain.ranking import Rated, Text, Weights, count, mean_length_of

_CANDIDATES_MIN = 30
"""How many texts of each kind are scored, at least; twice the limit if that is more.

On LoCoMo 20 lose 0.4 points of R@10, 30 lose 0.3, and more than 80 gain nothing.
"""


@dataclass(frozen=True, slots=True)
class _Table:
    """What is asked of one full-text table and its base table.

    The indexed terms are read from the table that FTS5 keeps them in: asking the
    virtual table for each row costs more than finding it.
    """

    kind: HitKind
    holders_sql: str
    newest_sql: str
    terms_sql: str
    items_sql: str


_MEMORIES = _Table(
    HitKind.MEMORY,
    "SELECT json_group_array(rowid) FROM memories_fts WHERE memories_fts MATCH ?",
    "SELECT m.number FROM memories m WHERE {where}"
    " AND m.number IN (SELECT value FROM json_each(?)) ORDER BY m.created_at DESC, m.number DESC",
    "SELECT id, c0, c1 || ' ' || c2 FROM memories_fts_content"
    " WHERE id IN (SELECT value FROM json_each(?))",
    "SELECT number, 'memory', id, project_id, title, content, type, created_at"
    " FROM memories WHERE number IN (SELECT value FROM json_each(?))",
)
_OBSERVATIONS = _Table(
    HitKind.OBSERVATION,
    "SELECT json_group_array(rowid) FROM observations_fts WHERE observations_fts MATCH ?",
    "SELECT o.number FROM observations o WHERE {where}"
    " AND o.number IN (SELECT value FROM json_each(?)) ORDER BY o.created_at DESC, o.number DESC",
    "SELECT id, c0, c1 FROM observations_fts_content WHERE id IN (SELECT value FROM json_each(?))",
    "SELECT number, 'observation', id, project_id, title, narrative, kind, created_at"
    " FROM observations WHERE number IN (SELECT value FROM json_each(?))",
)

_Held = Mapping[str, Sequence[int]]
"""The numbers of the texts that hold each asked term, by the term's key."""


class _Found(NamedTuple):
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
    tables = [table for table in (_MEMORIES, _OBSERVATIONS) if table.kind in query.kinds]
    held = [_held(connection, table, asked, projects) for table in tables]
    holders = {key: sum(len(one[key]) for one in held) for key in asked.terms}
    weights = Weights(asked, holders)
    find = term_finder(projects, asked.starts)
    found: list[_Found] = []
    for table, numbers in zip(tables, held, strict=True):
        texts = _texts(connection, table, _candidates(connection, table, query, numbers, weights))
        found += _rated(table, weights, [(n, _text(asked, find, *text)) for n, *text in texts])
    return [
        hit_of(item, rated, asked, explain=query.explain)
        for item, rated in _ordered(connection, found, query)
    ]


def _numbers(connection: sqlite3.Connection, project_id: str | None) -> Sequence[int]:
    sql = "SELECT number FROM projects WHERE ? IN (project_id, '')"
    return [row[0] for row in connection.execute(sql, (project_id or "",))]


def _held(
    connection: sqlite3.Connection, table: _Table, asked: Asked, projects: Sequence[int]
) -> _Held:
    # One row for all: with each row that is fetched, other threads take their turn.
    return {
        key: json.loads(
            connection.execute(table.holders_sql, (match_expression([term], projects),)).fetchone()[
                0
            ]
        )
        for key, term in asked.terms.items()
    }


def _candidates(
    connection: sqlite3.Connection,
    table: _Table,
    query: RecallQuery,
    held: _Held,
    weights: Weights,
) -> Sequence[int]:
    """Return the texts worth scoring: of those asked for, which hold the most telling terms.

    For the newest, these; of texts that hold the same, the newer ones.
    """
    promised = _promised(held, weights)
    if not promised:
        return []
    if query.sort is Sort.NEWEST:
        return _newest(connection, table, query, promised)[: query.limit]
    if _is_narrow(query):
        promised = {n: promised[n] for n in _newest(connection, table, query, promised)}
    return _most_promising(promised, max(_CANDIDATES_MIN, 2 * query.limit))


def _promised(held: _Held, weights: Weights) -> dict[int, float]:
    """Return for each text how telling the terms are that it holds, together."""
    longest_first = sorted(held, key=lambda key: len(held[key]), reverse=True)
    promised: dict[int, float] = {}
    for key in longest_first:
        idf = weights.idf[key]
        if promised:
            for number in held[key]:
                promised[number] = promised.get(number, 0.0) + idf
        else:
            promised = dict.fromkeys(held[key], idf)
    return promised


def _most_promising(promised: Mapping[int, float], most: int) -> list[int]:
    # Texts with the same terms promise the same: there are few promises to put in order.
    alike = sorted(Counter(promised.values()).items(), reverse=True)
    ahead = accumulate(texts for _, texts in alike)
    least = next((p for (p, _), texts in zip(alike, ahead, strict=True) if texts >= most), 0.0)
    best = [number for number, p in promised.items() if p > least]
    equal = [number for number, p in promised.items() if p == least]
    return best + sorted(equal, reverse=True)[: most - len(best)]


def _is_narrow(query: RecallQuery) -> bool:
    """Tell whether a query asks for more than the full-text index knows."""
    return bool(query.types or query.concepts or query.since or query.until)


def _newest(
    connection: sqlite3.Connection, table: _Table, query: RecallQuery, numbers: Collection[int]
) -> list[int]:
    """Return those of the texts that the query's filter lets through, newest first."""
    condition: Condition | None = condition_of(ItemFilter.of(query), table.kind)
    if condition is None:
        return []
    found = condition.ask(connection, table.newest_sql, rows.as_json(list(numbers)))
    return [number for (number,) in found]


def _texts(
    connection: sqlite3.Connection, table: _Table, numbers: Sequence[int]
) -> Iterable[tuple[int, str, str]]:
    """Return number, title and body of texts as they are indexed."""
    return connection.execute(table.terms_sql, (rows.as_json(numbers),)) if numbers else ()


def _text(asked: Asked, find: TermFinder, title: str, body: str) -> Text:
    return count(asked, *find(title, body), body.count(" ") + 1)


def _rated(table: _Table, weights: Weights, texts: Sequence[tuple[int, Text]]) -> list[_Found]:
    mean = mean_length_of(text for _, text in texts)
    return [_Found(table, n, Rated(text, weights, mean, table.kind)) for n, text in texts]


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
    for table in (_MEMORIES, _OBSERVATIONS):
        numbers = [f.number for f in found if f.table is table]
        if numbers:
            for number, *row in connection.execute(table.items_sql, (rows.as_json(numbers),)):
                items[table.kind, number] = rows.item_of(tuple(row))
    return items
