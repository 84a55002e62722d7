"""Several programs use one file: none is turned away, and none undoes what another saved."""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from ltm_tray.backends.sqlite import wal
from tests.support.builders import a_memory, a_query
from tests.support.damage import findings
from tests.support.writer import SAME, Writer, acknowledged, open_store

POSIX_ONLY = pytest.mark.skipif(os.name == "nt", reason="signals as POSIX knows them")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memory" / "ltm.sqlite"


def saved(file: Path) -> dict[str, str]:
    with closing(sqlite3.connect(file)) as connection:
        return dict(connection.execute("SELECT id, content FROM memories"))


@pytest.mark.slow
def test_programs_that_start_at_once_on_a_new_file_lose_no_write(file: Path) -> None:
    writers = [Writer(file, f"p{number}", 50) for number in range(4)]
    written = [dict(acknowledged(writer, writer.lines())) for writer in writers]
    assert [len(texts) for texts in written] == [50] * 4
    assert saved(file) == {id_: text for texts in written for id_, text in texts.items()}
    assert findings(file) == []


@POSIX_ONLY
@pytest.mark.slow
def test_what_was_acknowledged_survives_programs_that_are_killed(file: Path) -> None:
    known: dict[str, str] = {}
    for round_ in range(6):
        writers = [Writer(file, f"r{round_}p{number}", 0) for number in range(2)]
        lines = [[writer.wait_for_a_write()] for writer in writers]
        for writer, first in zip(writers, lines, strict=True):
            known |= acknowledged(writer, first + writer.kill())
        store = open_store(file)
        assert store.recall(a_query(f"r{round_}p0n0")) != []
        store.close()
        assert known.items() <= saved(file).items()
        assert findings(file) == []


@pytest.mark.slow
def test_two_programs_that_replace_one_memory_make_one_chain(file: Path) -> None:
    writers = [Writer(file, f"{SAME}{name}", 20) for name in "ab"]
    ids = [id_ for writer in writers for id_, _ in acknowledged(writer, writer.lines())]
    assert len(set(ids)) == 40
    with closing(sqlite3.connect(file)) as connection:
        parents = connection.execute("SELECT parent_id, is_latest FROM memories").fetchall()
    assert len(parents) == 40
    assert sum(latest for _, latest in parents) == 1
    assert len({parent for parent, _ in parents}) == 40


@pytest.mark.slow
def test_the_log_stays_bounded_while_readers_never_pause(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wal, "TRY_BYTES", 1_000_000)
    monkeypatch.setattr(wal, "WAIT_BYTES", 2_000_000)
    store, done = open_store(file), threading.Event()

    def read() -> None:
        while not done.is_set():
            with store.database.read() as connection:
                connection.execute("SELECT count(*) FROM memories").fetchone()
                done.wait(0.02)

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    sizes = []
    for number in range(250):
        store.remember(a_memory(f"n{number} " + f"word{number} " * 3_000))
        sizes.append(wal.size_of(file))
    done.set()
    for reader in readers:
        reader.join()
    store.close()
    assert max(sizes) < 4_000_000
    assert not wal.log_of(file).exists()
