"""What the idle app takes with its tray up: memory and processor time."""

from __future__ import annotations

import os
import time
from pathlib import Path

from tests.bench.report import Row
from tests.bench.stage import empty_home
from tests.support.app import RunningApp
from tests.support.desktop import Desktop

SETTLE_S = 3.0
IDLE_S = 60.0
RSS_LIMIT_MB = 60
CPU_LIMIT_PERCENT = 0.2


def footprint() -> list[Row]:
    """Start the app, use it a little, leave it alone for a minute."""
    with Desktop() as desk, empty_home(), RunningApp(display=desk.display) as app:
        assert app.process is not None
        app.post("/remember", cwd="/w/a", content="The build needs Node 22")
        app.get("/recall", cwd="/w/a", q="node")
        time.sleep(SETTLE_S)
        before_s = _processor_s(app.process.pid)
        time.sleep(IDLE_S)
        used_percent = (_processor_s(app.process.pid) - before_s) / IDLE_S * 100
        rss_mb = _rss_mb(app.process.pid)
        app.end()
    return [
        Row(what="idle memory (RSS) with the tray", value=rss_mb, unit="MB", at_most=RSS_LIMIT_MB),
        Row(
            what=f"idle processor time over {IDLE_S:.0f} s",
            value=used_percent,
            unit="%",
            at_most=CPU_LIMIT_PERCENT,
        ),
    ]


def _processor_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / float(os.sysconf("SC_CLK_TCK"))


def _rss_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    (kib,) = [int(line.split()[1]) for line in lines if line.startswith("VmRSS:")]
    return kib * 1024 / 1e6
