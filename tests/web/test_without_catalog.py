"""The console and the API over a backend that cannot be browsed: its sentence, never a 500."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.clock import TickingClock
from tests.support.fake_agentmemory import FakeAgentMemory, an_agentmemory
from tests.support.web import HERE, THERE, Web, a_web, problem_of

CANNOT_LIST = "agentmemory, which cannot list them by project"
NO_LOG = "agentmemory, which keeps no log of what was asked"
NO_FIGURES = "agentmemory, which has no figures"


@pytest.fixture
def server() -> FakeAgentMemory:
    return FakeAgentMemory(TickingClock())


@pytest.fixture
def web(tmp_path: Path, server: FakeAgentMemory) -> Iterator[Web]:
    web = a_web(tmp_path, store=an_agentmemory(server, TickingClock()))
    yield web
    web.service.close()


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ("/", CANNOT_LIST),
        ("/?q=tea", CANNOT_LIST),
        ("/counts.json", CANNOT_LIST),
        ("/export.json", CANNOT_LIST),
        ("/export.csv", CANNOT_LIST),
        ("/export.json?q=tea", CANNOT_LIST),
        ("/projects", "agentmemory, which "),
        ("/projects/proj_0000000000000000", CANNOT_LIST),
        ("/stats", NO_FIGURES),
        ("/recalls", NO_LOG),
        ("/recalls/1", NO_LOG),
    ],
)
def test_a_page_that_cannot_be_filled_says_why(web: Web, page: str, told: str) -> None:
    answer = web.client.get(page)
    assert answer.status_code == 503
    assert told in answer.text


def test_the_page_of_a_memory_says_why_it_cannot_be_shown(web: Web) -> None:
    answer = web.client.get(f"/memories/{web.remember('tea at four')}")
    assert (answer.status_code, NO_LOG in answer.text) == (503, True)


def test_the_settings_show_all_but_the_numbers(web: Web, server: FakeAgentMemory) -> None:
    page = web.client.get("/settings")
    assert page.status_code == 200
    assert NO_FIGURES in page.text
    assert "agentmemory, working" in page.text
    assert "0.9.29" in page.text
    assert "Last save" not in page.text


def test_no_page_says_that_memories_lie_where_they_do_not(web: Web) -> None:
    page = web.client.get("/settings").text
    assert "ltm.sqlite" not in page
    assert page.count("http://127.0.0.1:3111") >= 2


def test_the_switch_works_in_the_settings_as_everywhere(web: Web) -> None:
    web.client.post("/settings/enabled", data={"enabled": "false"})
    assert not web.service.enabled


def test_the_api_saves_recalls_counts_and_forgets(web: Web) -> None:
    memory_id = web.remember("tea at four")
    web.observe("why tea?")
    hits = web.get("/recall", cwd=HERE, q="tea").get_json()["hits"]
    assert [hit["kind"] for hit in hits] == ["memory", "observation"]
    assert web.get("/recall", cwd=THERE, q="tea").get_json()["hits"] == []
    assert web.counts() == (1, 1)
    whole = web.get(f"/memories/{memory_id}", cwd=HERE).get_json()
    assert (whole["cwd"], whole["versions"][0]["cwd"]) == (HERE, HERE)
    assert web.post("/forget", {"cwd": HERE, "memoryIds": [memory_id]}).get_json()["deleted"] == 1


def test_a_memory_of_another_project_is_not_found_in_the_api(web: Web) -> None:
    answer = web.get(f"/memories/{web.remember('tea at four')}", cwd=THERE)
    assert problem_of(answer)[:2] == (404, "not_found")


def test_a_server_that_is_away_is_a_503_that_says_what_to_do(
    web: Web, server: FakeAgentMemory
) -> None:
    def away(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    server.fails = away
    answer = web.post("/remember", {"cwd": HERE, "content": "tea"})
    assert problem_of(answer)[:2] == (503, "backend_unavailable")
    assert "start agentmemory" in answer.get_json()["message"]
    page = web.client.get("/settings")
    assert page.status_code == 200
    assert "start agentmemory" in page.text
