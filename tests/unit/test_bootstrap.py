"""The clock and the ids that only bootstrap knows."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import UTC

from ltm_tray.bootstrap import new_id, utc_now


def test_the_clock_is_aware_utc_and_cut_to_milliseconds() -> None:
    times = [utc_now() for _ in range(50)]
    assert {time.tzinfo for time in times} == {UTC}
    assert {time.microsecond % 1000 for time in times} == {0}


def test_ids_tell_their_kind_and_time_and_never_repeat() -> None:
    ids = [new_id("mem") for _ in range(5_000)]
    assert len(set(ids)) == 5_000
    assert all(re.fullmatch(r"mem_\d{13}_[0-9a-f]{12}", id_) for id_ in ids)


def test_a_command_loads_no_web_server_and_no_tray() -> None:
    program = (
        "import sys\n"
        "from ltm_tray.fronts.cli.main import program\n"
        "program(['save', 'Use pnpm', '--cwd', '/w/a'], standalone_mode=False)\n"
        "print([name for name in ('flask', 'waitress', 'pystray', 'PIL') if name in sys.modules])\n"
    )
    shown = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert shown.stdout.splitlines()[-1] == "[]"
