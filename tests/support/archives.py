"""Exports and imports of whole stores, and what a file says of them."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ltm_tray.archive import ArchiveService
from ltm_tray.backends.sqlite import SqliteArchive, SqliteStore
from ltm_tray.domain.archive import ImportReport
from ltm_tray.domain.project import project_of
from ltm_tray.ports import RetentionRules
from tests.support.clock import TickingClock
from tests.support.ids import CountingIds
from tests.support.switch import FakeSwitch

WHEN = "2026-01-02T03:04:05.006Z"


@dataclass
class FakeRetaining:
    """Limits held in memory."""

    rules: RetentionRules = field(default_factory=RetentionRules)

    def retention(self) -> RetentionRules:
        return self.rules


@dataclass
class Whole:
    """A store with the service over the whole of it."""

    store: SqliteStore
    clock: TickingClock
    switch: FakeSwitch
    retaining: FakeRetaining
    archive: ArchiveService

    def exported(self, cwd: str | None = None) -> bytes:
        out = io.BytesIO()
        self.archive.export(out.write, cwd=cwd, progress=silent)
        return out.getvalue()

    def take_in(self, data: bytes, *, dry_run: bool = False) -> ImportReport:
        return self.archive.take_in(io.BytesIO(data), dry_run=dry_run, progress=silent)


def silent(_: int, __: int) -> None:
    """Show nothing."""


def a_whole(file: Path, ids: CountingIds | None = None) -> Whole:
    clock, switch, retaining = TickingClock(), FakeSwitch(), FakeRetaining()
    store = SqliteStore(file, clock=clock, new_id=ids or CountingIds())
    archive = ArchiveService(
        SqliteArchive(store.database, clock=clock), switch=switch, retaining=retaining, clock=clock
    )
    return Whole(store, clock, switch, retaining, archive)


def an_export(*records: dict[str, Any], **header: Any) -> bytes:
    """Return a file of these records; what is wrong in them stays wrong."""
    first = {"format": "ltm-tray-export", "version": 1, **header}
    return as_lines([first, *records])


def as_lines(values: Sequence[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def a_project(cwd: str = "/work/here", **changes: Any) -> dict[str, Any]:
    return {
        "record": "project",
        "id": project_of(cwd, windows=False).id,
        "cwd": cwd,
        "firstSeenAt": WHEN,
        "lastSeenAt": WHEN,
        **changes,
    }


def a_memory_line(id_: str = "mem_1", content: str = "Use tabs", **changes: Any) -> dict[str, Any]:
    return {
        "record": "memory",
        "id": id_,
        "projectId": project_of("/work/here", windows=False).id,
        "type": "fact",
        "title": content[:80],
        "content": content,
        "concepts": [],
        "files": [],
        "sourceObservationIds": [],
        "sessionId": None,
        "isLatest": True,
        "parentId": None,
        "createdAt": WHEN,
        "updatedAt": WHEN,
        **changes,
    }


def an_observation_line(id_: str = "obs_1", **changes: Any) -> dict[str, Any]:
    return {
        "record": "observation",
        "id": id_,
        "projectId": project_of("/work/here", windows=False).id,
        "sessionId": "s-1",
        "kind": "agent_end",
        "title": "why is it slow?",
        "narrative": "User: why is it slow?",
        "source": None,
        "dedupKey": "leaf-1",
        "createdAt": WHEN,
        **changes,
    }
