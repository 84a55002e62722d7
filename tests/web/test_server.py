"""The server takes a loopback port, answers, and stops without leaving anything behind."""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from ltm_tray.domain.errors import SettingsUnusable
from ltm_tray.fronts.web import server as server_module
from ltm_tray.fronts.web.server import LocalServer, bind_loopback
from tests.support.wire import get, read_reply

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse

WAIT_S = 30


class Gate:
    """An app that holds each request at the gate until it is opened."""

    def __init__(self) -> None:
        self.came = threading.Event()
        self.opened = threading.Event()

    def __call__(self, environ: dict[str, Any], start: StartResponse) -> Iterable[bytes]:
        self.came.set()
        if environ["PATH_INFO"] == "/slow":
            assert self.opened.wait(WAIT_S)
        start("200 OK", [("Content-Length", "4")])
        return [b"done"]


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before


def _serve(app: Gate) -> LocalServer:
    server = LocalServer(app, bind_loopback(0))
    server.start()
    return server


def _in_thread(work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def _ask(port: int, path: str = "/") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=WAIT_S)
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    return connection


def _wait_until_closed(port: int) -> None:
    with contextlib.suppress(ConnectionError):
        while True:
            socket.create_connection(("127.0.0.1", port), timeout=WAIT_S).close()


def test_the_port_is_taken_on_the_loopback_only() -> None:
    with bind_loopback(0) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"


def test_a_taken_port_is_passed_over_for_the_next() -> None:
    with bind_loopback(0) as first:
        port = first.getsockname()[1]
        with bind_loopback(port) as second:
            assert port < second.getsockname()[1] < port + server_module.PORTS_TRIED


def test_when_no_port_is_free_the_error_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "PORTS_TRIED", 1)
    with bind_loopback(0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SettingsUnusable, match=f"No port from {port} to {port}.*LTM_PORT"):
            bind_loopback(port)


def test_the_last_port_of_all_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def taken(_listener: socket.socket, port: int) -> None:
        tried.append(port)
        raise OSError("taken")

    tried: list[int] = []
    monkeypatch.setattr(server_module, "_claim", taken)
    with pytest.raises(SettingsUnusable):
        bind_loopback(65_530)
    assert tried == list(range(65_530, 65_536))


def test_a_client_that_comes_before_the_start_is_answered() -> None:
    server = LocalServer(Gate(), bind_loopback(0))
    with _ask(server.port) as early:
        server.start()
        assert early.recv(100).startswith(b"HTTP/1.1 200")
    assert server.stop()


def test_after_the_stop_nobody_answers_and_the_port_is_free_again() -> None:
    server = _serve(Gate())
    with _ask(server.port) as served:
        assert served.recv(100)
    assert server.stop()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port))
    with bind_loopback(server.port) as again:
        assert again.getsockname()[1] == server.port


def test_requests_that_run_are_answered_before_the_stop() -> None:
    app = Gate()
    server = _serve(app)
    with _ask(server.port, "/slow") as connection:
        assert app.came.wait(WAIT_S)
        stopping = _in_thread(server.stop)
        _wait_until_closed(server.port)
        app.opened.set()
        assert read_reply(connection).body == b"done"
        stopping.join()


def test_open_connections_do_not_hold_up_the_stop() -> None:
    server = _serve(Gate())
    kept = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT_S)
    kept.request("GET", "/")
    assert kept.getresponse().read() == b"done"
    with socket.create_connection(("127.0.0.1", server.port)) as half_open:
        half_open.sendall(b"GET / HT")
        assert server.stop()
    kept.close()


def test_a_request_that_never_ends_is_cut_off_and_reported() -> None:
    app = Gate()
    server = _serve(app)
    with _ask(server.port, "/slow") as connection:
        assert app.came.wait(WAIT_S)
        assert server.stop() is False
        assert connection.recv(100) == b""
    app.opened.set()
    for thread in threading.enumerate():
        if thread.name.startswith("waitress-"):
            thread.join(WAIT_S)


def test_stopping_twice_or_before_the_start_is_no_mistake() -> None:
    never_started = LocalServer(Gate(), bind_loopback(0))
    assert never_started.stop()
    server = _serve(Gate())
    assert [server.stop(), server.stop()] == [True, True]


def test_many_servers_come_and_go_cleanly() -> None:
    for _ in range(25):
        server = _serve(Gate())
        with _ask(server.port) as connection:
            assert connection.recv(100)
            assert server.stop()


def test_silent_and_halting_clients_do_not_starve_the_others() -> None:
    server = _serve(Gate())
    clients = [
        socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_S) for _ in range(450)
    ]
    for number, client in enumerate(clients):
        with contextlib.suppress(ConnectionError):  # the longest silent are closed meanwhile
            if number % 2:
                client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf")
    assert [get(server.port, "/", "Host: x").status for _ in range(5)] == [200] * 5
    assert server.stop()
    for client in clients:
        client.close()
