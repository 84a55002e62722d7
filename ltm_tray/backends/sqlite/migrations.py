"""The schema, as steps that are only ever added to; `user_version` counts those applied."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from ltm_tray.backends.sqlite.connection import transaction
from ltm_tray.domain.errors import BackendUnavailable
from ltm_tray.domain.health import StoreState

TOKENIZER = "porter unicode61 remove_diacritics 2 categories ''L* N* Co M* So''"
"""The analyser has split the text already: every letter, mark, digit and emoji is kept."""

DERIVED = {
    # A memory's title is the beginning of its content: indexed, it would be found twice.
    "memories_fts": "CREATE VIRTUAL TABLE memories_fts"
    f" USING fts5(title UNINDEXED, content, labels, tokenize='{TOKENIZER}')",
    "observations_fts": "CREATE VIRTUAL TABLE observations_fts"
    f" USING fts5(title, narrative, tokenize='{TOKENIZER}')",
    "memory_terms": """CREATE TABLE memory_terms (
        project INTEGER NOT NULL,
        term INTEGER NOT NULL,
        term_count INTEGER NOT NULL,
        memory INTEGER NOT NULL,
        PRIMARY KEY (project, term, term_count, memory)
    ) WITHOUT ROWID""",
    "term_holders": """CREATE TABLE term_holders (
        project INTEGER NOT NULL,
        term INTEGER NOT NULL,
        holders INTEGER NOT NULL,
        PRIMARY KEY (project, term)
    ) WITHOUT ROWID""",
}
"""The search index: tables that can be made anew from the others, and how each is made."""

_FIRST = (
    """CREATE TABLE projects (
        number INTEGER PRIMARY KEY,
        project_id TEXT NOT NULL UNIQUE,
        cwd TEXT NOT NULL,
        first_seen_at TEXT NOT NULL,
        last_seen_at TEXT NOT NULL
    )""",
    """CREATE TABLE memories (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        project_id TEXT NOT NULL REFERENCES projects (project_id),
        type TEXT NOT NULL,
        title TEXT NOT NULL,
        content TEXT NOT NULL,
        concepts_json TEXT NOT NULL,
        files_json TEXT NOT NULL,
        source_observation_ids_json TEXT NOT NULL,
        session_id TEXT,
        is_latest INTEGER NOT NULL,
        parent_id TEXT,
        text_key TEXT NOT NULL,
        text_bytes INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL
    )""",
    # Behind what they order by, indexes hold what filters and counts look at: no row is read.
    "CREATE INDEX memories_of_project ON memories (project_id, is_latest, created_at, id, type)",
    "CREATE INDEX memories_newest ON memories (is_latest, created_at, id, type, project_id)",
    "CREATE INDEX memories_counted"
    " ON memories (is_latest, project_id, type, created_at, updated_at, text_bytes)",
    "CREATE INDEX memories_same_text ON memories (project_id, text_key) WHERE is_latest = 1",
    "CREATE INDEX memories_parent ON memories (parent_id) WHERE parent_id IS NOT NULL",
    """CREATE TABLE observations (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        project_id TEXT NOT NULL REFERENCES projects (project_id),
        session_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        title TEXT NOT NULL,
        narrative TEXT NOT NULL,
        source_json TEXT,
        dedup_key TEXT NOT NULL,
        text_bytes INTEGER NOT NULL,
        created_at TEXT NOT NULL
    )""",
    "CREATE INDEX observations_moment ON observations (session_id, kind, dedup_key, created_at)",
    "CREATE INDEX observations_of_project ON observations (project_id, created_at, id, kind)",
    "CREATE INDEX observations_newest ON observations (created_at, id, kind, project_id)",
    "CREATE INDEX observations_counted ON observations (project_id, kind, created_at, text_bytes)",
    *DERIVED.values(),
    """CREATE TABLE recalls (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        project_id TEXT NOT NULL,
        query TEXT NOT NULL,
        source TEXT NOT NULL,
        session_id TEXT,
        hit_ids_json TEXT NOT NULL,
        hit_count INTEGER NOT NULL,
        duration_ms REAL NOT NULL,
        asked_at TEXT NOT NULL
    )""",
    "CREATE INDEX recalls_of_project ON recalls (project_id, asked_at, hit_count)",
    "CREATE INDEX recalls_asked ON recalls (asked_at, hit_count)",
    """CREATE TABLE recall_hits (
        hit_id TEXT NOT NULL,
        recall_id INTEGER NOT NULL REFERENCES recalls (id) ON DELETE CASCADE,
        PRIMARY KEY (hit_id, recall_id)
    ) WITHOUT ROWID""",
    "CREATE INDEX recall_hits_of_recall ON recall_hits (recall_id)",
    "CREATE TABLE store_facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
)

_REDACTIONS = (
    """CREATE TABLE redactions (
        project_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        amount INTEGER NOT NULL,
        PRIMARY KEY (project_id, kind)
    ) WITHOUT ROWID""",
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (_FIRST, _REDACTIONS)
"""Each step is a tuple of statements, applied in one transaction with its version number."""


def newest() -> int:
    """Return the number of the schema that this version makes and reads."""
    return len(MIGRATIONS)


def migrate(connection: sqlite3.Connection, before: Callable[[], None]) -> None:
    """Bring the database to the newest schema; does nothing when it is there.

    `before` is called once before a database that is in use is changed; if it raises,
    nothing is. Several processes may do this at once: each step takes the write lock and
    looks at the version again.

    Raises:
        BackendUnavailable: A newer version of LTM Tray made this file, or another program.
    """
    if _version(connection) == 0 and _holds_tables(connection):
        raise BackendUnavailable(
            "The database file belongs to another program; it is left as it is.",
            state=StoreState.OTHER_PROGRAM,
            next_step="Name another file in dbPath.",
        )
    if 0 < _version(connection) < len(MIGRATIONS):
        before()
    while (version := _version(connection)) < len(MIGRATIONS):
        with transaction(connection):
            if _version(connection) == version:
                _apply(connection, version)
    if version > len(MIGRATIONS):
        raise BackendUnavailable(
            f"A newer LTM Tray made this database (schema {version}, this one knows "
            f"{len(MIGRATIONS)}); it is left as it is.",
            state=StoreState.NEWER_VERSION,
            next_step="Update LTM Tray to use it.",
        )


def _apply(connection: sqlite3.Connection, version: int) -> None:
    for statement in MIGRATIONS[version]:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {version + 1}")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _holds_tables(connection: sqlite3.Connection) -> bool:
    sql = "SELECT 1 FROM sqlite_schema WHERE (SELECT * FROM pragma_user_version) = 0 LIMIT 1"
    return connection.execute(sql).fetchone() is not None
