"""Programs that are killed while they write: what was acknowledged must be there afterwards."""

from __future__ import annotations

import random
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tests.support.damage import findings
from tests.support.writer import Writer, acknowledged, open_store

WRITERS = 2
"""How many programs write at a time; all of them are killed."""
_LIVES_MAX_S = 0.2
_CHECK_EVERY = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Killed:
    """What became of the writes of killed programs."""

    kills: int
    acknowledged: int
    lost: int
    findings: list[str]


def kill_writers(file: Path, kills: int) -> Killed:
    """Kill so many programs at random moments, two at a time on one file.

    After each two the file is opened as a new program would, and must hold what was
    acknowledged so far; every ten times, its index must equal its tables.
    """
    chance = random.Random(20260102)  # noqa: S311 — test data
    known: dict[str, str] = {}
    lost: set[str] = set()
    found: list[str] = []
    rounds = kills // WRITERS
    for round_ in range(rounds):
        known |= _killed(file, f"k{round_}", chance)
        store = open_store(file)
        assert store.health().ok
        store.close()
        there = saved(file)
        lost |= {id_ for id_, text in known.items() if there.get(id_) != text}
        if round_ % _CHECK_EVERY == 0 or round_ == rounds - 1:
            found += findings(file)
    return Killed(kills=rounds * WRITERS, acknowledged=len(known), lost=len(lost), findings=found)


def saved(file: Path) -> dict[str, str]:
    """Return the texts of a file by their ids."""
    with closing(sqlite3.connect(file)) as connection:
        return dict(connection.execute("SELECT id, content FROM memories"))


def _killed(file: Path, name: str, chance: random.Random) -> dict[str, str]:
    """Let programs write, kill them at once, and return what they had acknowledged."""
    writers = [Writer(file, f"{name}p{number}", 0) for number in range(WRITERS)]
    first = [writer.wait_for_a_write() for writer in writers]
    time.sleep(chance.uniform(0, _LIVES_MAX_S))
    known: dict[str, str] = {}
    for writer, line in zip(writers, first, strict=True):
        known |= acknowledged(writer, [line, *writer.kill()])
    return known
