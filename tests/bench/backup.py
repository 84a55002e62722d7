"""How long a save waits while another process backs a big store up."""

from __future__ import annotations

import multiprocessing
from pathlib import Path
from time import perf_counter, sleep

from ltm_tray.backends.sqlite import SqliteStore, SqliteUpkeep
from ltm_tray.domain.upkeep import BackupKind
from tests.bench.report import Row
from tests.bench.scale import a_subject
from tests.support.builders import a_memory
from tests.support.clock import TickingClock
from tests.support.ids import CountingIds

PROJECTS = 100
MEMORIES_EACH = 1_000
BLOCKED_LIMIT_MS = 50
PAUSE_S = 0.01


def backup() -> list[Row]:
    """Save a hundred times a second while the backup is made, and look at the longest save."""
    with a_subject() as subject:
        for number in range(PROJECTS):
            subject.fill_quickly(f"p{number}", MEMORIES_EACH)
        alone_ms = max(_save_ms(subject.store, f"before {number}") for number in range(300))
        size_mb = subject.file.stat().st_size / 1e6
        maker = multiprocessing.get_context("spawn").Process(target=_back_up, args=(subject.file,))
        started_s = perf_counter()
        maker.start()
        waits_ms: list[float] = []
        while maker.is_alive():
            waits_ms.append(_save_ms(subject.store, f"during {len(waits_ms)}"))
            sleep(PAUSE_S)
        took_s = perf_counter() - started_s
        assert maker.exitcode == 0
    return [
        Row(what=f"backup of 100k memories, {size_mb:.0f} MB", value=took_s, unit="s"),
        Row(what="longest of 300 saves without a backup", value=alone_ms, unit="ms"),
        Row(
            what=f"longest of {len(waits_ms)} saves during the backup",
            value=max(waits_ms),
            unit="ms",
            at_most=BLOCKED_LIMIT_MS,
        ),
    ]


def _save_ms(store: SqliteStore, text: str) -> float:
    started_s = perf_counter()
    store.remember(a_memory(f"the heron counts {text} boats", project_id="saver", cwd="/saver"))
    return (perf_counter() - started_s) * 1_000


def _back_up(file: Path) -> None:
    clock = TickingClock()
    store = SqliteStore(file, clock=clock, new_id=CountingIds())
    SqliteUpkeep(store.database, clock=clock).back_up(BackupKind.MANUAL)
    store.close()
