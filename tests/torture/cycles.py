"""Starting and stopping again and again: nothing may be left behind."""

from __future__ import annotations

import json
import threading
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

from ltm_tray import bootstrap, running
from tests.support.writer import text_of

_WARM_UP = 20
_PROCESS = Path("/proc/self")


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaks:
    """How much more there was after the last cycle than after the first few."""

    cycles: int
    threads: int
    files: int
    resident_kib: int


def start_and_stop(cycles: int) -> Leaks:
    """Open services and server of the user in the environment, save once, and close them."""
    before = (0, 0, 0)
    for number in range(_WARM_UP + cycles):
        if number == _WARM_UP:
            before = _held()
        _cycle(number)
    after = _held()
    threads, files, resident = (now - then for now, then in zip(after, before, strict=True))
    return Leaks(cycles=cycles, threads=threads, files=files, resident_kib=resident)


def _cycle(number: int) -> None:
    settings = bootstrap.load_settings()
    with closing(bootstrap.open_services(settings)) as services:
        server = running._started_server(settings, services, gate=None)
        try:
            with closing(HTTPConnection("127.0.0.1", server.port, timeout=20)) as connection:
                body = json.dumps({"cwd": "/w/cycle", "content": text_of("cycle", number)})
                headers = {"Content-Type": "application/json"}
                connection.request("POST", "/api/memory/remember", body, headers)
                assert connection.getresponse().status == 200
        finally:
            assert server.stop()


def _held() -> tuple[int, int, int]:
    """Return threads, open files and resident KiB of this process."""
    status = (_PROCESS / "status").read_text().splitlines()
    resident = next(line.split()[1] for line in status if line.startswith("VmRSS"))
    return threading.active_count(), len(list((_PROCESS / "fd").iterdir())), int(resident)
