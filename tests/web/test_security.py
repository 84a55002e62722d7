"""Attacks on a loopback server; the numbers are those of the project's table of attacks."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from ltm_tray.fronts.web.server import LocalServer
from tests.support.web import HERE, PORT, Web, served
from tests.support.wire import exchange, get

RIGHT_HOST = f"127.0.0.1:{PORT}"
PLACES = ["/", "/static/app.css", "/nope", "/api/memory/health", "/api/memory/nope"]
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Web, LocalServer]]:
    with served(tmp_path_factory.mktemp("served")) as pair:
        yield pair


# 1, 3, 4, 5: the Host


@pytest.mark.parametrize("path", PLACES)
@pytest.mark.parametrize("host", ["evil.test", "127.0.0.1.evil.test"])
def test_a_rebound_name_is_refused_everywhere(web: Web, path: str, host: str) -> None:
    answer = web.client.get(path, base_url=f"http://{host}:{PORT}")
    assert answer.status_code == 403
    assert "host_not_allowed" in answer.text


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["Host: "],
        ["Host: 127.0.0.1"],
        ["Host: 127.0.0.1:{other}"],
        ["Host: 0.0.0.0:{port}"],
        ["Host: localhost.:{port}"],
        ["Host: user@127.0.0.1:{port}"],
        ["Host: 127.0.0.1:{port}", "Host: 127.0.0.1:{port}"],
        ["Host: 127.0.0.1:{port}, evil.test"],
        ["Host: [::]:{port}"],
        ["Host: \xff:{port}"],
        ["Host: evil.test", "X-Forwarded-Host: 127.0.0.1:{port}"],
    ],
)
@pytest.mark.parametrize("path", ["/", "/api/memory/health"])
def test_a_host_that_is_not_exactly_ours_is_refused(
    running: tuple[Web, LocalServer], path: str, lines: list[str]
) -> None:
    port = running[1].port
    sent = [line.format(port=port, other=port + 1) for line in lines]
    reply = get(port, path, *sent)
    assert reply.status == 403
    assert b"host_not_allowed" in reply.body


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_every_name_of_the_loopback_is_ours(running: tuple[Web, LocalServer], host: str) -> None:
    port = running[1].port
    reply = get(port, "/api/memory/health", f"Host: {host}:{port}", "X-Forwarded-Host: evil.test")
    assert reply.status == 200


def test_an_absolute_request_line_does_not_stand_in_for_the_host(
    running: tuple[Web, LocalServer],
) -> None:
    port = running[1].port
    assert get(port, f"http://127.0.0.1:{port}/", "Host: evil.test").status == 403


# 6-10, 14, 15: where a request comes from


@pytest.mark.parametrize(
    "headers",
    [
        {
            "Sec-Fetch-Site": "cross-site",
            "Sec-Fetch-Mode": "navigate",
            "Sec-Fetch-Dest": "document",
        },
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "same-origin, cross-site"},
        {"Sec-Fetch-Site": ""},
        {"Sec-Fetch-Site": "cross-site", "Origin": f"http://{RIGHT_HOST}"},
        {"Origin": f"http://127.0.0.1:{PORT + 1}"},
        {"Origin": "http://evil.test"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": f"https://{RIGHT_HOST}"},
        {"Origin": f"http://localhost.evil.test:{PORT}"},
        {"Origin": f"http://localhost:{PORT}"},
    ],
)
def test_a_page_of_another_origin_can_neither_switch_nor_save(
    web: Web, headers: dict[str, str]
) -> None:
    switch = web.client.post("/settings/enabled", data={"enabled": "false"}, headers=headers)
    save = web.client.post(
        "/api/memory/remember", json={"cwd": HERE, "content": "x"}, headers=headers
    )
    assert (switch.status_code, save.status_code) == (403, 403)
    assert save.get_json()["error"] == "cross_site_request"
    assert web.switch.enabled is True
    assert web.counts() == (0, 0)


@pytest.mark.parametrize(
    "headers", [{}, {"Sec-Fetch-Site": "same-origin"}, {"Origin": f"http://{RIGHT_HOST}"}]
)
def test_our_own_pages_and_programs_pass(web: Web, headers: dict[str, str]) -> None:
    answer = web.client.post("/settings/enabled", data={"enabled": "false"}, headers=headers)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/")
    assert web.switch.enabled is False


def test_nodes_fetch_passes(web: Web) -> None:
    answer = web.client.post(
        "/api/memory/remember",
        json={"cwd": HERE, "content": "tea"},
        headers={"Sec-Fetch-Mode": "cors", "User-Agent": "node"},
    )
    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("mode", "dest"), [("no-cors", "image"), ("navigate", "iframe"), ("cors", "empty")]
)
@pytest.mark.parametrize("path", ["/", "/api/memory/health", "/static/app.css"])
def test_another_site_cannot_embed_anything(web: Web, path: str, mode: str, dest: str) -> None:
    answer = web.client.get(
        path,
        headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": dest},
    )
    assert answer.status_code == 403


def test_a_link_from_outside_opens_a_page_but_never_the_api(web: Web) -> None:
    followed = {
        "Sec-Fetch-Site": "cross-site",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Dest": "document",
    }
    assert web.client.get("/?q=x", headers=followed).status_code == 200
    assert web.client.get("/api/memory/health", headers=followed).status_code == 403


# 13, 16: what every answer carries


@pytest.mark.parametrize(
    ("method", "path"),
    [
        *(("GET", path) for path in PLACES),
        ("GET", "/favicon.svg"),
        ("HEAD", "/"),
        ("PUT", "/"),
        ("OPTIONS", "/api/memory/recall"),
        ("POST", "/api/memory/remember"),
        ("POST", "/settings/enabled"),
    ],
)
@pytest.mark.parametrize("host", [RIGHT_HOST, f"evil.test:{PORT}"])
def test_every_answer_carries_every_header(web: Web, method: str, path: str, host: str) -> None:
    answer = web.client.open(path, method=method, base_url=f"http://{host}")
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
    assert not [name for name in answer.headers if name[0].lower().startswith("access-control")]
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("path", ["/", "/nope", "/api/memory/health", "/static/nope.css"])
def test_pages_and_data_are_not_cached(web: Web, path: str) -> None:
    assert web.client.get(path).headers["Cache-Control"] == "no-store"


def test_the_server_does_not_say_what_it_is_made_of(running: tuple[Web, LocalServer]) -> None:
    port = running[1].port
    assert "server" not in get(port, "/", f"Host: 127.0.0.1:{port}").headers


@pytest.mark.parametrize("path", ["/", "/api/memory/recall", "/static/app.css"])
def test_a_preflight_of_another_origin_gets_nothing(web: Web, path: str) -> None:
    answer = web.client.options(
        path, headers={"Origin": "http://evil.test", "Access-Control-Request-Method": "POST"}
    )
    assert answer.status_code == 403


# 18: reflected markup

MARKUP = '"><script>alert(1)</script><img src=x onerror=alert(1)>'


@pytest.mark.parametrize("parameter", ["q", "project", "kind", "cursor"])
def test_markup_in_an_address_is_escaped(web: Web, parameter: str) -> None:
    page = web.client.get("/", query_string={parameter: MARKUP}).text
    assert "<script" not in page
    assert "<img src=x" not in page


def test_markup_in_a_path_is_escaped(web: Web) -> None:
    page = web.client.get(f"/memories/{quote(MARKUP, safe='')}").text
    assert "<script" not in page


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


# 35: places in the source


ALLOWED = {"Markup(": {"display.py"}}


@pytest.mark.parametrize(
    "risky",
    ["force=True", "|safe", "| safe", "Markup(", "Access-Control", "0.0" + ".0.0", "debug="],
)
def test_risky_words_stand_only_where_they_are_allowed(risky: str) -> None:
    root = Path(__file__).parents[2]
    files = [*(root / "ltm_tray/fronts/web").rglob("*.py"), *(root / "templates").iterdir()]
    found = {file.name for file in files if risky in file.read_text("utf-8")}
    assert found <= ALLOWED.get(risky, set())


def test_templates_are_of_kinds_that_escape(web: Web) -> None:
    root = Path(__file__).parents[2]
    assert {file.suffix for file in (root / "templates").iterdir()} == {".html"}
    assert not [
        file.name for file in (root / "templates").iterdir() if "style=" in file.read_text("utf-8")
    ]
