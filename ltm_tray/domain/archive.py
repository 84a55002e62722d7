"""What an export holds and how two stores meet: its records, counts and outcomes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from ltm_tray.domain.memory import Memory, NewMemory, NewObservation
from ltm_tray.domain.versions import merged


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedProject:
    """A project as an export holds it."""

    id: str
    cwd: str
    first_seen_at: datetime
    last_seen_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedObservation:
    """An observation as an export holds it: what was captured, its id and its time."""

    id: str
    created_at: datetime
    item: NewObservation


Record = ArchivedProject | Memory | ArchivedObservation
"""One line of an export. The `cwd` of items is that of their project; a line has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many records of each sort; `memories` counts all versions."""

    projects: int = 0
    memories: int = 0
    observations: int = 0

    @property
    def total(self) -> int:
        """How many records in all."""
        return self.projects + self.memories + self.observations


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One state of a store: how much it holds, and its records, to be read once.

    Projects come first, then memories, then observations, each in the order in which
    they were stored: an earlier version always before the one that replaced it.
    """

    counts: Counts
    records: Iterator[Record]


class Change(StrEnum):
    """What a record of an import does to the store."""

    NEW = "new"
    KNOWN = "known"
    CHANGED = "changed"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a record; `reason` says why it is bad."""

    change: Change
    reason: str = ""


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that was skipped: its number, from 1, and why."""

    number: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What an import did, or with a dry run would do.

    `bad_lines` names the first thousand of the `bad` ones. `missing` is how many records
    the file's first line promises and the file does not have: it was cut off.
    """

    new: Counts = field(default_factory=Counts)
    known: int = 0
    changed: int = 0
    bad: int = 0
    bad_lines: tuple[BadLine, ...] = ()
    missing: int = 0
    dry_run: bool = False


def met(here: Memory, there: Memory) -> Memory:
    """Return what two stores' memories of one id are together.

    The one saved again last counts; a memory that was replaced in either stays replaced.
    The earlier version of `here` stays; a latest memory without one takes that of `there`.
    """
    is_latest = here.is_latest and there.is_latest
    newer = there if there.updated_at > here.updated_at else here
    return replace(
        newer,
        cwd=here.cwd,
        is_latest=is_latest,
        parent_id=here.parent_id or (there.parent_id if is_latest else None),
    )


def with_labels_of(same: Memory, there: Memory) -> Memory:
    """Return a latest memory with the labels and earlier versions of one that says the same."""
    item = NewMemory(
        project_id=there.project_id,
        cwd=there.cwd,
        content=there.content,
        concepts=there.concepts,
        files=there.files,
        source_observation_ids=there.source_observation_ids,
    )
    together = merged(same, item, max(same.updated_at, there.updated_at))
    return replace(together, parent_id=same.parent_id or there.parent_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Which observations are overdue; without arguments none.

    Those created before an aware time, and those beyond the newest so many of each project.
    """

    created_before: datetime | None = None
    most_of_project: int = 0


NO_LIMITS = Limits()
"""The limits that keep every observation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeWish:
    """What a purge removes beside the traces of what was forgotten before.

    `versions` means those that a newer one has replaced, `backups` the older copies of
    the database.
    """

    versions: bool = True
    limits: Limits = NO_LIMITS
    backups: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OldCopy:
    """An older copy of the database: its file's name, when it was made, its size."""

    name: str
    made_at: datetime
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Purged:
    """What a purge removes, or removed.

    `questions` are those entries of the recall log that had found what is gone.
    `bytes_before` and `bytes_after` are the sizes of the database with its side files;
    before a purge they are equal. `copies` are older copies of the database, which hold
    what they held; with `copies_removed` they are gone.
    """

    versions: int = 0
    observations: int = 0
    questions: int = 0
    bytes_before: int = 0
    bytes_after: int = 0
    copies: tuple[OldCopy, ...] = ()
    copies_removed: bool = False
