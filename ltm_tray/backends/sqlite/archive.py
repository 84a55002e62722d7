"""SqliteArchive: the store as a whole, to carry away, to take in, to clean up."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory

from ltm_tray.backends.sqlite import importing, purging, rows
from ltm_tray.backends.sqlite.connection import Database
from ltm_tray.backends.sqlite.filtering import Condition
from ltm_tray.domain.archive import (
    ArchivedObservation,
    ArchivedProject,
    Counts,
    Limits,
    Outcome,
    Purged,
    PurgeWish,
    Record,
    Snapshot,
)
from ltm_tray.domain.errors import BackendUnavailable
from ltm_tray.domain.memory import NewObservation
from ltm_tray.domain.times import from_iso
from ltm_tray.ports import Clock

_COUNTS_SQL = """
SELECT (SELECT count(*) FROM projects p WHERE {where}),
       (SELECT count(*) FROM memories p WHERE {where}),
       (SELECT count(*) FROM observations p WHERE {where})
"""
_PROJECTS_SQL = """
SELECT p.project_id, p.cwd, p.first_seen_at, p.last_seen_at FROM projects p
WHERE {where} ORDER BY p.number
"""
_MEMORIES_SQL = f"{rows.MEMORY_SQL} WHERE {{where}} ORDER BY m.number"
_OBSERVATIONS_SQL = """
SELECT o.id, o.project_id, p.cwd, o.session_id, o.kind, o.title, o.narrative, o.source_json,
       o.created_at, o.dedup_key
FROM observations o JOIN projects p ON p.project_id = o.project_id
WHERE {where} ORDER BY o.number
"""


class SqliteArchive:
    """All that one SQLite file holds; see `ports.Archive` for every method."""

    def __init__(self, database: Database, *, clock: Clock) -> None:
        self._clock = clock
        self._database = database

    @contextmanager
    def snapshot(self, project_id: str | None = None, /) -> Iterator[Snapshot]:
        """See `Archive.snapshot`."""
        # What fails outside, such as the disk that is written to, must not pass through the
        # database's own handling of errors: hence a generator that is closed.
        with closing(self._walk(project_id)) as found:
            counts = next(found)
            assert isinstance(counts, Counts)  # noqa: S101 — the generator's own first word
            records = (record for record in found if not isinstance(record, Counts))
            yield Snapshot(counts=counts, records=records)

    def take_in(self, records: Sequence[Record], /) -> list[Outcome]:
        """See `Archive.take_in`."""
        with self._database.write() as connection:
            return [importing.take_in(connection, record) for record in records]

    @contextmanager
    def rehearsal(self) -> Iterator[SqliteArchive]:
        """See `Archive.rehearsal`."""
        with (
            self._readable() as database,
            TemporaryDirectory(prefix="ltm-") as folder,
            closing(database.copy_to(Path(folder) / "rehearsal.sqlite")) as copy,
        ):
            yield SqliteArchive(copy, clock=self._clock)

    def purgeable(self, wish: PurgeWish, /) -> Purged:
        """See `Archive.purgeable`."""
        return purging.purgeable(self._database, wish)

    def purge(self, wish: PurgeWish, /) -> Purged:
        """See `Archive.purge`."""
        return purging.purge(self._database, wish, self._clock())

    def delete_overdue(self, limits: Limits, most: int, /) -> int:
        """See `Archive.delete_overdue`."""
        return purging.delete_overdue(self._database, limits, most)

    def count_overdue(self, limits: Limits, /) -> int:
        """See `Archive.count_overdue`."""
        with self._database.read(within_s=inf) as connection:
            return purging.count_overdue(connection, limits)

    def _walk(self, project_id: str | None) -> Generator[Counts | Record, None, None]:
        with self._readable() as database, database.read(within_s=inf) as connection:
            yield from _everything(connection, project_id)

    @contextmanager
    def _readable(self) -> Iterator[Database]:
        """Lend the database, or where nothing may be written, which reading needs, a copy."""
        file = self._database.file
        if not file.exists() or (os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)):
            yield self._database
            return
        with TemporaryDirectory(prefix="ltm-") as folder:
            copy = Path(folder) / "copy.sqlite"
            _copy_files(file, copy)
            with closing(self._database.at(copy)) as database:
                yield database


def _copy_files(file: Path, copy: Path) -> None:
    try:
        for end in ("", "-wal"):  # the log last: it repeats what moves meanwhile
            part = file.with_name(file.name + end)
            if part.exists():
                shutil.copyfile(part, copy.with_name(copy.name + end))
    except OSError as error:
        raise BackendUnavailable(
            f"The database file {file} cannot be copied to be read: {error.strerror}."
        ) from error


def _everything(
    connection: sqlite3.Connection, project_id: str | None
) -> Iterator[Counts | Record]:
    where = Condition()
    if project_id is not None:
        # The sign keeps SQLite from an index, whose order would have to be sorted again.
        where.add("+p.project_id = ?", project_id)
    counting = _COUNTS_SQL.replace("{where}", where.sql)
    projects, memories, observations = connection.execute(counting, where.values * 3).fetchone()
    yield Counts(projects=projects, memories=memories, observations=observations)
    yield from map(_project_of, where.ask(connection, _PROJECTS_SQL))
    yield from map(rows.memory_of, where.ask(connection, _MEMORIES_SQL))
    yield from map(_observation_of, where.ask(connection, _OBSERVATIONS_SQL))


def _project_of(row: rows.Row) -> ArchivedProject:
    return ArchivedProject(
        id=row[0],
        cwd=row[1],
        first_seen_at=from_iso(row[2]),
        last_seen_at=from_iso(row[3]),
    )


def _observation_of(row: rows.Row) -> ArchivedObservation:
    seen = rows.observation_of(row)
    item = NewObservation(
        project_id=seen.project_id,
        cwd=seen.cwd,
        session_id=seen.session_id,
        kind=seen.kind,
        title=seen.title,
        narrative=seen.narrative,
        dedup_key=row[9],
        source=seen.source,
    )
    return ArchivedObservation(id=seen.id, created_at=seen.created_at, item=item)
