"""What is too large, too slow or out of place is turned away, and the log tells no tales."""

from __future__ import annotations

import logging
import socket
from urllib.parse import quote

import pytest

from ltm_tray.fronts.web.server import LocalServer
from tests.support.web import Web
from tests.support.wire import exchange, get

# 20, 21: sizes


def test_a_body_that_the_app_never_sees_is_too_large_as_well(
    running: tuple[Web, LocalServer],
) -> None:
    port = running[1].port
    head = (
        f"POST /api/memory/remember HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        "Content-Type: application/json\r\nContent-Length: 3000000\r\nConnection: close\r\n\r\n"
    )
    assert exchange(port, head.encode()).status == 413


def test_a_chunked_body_over_the_limit_is_refused_in_json(
    running: tuple[Web, LocalServer],
) -> None:
    port = running[1].port
    head = (
        f"POST /api/memory/remember HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    )
    chunk = b"%x\r\n%s\r\n" % (1_100_000, b"x" * 1_100_000)
    reply = exchange(port, head.encode() + chunk + b"0\r\n\r\n")
    assert reply.status == 413
    assert b"payload_too_large" in reply.body


def test_a_header_over_the_limit_is_refused(running: tuple[Web, LocalServer]) -> None:
    port = running[1].port
    head = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX-Long: ".encode()
    # Not a byte more than the server reads: with unread bytes left it may reset instead.
    assert exchange(port, head.ljust(65_536, b"x")).status == 431


def test_a_question_of_thousands_of_words_still_fits(running: tuple[Web, LocalServer]) -> None:
    port = running[1].port
    q = quote("wörter " * 4_000)
    reply = get(port, f"/api/memory/recall?cwd=/w&q={q}", f"Host: 127.0.0.1:{port}")
    assert reply.status == 200


# 25: paths


@pytest.mark.parametrize(
    "path",
    [
        "/static/../pyproject.toml",
        "/static/%2e%2e/pyproject.toml",
        "/static/..%2fpyproject.toml",
        "/static/%252e%252e/pyproject.toml",
        "/static/..\\pyproject.toml",
        "/static//etc/passwd",
        "/static/%00",
        "/favicon.png",
    ],
)
def test_no_path_leads_out_of_the_static_files(running: tuple[Web, LocalServer], path: str) -> None:
    port = running[1].port
    assert get(port, path, f"Host: 127.0.0.1:{port}").status == 404


# 31: slow clients


def test_half_open_connections_do_not_keep_others_out(
    running: tuple[Web, LocalServer],
) -> None:
    port = running[1].port
    held = [socket.create_connection(("127.0.0.1", port)) for _ in range(100)]
    try:
        for connection in held:
            connection.sendall(b"GET / HTTP/1.1\r\nX-Slow: ")
        assert get(port, "/api/memory/health", f"Host: 127.0.0.1:{port}").status == 200
    finally:
        for connection in held:
            connection.close()


# 32: logs


def test_the_log_names_requests_without_anybodys_text(
    web: Web, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    web.remember("SESAME in the body", concepts=["SESAME"])
    web.get("/recall", cwd="/SESAME", q="SESAME")
    web.send("/remember", b'{"cwd": "SESAME"')
    web.client.get("/", query_string={"q": "SESAME"}, headers={"Authorization": "SESAME"})
    assert "SESAME" not in caplog.text
    assert "POST '/api/memory/remember' 200" in caplog.text
    assert "GET '/api/memory/recall' 200" in caplog.text


def test_a_path_cannot_break_the_lines_of_the_log(
    web: Web, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    web.client.get("/a%0d%0aFORGED")
    assert "\nFORGED" not in caplog.text
