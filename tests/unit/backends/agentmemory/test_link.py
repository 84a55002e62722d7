"""How an agentmemory server is reached, and what is said where it is not."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx
import pytest

from ltm_tray.backends.agentmemory import AgentMemoryStore
from ltm_tray.backends.agentmemory.link import Link, TimeLimit
from ltm_tray.backends.agentmemory.rows import Alive
from ltm_tray.domain.errors import BackendUnavailable, SettingsUnusable
from tests.support.app import free_port
from tests.support.builders import a_memory, a_query
from tests.support.clock import TickingClock
from tests.support.fake_agentmemory import FakeAgentMemory, an_agentmemory

WORD = "of-the-server"
LOCAL = "http://127.0.0.1:3111"
AWAY = "http://memory.example:3111"


def no_secret() -> str | None:
    return None


def a_link(url: str = LOCAL, transport: httpx.BaseTransport | None = None) -> Link:
    return Link(url, secret=lambda: WORD, transport=transport)


def answering(status: int, **content: object) -> httpx.MockTransport:
    return httpx.MockTransport(lambda _: httpx.Response(status, **content))  # type: ignore[arg-type]


@contextmanager
def listening(serve: Callable[[socket.socket], None]) -> Iterator[str]:
    """A server that takes one connection and does as it is told with it; its address."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            connection, _ = server.accept()
            with connection:
                serve(connection)

        thread = threading.Thread(target=accept)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        thread.join()


def test_a_server_that_is_not_there_is_told_from_all_else() -> None:
    store = AgentMemoryStore(
        f"http://127.0.0.1:{free_port()}", clock=TickingClock(), secret=no_secret, redact=str
    )
    with pytest.raises(BackendUnavailable, match=r"No agentmemory server answers.*start agentmem"):
        store.recall(a_query("tea"))
    assert not store.health().ok
    store.close()


@pytest.mark.parametrize(
    ("transport", "told"),
    [
        (answering(404), "engine running but not its worker"),
        (answering(401, json={"error": "unauthorized"}), "does not take the secret"),
        (answering(503, json={"status": "critical"}), "overloaded"),
        (answering(500, json={"error": "Invocation stopped"}), "failed with status 500"),
        (answering(504), "failed with status 504"),
        (answering(302, headers={"Location": AWAY}), "does not answer as agentmemory"),
        (answering(200, html="<p>hello"), "does not answer as agentmemory"),
        (answering(404, html="<p>gone"), "does not answer as agentmemory"),
        (answering(200, json=["a", "list"]), "does not answer as agentmemory"),
        (answering(200, json={"ok": True}), "does not answer as agentmemory"),
        (answering(200, content=b"\xff\xfe"), "does not answer as agentmemory"),
        (answering(400, json={"error": "query is required."}), "refused: query is required.$"),
        (answering(201, json={"success": False, "error": "the\nlimit"}), "refused: the limit.$"),
        (answering(200, json={"success": False}), "refused: status 200 without a reason"),
        (answering(404, json={"error": "no such route"}), "does not know /search"),
    ],
)
def test_what_a_server_answers_amiss_is_told_in_plain_words(
    transport: httpx.MockTransport, told: str
) -> None:
    store = AgentMemoryStore(
        LOCAL, clock=TickingClock(), secret=lambda: WORD, redact=str, transport=transport
    )
    for ask in (lambda: store.recall(a_query("tea")), lambda: store.remember(a_memory())):
        with pytest.raises(BackendUnavailable, match=told):
            ask()


def test_a_server_that_wants_a_secret_where_none_is_known_says_how_to_give_it() -> None:
    store = an_agentmemory(FakeAgentMemory(TickingClock(), secret=WORD), TickingClock())
    with pytest.raises(BackendUnavailable, match="asks for its secret; set AGENTMEMORY_SECRET"):
        store.recall(a_query("tea"))
    assert "AGENTMEMORY_SECRET" in (store.health().detail or "")


def test_a_server_that_does_not_answer_is_given_up() -> None:
    answered = threading.Event()

    def hang(connection: socket.socket) -> None:
        answered.wait()

    with listening(hang) as url:
        link = a_link(url)
        with pytest.raises(BackendUnavailable, match=r"did not answer within 0\.2 s"):
            link.get("livez", Alive, TimeLimit(0.2))
        answered.set()
        link.close()


def test_a_server_that_answers_drop_by_drop_is_given_up() -> None:
    given_up = threading.Event()

    def drip(connection: socket.socket) -> None:
        connection.recv(4_096)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n")
        while not given_up.wait(0.01):
            connection.sendall(b" ")

    with listening(drip) as url:
        link = a_link(url)
        with pytest.raises(BackendUnavailable, match="did not answer within"):
            link.get("livez", Alive, TimeLimit(0.3))
        given_up.set()
        link.close()


def test_a_server_that_breaks_off_is_told() -> None:
    with listening(lambda connection: connection.close()) as url:
        link = a_link(url)
        with pytest.raises(BackendUnavailable, match="broke off"):
            link.get("livez", Alive, TimeLimit(5))
        link.close()


def test_a_flood_is_cut_off() -> None:
    flood = (b" " * 1_000_000 for _ in range(100))
    link = a_link(transport=httpx.MockTransport(lambda _: httpx.Response(200, content=flood)))
    with pytest.raises(BackendUnavailable, match="more than 64 MiB"):
        link.get("livez", Alive, TimeLimit(20))


def test_several_requests_share_one_time_limit() -> None:
    link = a_link(transport=FakeAgentMemory(TickingClock()))
    with pytest.raises(BackendUnavailable, match="did not answer within"):
        link.get("livez", Alive, TimeLimit(0))


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("http://127.0.0.1:3111", True),
        ("http://127.8.9.1:3111", True),
        ("http://[::1]:3111", True),
        ("http://localhost:3111", True),
        ("https://127.0.0.1:3111", True),
        ("http://192.168.0.7:3111", False),
        ("https://memory.example", False),
        ("http://127.0.0.1.memory.example:3111", False),
        ("http://localhost.memory.example:3111", False),
        ("http://0x7f000001:3111", False),
    ],
)
def test_the_secret_is_sent_to_this_machine_only(url: str, sent: bool) -> None:
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(200, json={"service": "agentmemory"})

    a_link(url, httpx.MockTransport(answer)).get("livez", Alive, TimeLimit(1))
    told = asked[0].headers.get("Authorization")
    assert told == (f"Bearer {WORD}" if sent else None)


def test_a_server_elsewhere_that_wants_the_secret_is_told_about() -> None:
    link = a_link(AWAY, answering(401, json={"error": "unauthorized"}))
    with pytest.raises(BackendUnavailable, match="sent to this machine only"):
        link.get("health", Alive, TimeLimit(1))


def test_no_redirect_is_followed() -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.host)
        return httpx.Response(307, headers={"Location": f"{AWAY}/agentmemory/livez"})

    with pytest.raises(BackendUnavailable):
        a_link(transport=httpx.MockTransport(answer)).get("livez", Alive, TimeLimit(1))
    assert asked == ["127.0.0.1"]


def test_no_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")

    def answer(connection: socket.socket) -> None:
        connection.recv(4_096)
        body = b'{"service": "agentmemory"}'
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n"
        connection.sendall(head.encode() + body)

    with listening(answer) as url:
        link = a_link(url)
        assert link.get("livez", Alive, TimeLimit(5)) == Alive(service="agentmemory")
        link.close()


@pytest.mark.parametrize(
    "url",
    ["", "127.0.0.1:3111", "ftp://127.0.0.1", "http://", "http://me:pw@127.0.0.1:3111",
     "http://127.0.0.1:3111/path", "http://127.0.0.1:3111?x=1", "http://127.0.0.1:port", "\x00"],
)  # fmt: skip
def test_an_address_that_cannot_be_used_is_refused(url: str) -> None:
    with pytest.raises(SettingsUnusable, match="agentmemoryUrl"):
        a_link(url)


def test_a_slash_at_the_end_of_the_address_does_not_matter() -> None:
    assert a_link(f"{LOCAL}/").url == LOCAL


def test_another_program_on_the_port_is_no_agentmemory() -> None:
    other = answering(200, json={"service": "another", "status": "healthy"})
    health = an_agentmemory(other, TickingClock()).health()
    assert (health.ok, health.backend) == (False, "agentmemory")
    assert "is not agentmemory" in (health.detail or "")


def test_a_server_in_trouble_is_told_but_used() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json={"service": "agentmemory", "status": "degraded"})

    health = an_agentmemory(httpx.MockTransport(answer), TickingClock()).health()
    assert (health.ok, health.detail) == (True, "agentmemory says of itself: degraded.")


def test_health_tells_where_the_server_is_and_which_version() -> None:
    health = an_agentmemory(FakeAgentMemory(TickingClock()), TickingClock()).health()
    assert health.facts == {"url": LOCAL, "agentmemoryVersion": "0.9.29"}
