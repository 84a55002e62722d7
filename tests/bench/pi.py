"""What the extension costs Pi: its hooks on a turn, and a whole turn where no app runs."""

from __future__ import annotations

import resource
import time
from pathlib import Path
from statistics import median, quantiles

from tests.bench.report import Row
from tests.bench.stage import empty_home
from tests.support.app import RunningApp, free_port, ltm_tray
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
    return [row for version in PI_VERSIONS for row in _extra_rows(version)]


def _hook_rows(what: str, pi: InstalledPi, home: Path, port: int) -> list[Row]:
    run = [user(LONG)] + [assistant(LONG) for _ in range(30)]
    with Stage(pi, cwd=home / "project", port=port) as stage:
        stage.start()
        times_ms = [
            stage.emit("before_agent_start") + stage.turn(*run, leaf=f"leaf-{at}")
            for at in range(TURNS)
        ]
    p50, p95 = median(times_ms), quantiles(times_ms, n=20)[18]
    return [
        Row(what=f"hooks of a turn, {what}, p50", value=p50, unit="ms", at_most=HOOKS_LIMIT_MS),
        Row(what=f"hooks of a turn, {what}, p95", value=p95, unit="ms", at_most=HOOKS_LIMIT_MS),
    ]


def _extra_rows(version: str) -> list[Row]:
    installed = installed_pi(version)  # before the home is hidden, which has npm's settings
    with_it, without_it = [], []
    with empty_home() as home, FakeLlm() as llm:
        pi = Pi(installed, llm, home / "project", free_port())
        for _ in range(RUNS + 1):  # in turn, so that a busy moment meets both
            pi.install_extension()
            with_it.append(_turn_ms(pi))
            ltm_tray("pi", "uninstall")
            without_it.append(_turn_ms(pi))
    # The first run is the one in which Pi translates the extension and keeps the result. The
    # best of the others, as a start of Pi takes seconds of a busy machine and varies by more
    # than what is looked for.
    best, bare = (
        [min(kind) for kind in zip(*runs[1:], strict=True)] for runs in (with_it, without_it)
    )
    what = f"a turn of Pi {version} without an app: what the extension adds"
    return [
        Row(
            what=f"{what}, best of {RUNS}",
            value=best[0] - bare[0],
            unit="ms",
            at_most=EXTRA_LIMIT_MS,
        ),
        Row(what=f"{what}, processor time", value=best[1] - bare[1], unit="ms"),
    ]


def _turn_ms(pi: Pi) -> tuple[float, float]:
    """Return how long a turn took, and the processor time of it."""
    started_s, used_s = time.perf_counter(), _children_s()
    pi.says("Why?")
    return (time.perf_counter() - started_s) * 1_000, (_children_s() - used_s) * 1_000


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
