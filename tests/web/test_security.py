"""Attacks on a loopback server; the numbers are those of the project's table of attacks."""

from __future__ import annotations

import pytest

from ltm_tray.fronts.web.server import LocalServer
from tests.support.web import HERE, PORT, Web
from tests.support.wire import get

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
