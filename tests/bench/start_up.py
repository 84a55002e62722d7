"""From the start of the process to its first healthy answer."""

from __future__ import annotations

import subprocess
import time
from http.client import HTTPConnection
from statistics import median

from tests.bench.report import Row
from tests.bench.stage import empty_home
from tests.support.app import PROGRAM, RunningApp
from tests.support.desktop import Desktop
from tests.support.waiting import wait_until

RUNS = 7
LIMIT_S = 0.7


def start_up() -> list[Row]:
    """Start the app several times in one home, without and with a tray."""
    with Desktop() as desk:
        return [
            Row(
                what="start to first healthy answer, serve",
                value=_median_s(["serve"], None),
                unit="s",
                at_most=LIMIT_S,
            ),
            Row(
                what="start to first healthy answer, with the tray",
                value=_median_s([], desk.display),
                unit="s",
                at_most=LIMIT_S,
            ),
            Row(what="one command (stats)", value=_command_s(), unit="s"),
        ]


def _median_s(arguments: list[str], display: str | None) -> float:
    with empty_home():
        return median(_one_start_s(arguments, display) for _ in range(RUNS + 1))


def _one_start_s(arguments: list[str], display: str | None) -> float:
    app = RunningApp(*arguments, display=display)
    started_s = time.perf_counter()
    app.launch()
    try:
        wait_until(lambda: _is_healthy(app.port), "a healthy answer", every_s=0.002)
        return time.perf_counter() - started_s
    finally:
        app.end()


def _is_healthy(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/api/memory/health")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def _command_s() -> float:
    with empty_home():
        times_s = []
        for _ in range(RUNS):
            started_s = time.perf_counter()
            subprocess.run([*PROGRAM, "stats"], check=True, stdout=subprocess.DEVNULL)
            times_s.append(time.perf_counter() - started_s)
    return median(times_s)
