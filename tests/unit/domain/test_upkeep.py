"""Which backups are kept, and what their names say."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from ltm_tray.domain.upkeep import Backup, BackupKind, backup_name, backup_of, superfluous

MONDAY = datetime(2026, 3, 2, 12, tzinfo=UTC)


def a_backup(days: float, kind: BackupKind = BackupKind.DAILY) -> Backup:
    made_at = MONDAY + timedelta(days=days)
    return Backup(name=backup_name(kind, made_at), kind=kind, made_at=made_at, size_bytes=1)


def kept_days(backups: list[Backup]) -> list[int]:
    gone = superfluous(backups)
    return [(b.made_at - MONDAY).days for b in backups if b not in gone]


def test_the_newest_seven_daily_backups_are_kept_and_one_of_each_of_four_weeks_before() -> None:
    assert kept_days([a_backup(day) for day in range(70)]) == [
        41,  # the newest of its week, and so on
        48,
        55,
        62,
        *range(63, 70),
    ]


def test_weeks_without_a_backup_do_not_count() -> None:
    assert kept_days([a_backup(day) for day in (0, 21, 42, *range(60, 67))]) == [
        0,
        21,
        42,
        *range(60, 67),
    ]


@pytest.mark.parametrize("kind", [BackupKind.BEFORE_UPDATE, BackupKind.BEFORE_RESTORE])
def test_the_newest_three_backups_for_safety_are_kept(kind: BackupKind) -> None:
    assert kept_days([a_backup(day, kind) for day in range(5)]) == [2, 3, 4]


def test_a_backup_that_a_person_made_is_kept_for_good() -> None:
    assert superfluous([a_backup(day, BackupKind.MANUAL) for day in range(50)]) == []


def test_nothing_is_superfluous_where_there_is_nothing() -> None:
    assert superfluous([]) == []


def test_a_name_tells_when_and_why_a_backup_was_made() -> None:
    made_at = datetime(2026, 12, 1, 4, 30, 0, 7_000, tzinfo=UTC)
    name = backup_name(BackupKind.BEFORE_UPDATE, made_at)
    assert name == "ltm-20261201T043000007Z-before-update.sqlite"
    assert backup_of(name, 5) == Backup(
        name=name, kind=BackupKind.BEFORE_UPDATE, made_at=made_at, size_bytes=5
    )


@pytest.mark.parametrize(
    "name",
    [
        "ltm.sqlite",
        "ltm-20261201T043000007Z-odd.sqlite",
        "ltm-20261301T043000007Z-daily.sqlite",
        "ltm-20261201T043000007Z-daily.sqlite-wal",
        ".ltm-20261201T043000007Z-daily.sqlite.part",
    ],
)
def test_another_name_is_not_a_backup(name: str) -> None:
    assert backup_of(name, 5) is None
