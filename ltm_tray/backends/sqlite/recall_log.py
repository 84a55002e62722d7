"""The recall log: noted at once in memory, written a moment later, so that asking never waits."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections import deque

from ltm_tray.backends.sqlite import redactions
from ltm_tray.backends.sqlite.connection import Database
from ltm_tray.backends.sqlite.rows import as_json
from ltm_tray.domain.catalog import RecallLogEntry
from ltm_tray.domain.errors import LtmError
from ltm_tray.domain.memory import RECALL_LOG_MAX
from ltm_tray.domain.times import to_iso

_WAITING_MAX = 1_000
_GATHER_S = 0.5

logger = logging.getLogger(__name__)


class RecallLog:
    """Collects entries from any thread and writes them in order from one of its own."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: deque[RecallLogEntry] = deque(maxlen=_WAITING_MAX)
        self._changed = threading.Condition()
        self._writing = threading.Lock()
        self._worker: threading.Thread | None = None
        self._closed = False

    def add(self, entry: RecallLogEntry) -> None:
        """Take an entry; returns at once. Beyond 1,000 unwritten ones the oldest is dropped."""
        with self._changed:
            self._waiting.append(entry)
            if self._worker is None and not self._closed:
                self._worker = threading.Thread(target=self._work, name="recall-log", daemon=True)
                self._worker.start()
            if len(self._waiting) == 1:  # the worker sleeps; for more it need not wake again
                self._changed.notify()

    def flush(self) -> None:
        """Write what is waiting.

        Raises:
            DatabaseBusy: The store stayed locked; the entries wait on.
            BackendUnavailable: The store cannot be written; the entries wait on.
        """
        with self._writing:
            batch = self._take()
            try:
                if batch:
                    self._write(batch)
            except LtmError:
                self._put_back(batch)
                raise

    def close(self) -> None:
        """Write what is waiting and end the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._worker is not None:
            self._worker.join()
        self._flush_quietly()

    def _take(self) -> list[RecallLogEntry]:
        with self._changed:
            batch = list(self._waiting)
            self._waiting.clear()
            return batch

    def _put_back(self, batch: list[RecallLogEntry]) -> None:
        with self._changed:
            room = _WAITING_MAX - len(self._waiting)
            self._waiting.extendleft(reversed(batch[-room:] if room else []))

    def _write(self, batch: list[RecallLogEntry]) -> None:
        with self._database.write() as connection:
            for entry in batch:
                _insert(connection, entry)
            connection.execute(
                "DELETE FROM recalls WHERE id <= (SELECT max(id) FROM recalls) - ?",
                (RECALL_LOG_MAX,),
            )

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._waiting)
                if self._closed:
                    return
                # A burst of questions becomes one transaction.
                self._changed.wait_for(lambda: self._closed, timeout=_GATHER_S)
            self._flush_quietly()

    def _flush_quietly(self) -> None:
        try:
            self.flush()
        except LtmError as error:
            logger.warning("The recall log cannot be written: %s", error.code)
            self._take()


def _insert(connection: sqlite3.Connection, entry: RecallLogEntry) -> None:
    recall_id = connection.execute(
        "INSERT INTO recalls (project_id, query, source, session_id, hit_ids_json,"
        " hit_count, duration_ms, asked_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        _values(entry),
    ).lastrowid
    redactions.add(connection, entry.project_id, entry.redacted)
    connection.executemany(
        "INSERT OR IGNORE INTO recall_hits (hit_id, recall_id) VALUES (?, ?)",
        [(hit_id, recall_id) for hit_id in entry.hit_ids],
    )


def _values(entry: RecallLogEntry) -> tuple[object, ...]:
    return (
        entry.project_id,
        entry.query,
        entry.source,
        entry.session_id,
        as_json(entry.hit_ids),
        len(entry.hit_ids),
        entry.duration_ms,
        to_iso(entry.asked_at),
    )
