"""With a required token: programs show it, browsers come through a link, all others stay out."""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from ltm_tray.domain.requests import RememberRequest
from ltm_tray.fronts.web import openapi
from ltm_tray.fronts.web.gate import LINK_LIVES_S, Gate
from tests.support.web import HERE, PORT, Web, a_web

TOKEN = "t" * 43
BEARER = {"Authorization": f"Bearer {TOKEN}"}
COOKIE = f"ltm_console_{PORT}"


class Watch:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now_s = 1_000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def gate(watch: Watch) -> Gate:
    return Gate(TOKEN, elapsed_s=watch)


@pytest.fixture
def web(tmp_path: Path, gate: Gate) -> Iterator[Web]:
    made = a_web(tmp_path, gate=gate)
    yield made
    made.service.close()


def _entered(web: Web, gate: Gate, path: str = "") -> FlaskClient:
    client = web.client
    assert client.get(gate.link(path)).status_code == 303
    return client


# Programs


@pytest.mark.parametrize(
    "sent",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        f"Bearer {TOKEN[:-1]}",
        f"Bearer {TOKEN}t",
        f"Bearer {TOKEN} {TOKEN}",
        f"Basic {TOKEN}",
        TOKEN,
        "Bearer é" + "t" * 42,
        f"Bearer {TOKEN}, Bearer {TOKEN}",
    ],
)
@pytest.mark.parametrize(
    ("method", "path"),
    [
        *((method.upper(), path) for path, methods in openapi.document()["paths"].items()
          for method in methods if not path.endswith("/health")),
        ("GET", "/api/memory/nope"),
        ("PUT", "/api/memory/recall"),
    ],
)  # fmt: skip
def test_28_no_route_of_the_api_answers_without_the_token(
    web: Web, method: str, path: str, sent: str | None
) -> None:
    headers = {} if sent is None else {"Authorization": sent}
    answer = web.client.open(path, method=method, headers=headers)
    assert answer.status_code == 401
    assert answer.get_json()["error"] == "unauthorized"
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert web.counts() == (0, 0)


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_28_with_the_token_the_api_answers(web: Web, scheme: str) -> None:
    headers = {"Authorization": f"{scheme} {TOKEN}"}
    saved = web.client.post(
        "/api/memory/remember", json={"cwd": HERE, "content": "tea"}, headers=headers
    )
    assert saved.status_code == 200
    assert web.client.get("/api/memory/health", headers=headers).get_json()["enabled"] is True


def test_health_tells_a_stranger_who_answers_and_nothing_more(web: Web) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong"}):
        answer = web.client.get("/api/memory/health", headers=headers)
        assert answer.get_json() == {
            "service": "ltm_tray",
            "version": "9.9.9",
            "tokenRequired": True,
        }


def test_the_host_and_the_origin_come_before_the_token_and_the_token_before_the_rest(
    web: Web,
) -> None:
    def error(path: str, method: str = "GET", **more: object) -> str:
        options = {"method": method, **more}
        return str(web.client.open(path, **options).get_json()["error"])  # type: ignore[arg-type]

    path = "/api/memory/remember"
    assert error(path, base_url="http://evil.test") == "host_not_allowed"
    assert error(path, headers={"Origin": "http://evil.test"}) == "cross_site_request"
    assert error(path, headers={"Origin": "http://evil.test", **BEARER}) == "cross_site_request"
    assert error("/api/memory/nope") == error(path) == "unauthorized"
    assert error(path, "POST", data="x", content_type="text/plain") == "unauthorized"
    assert error("/api/memory/nope", headers=BEARER) == "not_found"
    assert error(path, headers=BEARER) == "method_not_allowed"
    assert error(path, "POST", data="x", headers=BEARER) == "unsupported_media_type"


def test_a_browser_that_was_let_in_still_needs_the_token_for_the_api(web: Web, gate: Gate) -> None:
    client = _entered(web, gate)
    assert client.get("/").status_code == 200
    assert client.get("/api/memory/settings").status_code == 401


def test_every_secret_is_compared_in_constant_time(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[tuple[object, object]] = []

    def compare(known: bytes, sent: bytes) -> bool:
        compared.append((known, sent))
        return False  # what else would say yes is found out

    once = gate.link().partition("=")[2]
    entered = gate.enter(once)
    again = gate.link().partition("=")[2]
    monkeypatch.setattr(hmac, "compare_digest", compare)
    assert entered
    assert not gate.knows_program(f"Bearer {TOKEN}")
    assert not gate.knows_browser(entered[0])
    assert gate.enter(again) is None
    secrets = [secret.encode() for secret in (TOKEN, entered[0], again)]
    assert compared == [(secret, secret) for secret in secrets]


# Browsers


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"), ("GET", "/?q=tea"), ("GET", "/recalls"), ("GET", "/projects"),
        ("GET", "/stats"), ("GET", "/settings"), ("GET", "/export.json"), ("GET", "/counts.json"),
        ("GET", "/memories/mem_00000001.json"), ("GET", "/nope"), ("POST", "/settings/enabled"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("cookie", ["", "x" * 43, TOKEN])
def test_without_a_cookie_of_ours_a_page_only_says_how_to_open_the_console(
    web: Web, method: str, path: str, cookie: str
) -> None:
    web.service.remember(RememberRequest(cwd=HERE, content="green tea"))
    client = web.client
    if cookie:
        client.set_cookie(COOKIE, cookie, domain="127.0.0.1")
    answer = client.open(path, method=method, headers=BEARER)
    assert answer.status_code == 401
    assert "ltm-tray open" in answer.text
    assert "tea" not in answer.text
    assert HERE not in answer.text
    assert web.switch.enabled is True


def test_the_look_of_the_locked_page_is_open_to_all(web: Web) -> None:
    page = web.client.get("/").text
    for address in ("/static/app.css", "/static/app.js", "/favicon.svg"):
        assert address in page
        assert web.client.get(address).status_code == 200


def test_a_link_leads_in_and_out_of_the_address_bar(web: Web, gate: Gate) -> None:
    client = web.client
    link = gate.link()
    answer = client.get(link)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/")
    assert answer.headers["Cache-Control"] == "no-store"
    assert link.partition("=")[2] not in answer.text
    name, *attributes = answer.headers["Set-Cookie"].split("; ")
    assert name.startswith(f"{COOKIE}=")
    assert TOKEN not in name
    # Host-only, and gone when the browser ends: neither Domain nor an age is set.
    assert sorted(attributes) == ["HttpOnly", "Path=/", "SameSite=Strict"]
    assert client.get("/").status_code == 200
    assert client.post("/settings/enabled", data={"enabled": "false"}).status_code == 303
    assert web.switch.enabled is False


def test_a_link_can_lead_to_a_page(web: Web, gate: Gate) -> None:
    answer = web.client.get(gate.link("/recalls"))
    assert (answer.status_code, answer.headers["Location"]) == (303, "/recalls")


def test_a_link_leads_nowhere_that_its_address_says(web: Web, gate: Gate) -> None:
    answer = web.client.get(gate.link() + "&next=http://evil.test&path=//evil.test")
    assert answer.headers["Location"] == "/"


def test_a_link_works_once(web: Web, gate: Gate) -> None:
    link = gate.link()
    assert web.client.get(link).status_code == 303
    again = web.client.get(link)
    assert again.status_code == 401
    assert "used before" in again.text
    assert "Set-Cookie" not in again.headers


def test_a_link_works_for_a_minute(web: Web, gate: Gate, watch: Watch) -> None:
    early, late = gate.link(), gate.link()
    watch.now_s += LINK_LIVES_S
    assert web.client.get(early).status_code == 303
    watch.now_s += 0.1
    answer = web.client.get(late)
    assert answer.status_code == 401
    assert "Set-Cookie" not in answer.headers


def test_looking_at_a_link_does_not_use_it_up(web: Web, gate: Gate) -> None:
    link = gate.link()
    assert web.client.head(link).status_code == 401
    assert web.client.get(link).status_code == 303


@pytest.mark.parametrize("once", ["", "x" * 43, TOKEN, "%C3%A9", "%FF"])
def test_a_link_that_was_not_given_leads_nowhere(web: Web, gate: Gate, once: str) -> None:
    gate.link()
    assert web.client.get(f"/login?once={once}").status_code == 401


def test_a_page_of_another_origin_cannot_use_a_link_for_an_image(web: Web, gate: Gate) -> None:
    link = gate.link()
    embedded = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert web.client.get(link, headers=embedded).status_code == 403
    assert web.client.get(link).status_code == 303


def test_many_links_and_browsers_push_out_the_oldest(gate: Gate) -> None:
    links = [gate.link().partition("=")[2] for _ in range(25)]
    assert gate.enter(links[0]) is None
    sessions = []
    for _ in range(101):
        entered = gate.enter(gate.link().partition("=")[2])
        assert entered
        sessions.append(entered[0])
    assert not gate.knows_browser(sessions[0])
    assert all(gate.knows_browser(session) for session in sessions[1:])


def test_a_program_with_the_token_gets_a_link(web: Web) -> None:
    answer = web.client.post("/api/memory/console", json={}, headers=BEARER)
    assert web.client.get(answer.get_json()["path"]).status_code == 303


def test_where_no_token_is_required_the_console_just_opens(tmp_path: Path) -> None:
    web = a_web(tmp_path / "open")
    assert web.post("/console", {}).get_json() == {"path": "/"}
    assert web.client.get("/login?once=x").status_code == 404
    assert web.client.get("/").status_code == 200
    web.service.close()


def test_no_log_line_holds_a_token_a_link_or_a_cookie(
    web: Web, gate: Gate, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    link = gate.link()
    client = web.client
    client.get(link)
    client.get(link)
    client.get("/api/memory/settings", headers=BEARER)
    made = client.post("/api/memory/console", json={}, headers=BEARER).get_json()["path"]
    client.get(f"/{TOKEN[:5]}?token={TOKEN}")
    cookie = client.get_cookie(COOKIE, domain="127.0.0.1")
    assert cookie
    assert "GET '/login' 303" in caplog.text
    for secret in (TOKEN, link.partition("=")[2], made.partition("=")[2], cookie.value, "once="):
        assert secret not in caplog.text
