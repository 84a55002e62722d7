"""What the extension costs Pi: its hooks on a turn, and a whole turn where no app runs."""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median, quantiles

from tests.bench.report import Row
from tests.bench.stage import empty_home
from tests.support.app import RunningApp, free_port
from tests.support.fake_app import FakeApp
from tests.support.fake_llm import FakeLlm
from tests.support.pi import Pi
from tests.support.pi_install import PI_VERSIONS, InstalledPi, installed_pi
from tests.support.stage import Stage, assistant, user

TURNS = 200
RUNS = 9
HOOKS_LIMIT_MS = 5
EXTRA_LIMIT_MS = 100
LONG = "Why is the index slow, and what did we decide about it? " * 100


def pi_hooks() -> list[Row]:
    """Time the hooks of a turn, with the app running, hanging and down."""
    rows = []
    for version in PI_VERSIONS:
        pi = installed_pi(version)
        with empty_home() as home:
            with RunningApp("serve") as app:
                rows += _hook_rows(f"Pi {version}, app running", pi, home, app.port)
            with FakeApp(health=None) as hanging:
                rows += _hook_rows(f"Pi {version}, app hanging", pi, home, hanging.port)
            rows += _hook_rows(f"Pi {version}, no app", pi, home, free_port())
    return rows


def pi_without_app() -> list[Row]:
    """Time a whole print-mode turn without an app, with the extension beside without it."""
    return [_extra_row(version) for version in PI_VERSIONS]


def _hook_rows(what: str, pi: InstalledPi, home: Path, port: int) -> list[Row]:
    run = [user(LONG)] + [assistant(LONG) for _ in range(30)]
    with Stage(pi, cwd=home / "project", port=port) as stage:
        stage.start()
        times_ms = [
            stage.emit("before_agent_start") + stage.turn(*run, leaf=f"leaf-{at}")
            for at in range(TURNS)
        ]
    p50, p99 = median(times_ms), quantiles(times_ms, n=100)[98]
    return [
        Row(what=f"hooks of a turn, {what}, p50", value=p50, unit="ms", at_most=HOOKS_LIMIT_MS),
        Row(what=f"hooks of a turn, {what}, p99", value=p99, unit="ms", at_most=HOOKS_LIMIT_MS),
    ]


def _extra_row(version: str) -> Row:
    with_ms, without_ms = [], []
    with FakeLlm() as llm:
        for _ in range(RUNS):  # in turn, so that a busy moment meets both
            without_ms.append(_turn_ms(version, llm, extended=False))
            with_ms.append(_turn_ms(version, llm, extended=True))
    return Row(
        what=f"a turn of Pi {version} without an app: what the extension adds, p50",
        value=median(with_ms) - median(without_ms),
        unit="ms",
        at_most=EXTRA_LIMIT_MS,
    )


def _turn_ms(version: str, llm: FakeLlm, *, extended: bool) -> float:
    installed = installed_pi(version)  # in the real home, where npm has its settings
    with empty_home() as home:
        pi = Pi(installed, llm, home / "project", free_port())
        if extended:
            pi.install_extension()
        started_s = time.perf_counter()
        pi.says("Why?")
        return (time.perf_counter() - started_s) * 1_000
