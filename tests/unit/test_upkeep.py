"""When the daily backup is due, and what the health tells of backups."""

from __future__ import annotations

import logging

import pytest

from ltm_tray.domain.checkup import Finding, fine
from ltm_tray.domain.errors import BackendUnavailable
from ltm_tray.domain.upkeep import Backup, BackupKind, Restored, Tell, backup_name
from ltm_tray.upkeep import DailyBackups, UpkeepService
from tests.support.clock import TickingClock
from tests.support.waiting import wait_until

DAY_S = 86_400


class FakeUpkeep:
    """Notes the backups it is asked for."""

    def __init__(self, clock: TickingClock) -> None:
        self.clock = clock
        self.made: list[Backup] = []
        self.empty = False
        self.broken = False

    def back_up(self, kind: BackupKind, tell: Tell | None = None, /) -> Backup:
        if self.broken:
            raise BackendUnavailable("the disk is full.")
        now = self.clock()
        made = Backup(name=backup_name(kind, now), kind=kind, made_at=now, size_bytes=1)
        self.made.insert(0, made)
        return made

    def backups(self) -> list[Backup]:
        return list(self.made)

    def is_empty(self) -> bool:
        return self.empty

    def examine(self, *, full: bool) -> Finding:
        return fine("integrity", "whole" if full else "looks whole")

    def give_log_back(self) -> str:
        return "given back"

    def restore(self, source: str, tell: Tell | None = None, /) -> Restored:
        raise NotImplementedError


@pytest.fixture
def clock() -> TickingClock:
    return TickingClock()


@pytest.fixture
def fake(clock: TickingClock) -> FakeUpkeep:
    return FakeUpkeep(clock)


@pytest.fixture
def service(fake: FakeUpkeep, clock: TickingClock) -> UpkeepService:
    return UpkeepService(fake, clock=clock)


def test_the_first_daily_backup_is_due_at_once(service: UpkeepService) -> None:
    made = service.back_up_if_due()
    assert made is not None
    assert made.kind is BackupKind.DAILY


def test_the_next_one_is_due_a_day_later(service: UpkeepService, clock: TickingClock) -> None:
    service.back_up_if_due()
    clock.advance(DAY_S - 60)
    assert service.back_up_if_due() is None
    clock.advance(61)
    assert service.back_up_if_due() is not None


def test_a_backup_of_a_persons_own_does_not_stand_for_the_daily_one(
    service: UpkeepService,
) -> None:
    service.back_up()
    assert service.back_up_if_due() is not None


def test_a_store_that_holds_nothing_needs_no_backup(
    service: UpkeepService, fake: FakeUpkeep
) -> None:
    fake.empty = True
    assert service.back_up_if_due() is None


def test_a_clock_that_was_set_back_does_not_stop_the_backups(
    service: UpkeepService, clock: TickingClock
) -> None:
    service.back_up_if_due()
    clock.advance(-10 * DAY_S)
    assert service.back_up_if_due() is not None


def test_the_health_tells_when_the_last_backup_was_made(service: UpkeepService) -> None:
    assert service.facts() == {}
    service.back_up()
    assert service.facts() == {"lastBackupAt": "2026-01-02T03:04:05.001Z"}


def test_a_failed_backup_is_told_until_one_succeeds(
    service: UpkeepService, fake: FakeUpkeep
) -> None:
    fake.broken = True
    with pytest.raises(BackendUnavailable):
        service.back_up()
    assert service.problems() == ["The last backup failed: the disk is full."]
    fake.broken = False
    service.back_up()
    assert service.problems() == []


def test_the_thread_makes_the_daily_backup_and_ends_when_asked(
    service: UpkeepService, fake: FakeUpkeep
) -> None:
    daily = DailyBackups(service, first_look_s=0, look_every_s=0.01)
    daily.start()
    wait_until(lambda: fake.made, "the daily backup")
    daily.stop()
    assert len(fake.made) == 1


def test_the_thread_outlives_a_backup_that_fails(
    service: UpkeepService, fake: FakeUpkeep, caplog: pytest.LogCaptureFixture
) -> None:
    fake.broken = True
    daily = DailyBackups(service, first_look_s=0, look_every_s=0.01)
    with caplog.at_level(logging.WARNING):
        daily.start()
        wait_until(lambda: caplog.records, "a failed backup")
    fake.broken = False
    wait_until(lambda: fake.made, "the next daily backup")
    daily.stop()
