"""`python -m tests.torture [NAME...]`: break the app on purpose, for minutes, and print figures."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.support.app import RunningApp
from tests.torture.clients import occupy
from tests.torture.cycles import start_and_stop
from tests.torture.kills import kill_writers
from tests.torture.load import ask_together
from tests.torture.processes import write_together

RESULT = Path(__file__).resolve().parents[2] / ".cache" / "torture.md"
LOAD_S = 60
KILLS = 500
WRITES = 20_000
PROCESSES = 8
CYCLES = 1_000
SILENT = 1_000


def kills(file: Path) -> tuple[str, bool]:
    """500 kills at random moments."""
    done = kill_writers(file, KILLS)
    told = (
        f"{done.kills} kills: {done.acknowledged:,} writes acknowledged, {done.lost} lost, "
        f"index differs {len(done.findings)} times"
    )
    return told, not done.lost and not done.findings


def processes(file: Path) -> tuple[str, bool]:
    """20,000 writes by 8 programs on one file."""
    done = write_together(file, PROCESSES, WRITES)
    told = (
        f"{done.processes} programs: {done.writes:,} writes in {done.seconds:.0f} s, "
        f"{done.lost} lost, refused: {done.refused or 'none'}"
    )
    return told, done.writes == WRITES and not done.lost and not done.findings


def load(_: Path) -> tuple[str, bool]:
    """8 writers and 8 readers over HTTP for 60 s."""
    with RunningApp("serve") as app:
        done = ask_together(app, writers=8, readers=8, seconds=LOAD_S)
    told = (
        f"{LOAD_S} s of 8 writers and 8 readers: {done.writes:,} writes "
        f"(p50 {done.write_ms[0]:.0f} ms, p99 {done.write_ms[1]:.0f} ms), {done.reads:,} reads "
        f"(p50 {done.read_ms[0]:.0f} ms, p99 {done.read_ms[1]:.0f} ms), {done.lost} lost, "
        f"refused: {done.refused or 'none'}"
    )
    return told, not done.lost and not done.refused and not done.findings


def cycles(_: Path) -> tuple[str, bool]:
    """1,000 starts and stops."""
    done = start_and_stop(CYCLES)
    told = (
        f"{done.cycles:,} starts and stops: {done.threads:+} threads, {done.files:+} open files, "
        f"{done.resident_kib:+,} KiB"
    )
    return told, done.threads <= 0 and done.files <= 0 and done.resident_kib < 8 * 1024


def clients(_: Path) -> tuple[str, bool]:
    """1,000 silent clients."""
    with RunningApp("serve") as app:
        done = occupy(app, silent=SILENT, answers=20)
    told = f"{done.silent:,} silent clients: health answered in {done.slowest_ms:.0f} ms at most"
    return told, done.slowest_ms < 5_000


MEASURES: list[Callable[[Path], tuple[str, bool]]] = [kills, processes, load, cycles, clients]


def _in_a_home_of_its_own(measure: Callable[[Path], tuple[str, bool]]) -> tuple[str, bool]:
    with TemporaryDirectory() as folder:
        os.environ |= {"HOME": folder, "PI_CODING_AGENT_DIR": f"{folder}/agent", "BROWSER": "true"}
        return measure(Path(folder) / "memory" / "ltm.sqlite")


def main(names: list[str]) -> int:
    """Run all, or the named ones; 1 when a promise was broken."""
    known: dict[str, Any] = {measure.__name__: measure for measure in MEASURES}
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"Unknown: {', '.join(unknown)}. Known: {', '.join(known)}.", file=sys.stderr)
        return 2
    lines, kept = [], True
    for name in names or known:
        print(f"{name} ...", file=sys.stderr, flush=True)
        told, held = _in_a_home_of_its_own(known[name])
        lines.append(f"- {told}{'' if held else ' — BROKEN'}")
        kept = kept and held
        print(lines[-1], flush=True)
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text("\n".join(lines) + "\n", "utf-8")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
