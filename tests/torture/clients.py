"""Clients that connect and say nothing, or half of it: the others must be answered."""

from __future__ import annotations

import socket
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from time import perf_counter

from tests.support.app import RunningApp


@dataclass(frozen=True, slots=True, kw_only=True)
class Starved:
    """How health was answered beside clients that occupy connections."""

    silent: int
    answers: int
    slowest_ms: float


def occupy(app: RunningApp, *, silent: int, answers: int) -> Starved:
    """Open so many connections that send nothing or half a request, then ask for health."""
    times_ms: list[float] = []
    with ExitStack() as held:
        clients = [
            held.enter_context(socket.create_connection(("127.0.0.1", app.port), timeout=60))
            for _ in range(silent)
        ]
        for number in range(answers):
            _send_half_a_request(clients[number::answers])
            began_s = perf_counter()
            assert app.get("/health").status == 200
            times_ms.append((perf_counter() - began_s) * 1_000)
    return Starved(silent=silent, answers=answers, slowest_ms=max(times_ms))


def _send_half_a_request(clients: list[socket.socket]) -> None:
    for client in clients:
        with suppress(OSError):  # it may have been closed to make room
            client.sendall(b"GET /api/memory/health HTTP/1.1\r\nX: ")
