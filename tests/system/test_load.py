"""The app under load, beside clients that say nothing, and started again and again."""

from __future__ import annotations

import sys

import pytest

from tests.support.app import RunningApp
from tests.torture.clients import occupy
from tests.torture.cycles import start_and_stop
from tests.torture.load import ask_together


@pytest.mark.slow
def test_writers_and_readers_that_never_pause_are_all_answered() -> None:
    with RunningApp("serve") as app:
        done = ask_together(app, writers=8, readers=8, seconds=4)
    assert (done.lost, done.refused, done.findings) == (0, {}, [])
    assert min(done.writes, done.reads) > 16


def test_health_answers_beside_many_silent_clients() -> None:
    with RunningApp("serve") as app:
        done = occupy(app, silent=450, answers=5)
        assert done.answers == 5
        assert app.get("/health").json["ok"] is True


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads what Linux tells of a process")
def test_starting_and_stopping_leaves_nothing_behind() -> None:
    done = start_and_stop(cycles=20)
    assert (done.threads, done.files) == (0, 0)
