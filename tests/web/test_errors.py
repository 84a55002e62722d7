"""Every failure is told with its status, in the one shape, and without anybody's text."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from ltm_tray.domain import errors as domain
from ltm_tray.fronts.web import errors
from tests.support.failing import FailingStore
from tests.support.web import HERE, Web, a_web, problem_of

MEMORY = {"cwd": HERE, "content": "tea at four"}


def _kinds(base: type[domain.LtmError]) -> Iterator[type[domain.LtmError]]:
    for kind in base.__subclasses__():
        yield kind
        yield from _kinds(kind)


def test_every_error_has_a_status_of_its_own_making() -> None:
    unmapped = [kind for kind in _kinds(domain.LtmError) if kind.code == domain.LtmError.code]
    assert not unmapped
    codes = [kind.code for kind in errors.STATUS_OF]
    assert len(codes) == len(set(codes))


def _ask(web: Web, verb: str) -> TestResponse:
    if verb == "recall":
        return web.get("/recall", cwd=HERE, q="tea")
    return web.post("/remember", MEMORY)


@pytest.mark.parametrize("verb", ["recall", "remember"])
@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (domain.DatabaseBusy("busy"), 503, "database_busy"),
        (domain.BackendUnavailable("gone"), 503, "backend_unavailable"),
        (domain.NotSupported("cannot"), 503, "not_implemented"),
        (domain.SettingsUnusable("broken"), 503, "settings_unusable"),
        (RuntimeError("tea at four"), 500, "internal"),
    ],
)
def test_a_failing_store_is_never_an_empty_success(
    tmp_path: Path, verb: str, error: Exception, status: int, code: str
) -> None:
    answer = _ask(a_web(tmp_path, store=FailingStore(error)), verb)
    assert problem_of(answer) == (status, code, [])
    assert answer.mimetype == "application/json"


def test_a_busy_database_asks_to_try_again(tmp_path: Path) -> None:
    web = a_web(tmp_path, store=FailingStore(domain.DatabaseBusy("busy")))
    assert _ask(web, "recall").headers["Retry-After"] == "1"


def test_other_failures_do_not_ask_to_try_again(tmp_path: Path) -> None:
    web = a_web(tmp_path, store=FailingStore(domain.BackendUnavailable("gone")))
    assert "Retry-After" not in _ask(web, "recall").headers


def test_a_mistake_of_ours_leaves_its_trace_in_the_log_and_no_text(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    web = a_web(tmp_path, store=FailingStore(ValueError("the secret is SESAME")))
    answer = web.post("/remember", {"cwd": HERE, "content": "SESAME"})
    assert "SESAME" not in answer.text
    assert "SESAME" not in caplog.text
    assert "ValueError" in caplog.text
    assert "in remember" in caplog.text


def test_a_failing_store_is_told_on_the_search_page(tmp_path: Path) -> None:
    web = a_web(tmp_path, store=FailingStore(domain.BackendUnavailable("The file is damaged.")))
    answer = web.client.get("/")
    assert answer.status_code == 503
    assert "The file is damaged." in answer.text
    assert "Long-term memory is" in answer.text


def test_a_backend_that_cannot_browse_says_so_on_the_page(tmp_path: Path) -> None:
    web = a_web(tmp_path, store=FailingStore(domain.NotSupported("agentmemory cannot list.")))
    assert "agentmemory cannot list." in web.client.get("/").text


def test_a_mistake_of_ours_is_a_plain_page_in_the_console(tmp_path: Path) -> None:
    answer = a_web(tmp_path, store=FailingStore(RuntimeError("SESAME"))).client.get("/recalls")
    assert (answer.status_code, answer.mimetype) == (500, "text/html")
    assert "SESAME" not in answer.text


ROUTES = {
    "/api/memory/health": {"GET", "HEAD"},
    "/api/memory/recall": {"GET", "HEAD"},
    "/api/memory/remember": {"POST"},
    "/api/memory/observe": {"POST"},
    "/api/memory/forget": {"POST"},
    "/api/memory/stats": {"GET", "HEAD"},
    "/api/memory/memories/mem_1": {"GET", "HEAD"},
    "/api/memory/observations/obs_1": {"GET", "HEAD"},
    "/api/memory/tools": {"GET", "HEAD"},
    "/api/memory/settings": {"GET", "HEAD", "PATCH"},
    "/": {"GET", "HEAD"},
    "/recalls": {"GET", "HEAD"},
    "/memories/mem_1": {"GET", "HEAD"},
    "/observations/obs_1": {"GET", "HEAD"},
    "/settings/enabled": {"POST"},
    "/static/app.css": {"GET", "HEAD"},
    "/favicon.svg": {"GET", "HEAD"},
}


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE", "POST", "GET"])
@pytest.mark.parametrize("path", ROUTES)
def test_a_method_that_an_address_does_not_take_is_405_and_names_those_it_takes(
    web: Web, path: str, method: str
) -> None:
    if method in ROUTES[path]:
        return
    answer = web.client.open(path, method=method)
    assert answer.status_code == 405
    assert set(answer.headers["Allow"].split(", ")) == ROUTES[path]


@pytest.mark.parametrize(
    "path", ["/api/", "/api/memory", "/api/memory/nope", "/api/memory/recall/"]
)
def test_an_unknown_address_of_the_api_is_told_in_json(web: Web, path: str) -> None:
    assert problem_of(web.client.get(path)) == (404, "not_found", [])
    assert problem_of(web.client.post(path)) == (404, "not_found", [])


@pytest.mark.parametrize("path", ["/nope", "/memories/mem_no", "/observations/obs_no"])
def test_an_unknown_address_of_the_console_is_a_page(web: Web, path: str) -> None:
    answer = web.client.get(path)
    assert (answer.status_code, answer.mimetype) == (404, "text/html")
    assert "not_found" in answer.text


VERBS = [
    ("GET", "/recall"),
    ("POST", "/remember"),
    ("POST", "/observe"),
    ("POST", "/forget"),
]


@pytest.mark.parametrize(("method", "path"), VERBS)
def test_a_verb_is_refused_while_the_memory_is_off_whatever_is_sent(
    web: Web, method: str, path: str
) -> None:
    web.switch.enabled = False
    answer = web.client.open(
        f"/api/memory{path}", method=method, data=b"{", content_type="application/json"
    )
    assert problem_of(answer) == (503, "ltm_disabled", [])
    assert "Retry-After" not in answer.headers
    assert web.counts() == (0, 0)


def test_the_media_type_is_looked_at_before_the_switch(web: Web) -> None:
    web.switch.enabled = False
    assert web.send("/remember", b"{}", "text/plain").status_code == 415


def test_what_was_saved_can_be_read_while_the_memory_is_off(web: Web) -> None:
    memory_id, observation_id = web.remember("tea at four"), web.observe("tea at five")
    web.switch.enabled = False
    assert web.get("/health").get_json()["enabled"] is False
    assert web.get("/stats", cwd=HERE).get_json()["memoryCount"] == 1
    assert web.get(f"/memories/{memory_id}", cwd=HERE).status_code == 200
    assert web.get(f"/observations/{observation_id}", cwd=HERE).status_code == 200
    assert web.get("/settings").get_json()["enabled"] is False
    assert web.get("/tools").status_code == 200


def test_a_kind_of_capture_can_be_off_alone(web: Web) -> None:
    web.switch.observe_agent_end = False
    body = {"cwd": HERE, "sessionId": "s", "kind": "agent_end", "title": "t", "narrative": "n"}
    assert problem_of(web.post("/observe", body)) == (503, "ltm_disabled", [])
    assert web.post("/observe", {**body, "kind": "pre_compact"}).status_code == 200
