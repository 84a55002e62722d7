"""The derived tables: the full-text rows, and the terms that supersede looks among.

Every term of a full-text row carries its project's number (`12xdeploy`), so that a
search reads the lists of its own project's terms only and other projects cost nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from zlib import crc32

from ltm_tray.backends.sqlite.rows import as_json
from ltm_tray.domain.analysis import QueryTerm, index_terms, term_set
from ltm_tray.domain.similarity import (
    counts_in_reach,
    is_superseded_by,
    jaccard,
    least_shared,
)

_SPARE_TERMS = 2
"""How many terms more than needed are looked up, to drop chance candidates early."""


def add_memory(
    connection: sqlite3.Connection, project: int, number: int, texts: tuple[str, str, str]
) -> None:
    """Index a latest memory; `texts` are its title, content and labels."""
    title, content, labels = texts
    connection.execute(
        "INSERT INTO memories_fts (rowid, title, content, labels) VALUES (?, ?, ?, ?)",
        (number, scoped(project, title), scoped(project, content), scoped(project, labels)),
    )
    terms = term_set(content)
    connection.executemany(
        "INSERT INTO memory_terms (project, term, term_count, memory) VALUES (?, ?, ?, ?)",
        [(project, term, len(terms), number) for term in _hashes(terms)],
    )
    connection.executemany(
        "INSERT INTO term_holders (project, term, holders) VALUES (?, ?, 1)"
        " ON CONFLICT (project, term) DO UPDATE SET holders = holders + 1",
        [(project, term) for term in _hashes(terms)],
    )


def remove_memory(connection: sqlite3.Connection, project: int, number: int, content: str) -> None:
    """Take a memory out of the index; one that is not in it changes nothing."""
    connection.execute("DELETE FROM memories_fts WHERE rowid = ?", (number,))
    terms = term_set(content)
    for term in _hashes(terms):
        gone = connection.execute(
            "DELETE FROM memory_terms WHERE project = ? AND term = ? AND term_count = ?"
            " AND memory = ?",
            (project, term, len(terms), number),
        ).rowcount
        connection.execute(
            "UPDATE term_holders SET holders = holders - ? WHERE project = ? AND term = ?",
            (gone, project, term),
        )
        connection.execute(
            "DELETE FROM term_holders WHERE project = ? AND term = ? AND holders <= 0",
            (project, term),
        )


def add_observation(
    connection: sqlite3.Connection, project: int, number: int, texts: tuple[str, str]
) -> None:
    """Index an observation; `texts` are its title and narrative."""
    connection.execute(
        "INSERT INTO observations_fts (rowid, title, narrative) VALUES (?, ?, ?)",
        (number, *(scoped(project, text) for text in texts)),
    )


def scoped(project: int, text: str) -> str:
    """Return the text's terms as the full-text index holds them, for one project."""
    return " ".join(f"{project}x{term}" for term in index_terms(text))


TermFinder = Callable[[str, str], tuple[list[str], list[str]]]
"""Takes title and body as `scoped` wrote them; returns the terms found in each."""


def term_finder(projects: Sequence[int], starts: tuple[str, ...]) -> TermFinder:
    """Return what finds the terms with these beginnings, each occurrence once, in any order."""
    if len(projects) > 1:
        return lambda title, body: (_starting(title, starts), _starting(body, starts))
    mark = f" {projects[0]}x"
    # One that begins as another does would be found twice.
    marked = [mark + s for s in starts if not any(s != o and s.startswith(o) for o in starts)]
    return partial(_begun, marked, len(mark))


def _starting(text: str, starts: tuple[str, ...]) -> list[str]:
    terms = (held[held.index("x") + 1 :] for held in text.split())
    return [term for term in terms if term.startswith(starts)]


def _begun(
    marked: Sequence[str], mark_length: int, title: str, body: str
) -> tuple[list[str], list[str]]:
    """Look for the few asked terms rather than at the many held: most texts hold one or two."""
    text = f" {title} {body} "
    title_end = len(title) + 1
    in_title: list[str] = []
    in_body: list[str] = []
    for start in marked:
        at = text.find(start)
        while at >= 0:
            end = text.index(" ", at + 1)
            (in_title if at < title_end else in_body).append(text[at + mark_length : end])
            at = text.find(start, end)
    return in_title, in_body


def match_expression(terms: Iterable[QueryTerm], projects: Iterable[int]) -> str:
    """Return the MATCH expression for rows of the projects that hold any of the terms.

    Terms hold letters, marks, digits and emoji only, and each is quoted: nothing a
    person typed is ever read as query syntax.
    """
    asked = list(terms)
    return " OR ".join(
        f'"{project}x{term.text}"' + ("*" if term.prefix else "")
        for project in projects
        for term in asked
    )


def find_superseded(connection: sqlite3.Connection, project: int, content: str) -> int | None:
    """Return the number of the latest memory that the content supersedes; None for none.

    Exact, without reading the project: a text more than 0.7 similar shares more than
    0.7 of the new text's terms, so of its rarest terms, as many as may be missing and
    one more, at least one is shared (the prefix filter of Chaudhuri, Ganti and Kaushik,
    "A Primitive Operator for Similarity Joins in Data Cleaning", 2006). What shares
    enough of them, and has a possible number of terms, is compared in full.
    """
    new = term_set(content)
    if not new:
        return None
    best: tuple[float, int] | None = None
    for number, old_content in _candidates(connection, project, new):
        old = term_set(old_content)
        if is_superseded_by(old, new):
            best = max(best or (0.0, 0), (jaccard(old, new), number))
    return best[1] if best else None


def _candidates(
    connection: sqlite3.Connection, project: int, new: frozenset[str]
) -> list[tuple[int, str]]:
    hashes = _hashes(new)
    reach = counts_in_reach(len(new))
    rarest = _rarest_first(connection, project, hashes)
    may_miss = len(new) - least_shared(len(new))
    # Two terms with one hash are one look-up, and miss together: the bound holds for hashes too.
    needed = min(1 + _SPARE_TERMS, len(hashes) - may_miss)
    looked_up = rarest[: may_miss + needed]
    return connection.execute(
        "SELECT number, content FROM memories WHERE number IN ("
        " SELECT memory FROM memory_terms WHERE project = ?"
        " AND term IN (SELECT value FROM json_each(?))"
        " AND term_count BETWEEN ? AND ? GROUP BY memory HAVING count(*) >= ?)",
        (project, as_json(looked_up), *reach, max(1, needed)),
    ).fetchall()


def _rarest_first(connection: sqlite3.Connection, project: int, terms: list[int]) -> list[int]:
    holders = dict(
        connection.execute(
            "SELECT h.term, h.holders FROM json_each(?2) asked CROSS JOIN term_holders h"
            " ON h.project = ?1 AND h.term = asked.value",
            (project, as_json(terms)),
        ).fetchall()
    )
    return sorted(terms, key=lambda term: holders.get(term, 0))


def _hashes(terms: frozenset[str]) -> list[int]:
    return sorted({crc32(term.encode()) for term in terms})
