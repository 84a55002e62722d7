"""Writers and readers that ask the app over HTTP without a pause."""

from __future__ import annotations

import json
import threading
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from http.client import HTTPConnection
from statistics import quantiles
from time import monotonic, perf_counter
from urllib.parse import urlencode

from tests.support.app import RunningApp
from tests.support.damage import findings
from tests.support.writer import text_of
from tests.torture.kills import saved

CWD = "/w/torture"


@dataclass(slots=True)
class Lane:
    """What one client did: how long each answer took, what was refused, what was saved."""

    times_ms: list[float] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    saved: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What became of all requests."""

    writes: int
    reads: int
    write_ms: tuple[float, float]
    """Median and 99th percentile."""
    read_ms: tuple[float, float]
    refused: dict[str, int]
    lost: int
    findings: list[str]


def ask_together(app: RunningApp, *, writers: int, readers: int, seconds: float) -> Load:
    """Ask a running app from so many clients, end it, and look for all it acknowledged."""
    ends_s = monotonic() + seconds
    writing, reading = ([Lane() for _ in range(count)] for count in (writers, readers))
    threads = [
        threading.Thread(target=work, args=(app, lane, client, ends_s))
        for work, lanes in ((_write, writing), (_read, reading))
        for client, lane in enumerate(lanes)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert app.end() == 0
    file = app.memory_dir / "ltm.sqlite"
    there = saved(file)
    known = {id_: text for lane in writing for id_, text in lane.saved.items()}
    refused = sum((lane.refused for lane in (*writing, *reading)), Counter[str]())
    return Load(
        writes=len(known),
        reads=sum(len(lane.times_ms) for lane in reading),
        write_ms=_median_and_p99(writing),
        read_ms=_median_and_p99(reading),
        refused=dict(refused),
        lost=sum(there.get(id_) != text for id_, text in known.items()),
        findings=findings(file),
    )


def _write(app: RunningApp, lane: Lane, client: int, ends_s: float) -> None:
    with closing(_connection(app)) as connection:
        number = 0
        while monotonic() < ends_s:
            text = text_of(f"c{client}", number)
            body = json.dumps({"cwd": CWD, "content": text})
            answer = _timed(connection, lane, "POST", "/api/memory/remember", body)
            if answer:
                lane.saved[answer["id"]] = text
            number += 1


def _read(app: RunningApp, lane: Lane, client: int, ends_s: float) -> None:
    with closing(_connection(app)) as connection:
        number = 0
        while monotonic() < ends_s:
            query = urlencode({"cwd": CWD, "q": f"c{client}n{number} note c0{number % 50}w3"})
            _timed(connection, lane, "GET", f"/api/memory/recall?{query}")
            number += 1


def _connection(app: RunningApp) -> HTTPConnection:
    return HTTPConnection("127.0.0.1", app.port, timeout=60)


def _timed(
    connection: HTTPConnection, lane: Lane, method: str, path: str, body: str | None = None
) -> dict[str, str]:
    """Ask, note how long it took, and return the answer; nothing for an error."""
    began_s = perf_counter()
    connection.request(method, path, body, {"Content-Type": "application/json"})
    response = connection.getresponse()
    answer: dict[str, str] = json.loads(response.read())
    lane.times_ms.append((perf_counter() - began_s) * 1_000)
    if response.status == 200:
        return answer
    lane.refused[f"{response.status} {answer['error']}"] += 1
    return {}


def _median_and_p99(lanes: list[Lane]) -> tuple[float, float]:
    parts = quantiles([time for lane in lanes for time in lane.times_ms], n=100)
    return parts[49], parts[98]
