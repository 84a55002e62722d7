"""Several programs use one file: none is turned away, and none undoes what another saved."""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from ltm_tray.backends.sqlite import wal
from tests.support.app import Answer, RunningApp
from tests.support.builders import a_memory
from tests.support.waiting import wait_until
from tests.support.writer import SAME, Writer, acknowledged, open_store, text_of
from tests.torture.kills import kill_writers
from tests.torture.processes import write_together

POSIX_ONLY = pytest.mark.skipif(os.name == "nt", reason="signals as POSIX knows them")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memory" / "ltm.sqlite"


@pytest.mark.slow
def test_programs_that_start_at_once_on_a_new_file_lose_no_write(file: Path) -> None:
    done = write_together(file, processes=4, writes=200)
    assert (done.writes, done.lost, done.refused, done.findings) == (200, 0, {}, [])


@POSIX_ONLY
@pytest.mark.slow
def test_what_was_acknowledged_survives_programs_that_are_killed(file: Path) -> None:
    done = kill_writers(file, kills=8)
    assert done.acknowledged >= done.kills == 8
    assert (done.lost, done.findings) == (0, [])


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
    for number in range(120):
        store.remember(a_memory(f"n{number} " + f"word{number} " * 3_000))
        sizes.append(wal.size_of(file))
    done.set()
    for reader in readers:
        reader.join()
    store.close()
    assert max(sizes) < 4_000_000
    assert not wal.log_of(file).exists()


def test_while_another_program_writes_writers_wait_and_readers_are_answered() -> None:
    with RunningApp("serve") as app:
        app.post("/remember", cwd="/w/a", content="The build needs Node 22")
        answers: list[Answer] = []

        def save(number: int) -> None:
            answers.append(app.post("/remember", cwd="/w/a", content=text_of("a", number)))

        writers = [threading.Thread(target=save, args=(number,)) for number in range(14)]
        with closing(sqlite3.connect(app.memory_dir / "ltm.sqlite", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            for writer in writers:
                writer.start()
            wait_until(lambda: len(answers) == 2, "the two that are too many are told so")
            assert app.get("/health").json["ok"] is True
            assert app.get("/recall", cwd="/w/a", q="node").status == 200
            other.execute("ROLLBACK")
        for writer in writers:
            writer.join()
        assert [answer.status for answer in answers] == [503] * 2 + [200] * 12
        assert answers[0].json["error"] == "database_busy"
