"""The values of upkeep: backups, which are kept, and what a restore did."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from itertools import groupby, islice

DAILY_KEPT = 7
"""How many of the newest daily backups are kept."""
WEEKLY_KEPT = 4
"""Of how many weeks before those the newest daily backup is kept."""
SAFETY_KEPT = 3
"""How many of the newest backups made before an update, or before a restore, are kept."""

_NAME = re.compile(r"ltm-(?P<time>\d{8}T\d{9})Z-(?P<kind>[a-z-]+)\.sqlite")
_TIME_FORMAT = "%Y%m%dT%H%M%S"

Tell = Callable[[int, int], None]
"""Is told how much of how much is done."""


class BackupKind(StrEnum):
    """Why a backup was made."""

    DAILY = "daily"
    MANUAL = "manual"
    BEFORE_UPDATE = "before-update"
    BEFORE_RESTORE = "before-restore"


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """A backup that was whole when it was made; `name` is that of its file."""

    name: str
    kind: BackupKind
    made_at: datetime
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What a restore did: where it took the store from, and how to go back.

    `kept` is the backup of what was there before. Where that could not be read, its file
    is `set_aside`, the path it has now.
    """

    source: str
    memories: int
    observations: int
    kept: Backup | None = None
    set_aside: str | None = None


def backup_name(kind: BackupKind, made_at: datetime) -> str:
    """Return the name of a backup's file; names in order are times in order."""
    time = made_at.astimezone(UTC)
    return f"ltm-{time:{_TIME_FORMAT}}{time.microsecond // 1000:03}Z-{kind}.sqlite"


def backup_of(name: str, size_bytes: int) -> Backup | None:
    """Return what a file's name says of a backup; None for a name that is not one's."""
    found = _NAME.fullmatch(name)
    if found is None or found["kind"] not in set(BackupKind):
        return None
    digits = found["time"]
    try:
        time = datetime.strptime(digits[:-3], _TIME_FORMAT).replace(tzinfo=UTC)
    except ValueError:
        return None
    made_at = time.replace(microsecond=int(digits[-3:]) * 1000)
    kind = BackupKind(found["kind"])
    return Backup(name=name, kind=kind, made_at=made_at, size_bytes=size_bytes)


def superfluous(backups: Iterable[Backup]) -> list[Backup]:
    """Return the backups that need not be kept.

    Kept are the newest 7 daily ones and the newest daily one of each of the 4 weeks (from
    Monday, UTC) that come before them, the newest 3 made before an update and before a
    restore, and every one a person made.
    """
    newest_first = sorted(backups, key=lambda backup: backup.made_at, reverse=True)
    daily = [b for b in newest_first if b.kind is BackupKind.DAILY]
    older = groupby(daily[DAILY_KEPT:], key=lambda backup: backup.made_at.isocalendar()[:2])
    kept = {*daily[:DAILY_KEPT], *(next(week) for _, week in islice(older, WEEKLY_KEPT))}
    for kind in (BackupKind.BEFORE_UPDATE, BackupKind.BEFORE_RESTORE):
        kept.update([b for b in newest_first if b.kind is kind][:SAFETY_KEPT])
    return [b for b in newest_first if b not in kept and b.kind is not BackupKind.MANUAL]
