"""Makes the search index anew: the analyser has changed, or it is not what it should be."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator

from ltm_tray.backends.sqlite import index, rows
from ltm_tray.backends.sqlite.connection import transaction
from ltm_tray.backends.sqlite.faults import Damaged
from ltm_tray.backends.sqlite.migrations import DERIVED
from ltm_tray.domain.analysis import ANALYSER_VERSION

Progress = Callable[[int, int], None]
"""Is told how many items are done, and how many there are."""

_TELL_EVERY = 500
_FACT = "analyser_version"
_MEMORIES = """
SELECT p.number, m.number, m.title, m.content, m.concepts_json, m.files_json
FROM memories m JOIN projects p ON p.project_id = m.project_id
WHERE m.is_latest = 1 ORDER BY m.number
"""
_OBSERVATIONS = """
SELECT p.number, o.number, o.title, o.narrative
FROM observations o JOIN projects p ON p.project_id = o.project_id ORDER BY o.number
"""


def is_outdated(connection: sqlite3.Connection) -> bool:
    """Tell whether another version of the analyser made the index."""
    row = connection.execute("SELECT value FROM store_facts WHERE name = ?", (_FACT,)).fetchone()
    return row is None or row[0] != str(ANALYSER_VERSION)


def rebuild_if_needed(
    connection: sqlite3.Connection, is_needed: Callable[[], bool], progress: Progress
) -> bool:
    """Rebuild the index from the base tables where that is needed; tell whether it was.

    All of it happens in one transaction: until it ends, other processes read the old
    index, and a killed rebuild starts anew at the next opening.
    """
    if not is_needed():
        return False
    with transaction(connection):
        needed = is_needed()  # another process may have done it meanwhile
        if needed:
            rebuild(connection, progress)
    return needed


def rebuild(connection: sqlite3.Connection, progress: Progress) -> None:
    """Make the derived tables anew and fill them from the base tables, within a transaction.

    Raises:
        Damaged: The old ones are so broken that SQLite cannot remove them.
    """
    for table, made in DERIVED.items():
        try:
            connection.execute(f"DROP TABLE IF EXISTS {table}")
        except sqlite3.OperationalError as error:
            raise Damaged(f"The table {table} cannot be removed.") from error
        connection.execute(made)
    total = sum(connection.execute(_COUNT).fetchone())
    for done, _ in enumerate(_indexed(connection), start=1):
        if done % _TELL_EVERY == 0 or done == total:
            progress(done, total)
    connection.execute(
        "INSERT OR REPLACE INTO store_facts (name, value) VALUES (?, ?)",
        (_FACT, str(ANALYSER_VERSION)),
    )


_COUNT = """
SELECT (SELECT count(*) FROM memories WHERE is_latest = 1), (SELECT count(*) FROM observations)
"""


def _indexed(connection: sqlite3.Connection) -> Iterator[None]:
    for project, number, title, content, concepts, files in connection.execute(_MEMORIES):
        index.add_memory(
            connection, project, number, (title, content, rows.labels(concepts, files))
        )
        yield
    for project, number, title, narrative in connection.execute(_OBSERVATIONS):
        index.add_observation(connection, project, number, (title, narrative))
        yield
