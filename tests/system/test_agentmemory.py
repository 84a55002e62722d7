"""The app over the real agentmemory worker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.agentmemory_talk import recorded, talk
from tests.support.app import RunningApp
from tests.support.real_agentmemory import RealAgentMemory, installed_agentmemory
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow

HERE, THERE = "/work/here", "/work/there"
WORD = "of-the-server"


@pytest.fixture(scope="session")
def node_modules() -> Path:
    return installed_agentmemory()


@pytest.fixture
def real(node_modules: Path, home: Path) -> Iterator[RealAgentMemory]:
    with RealAgentMemory(node_modules, home, AGENTMEMORY_SECRET=WORD) as running:
        yield running


@pytest.fixture
def app(real: RealAgentMemory) -> Iterator[RunningApp]:
    chosen = {"LTM_BACKEND": "agentmemory", "LTM_AGENTMEMORY_URL": real.url}
    with RunningApp("serve", **chosen) as running:
        yield running


def test_the_real_server_answers_as_it_was_recorded(node_modules: Path, home: Path) -> None:
    with (
        RealAgentMemory(node_modules, home) as real,
        httpx.Client(base_url=f"{real.url}/agentmemory/", trust_env=False) as client,
    ):
        assert talk(client) == recorded()


def test_the_app_keeps_memories_in_a_real_server(
    app: RunningApp, real: RealAgentMemory, home: Path
) -> None:
    text = "kestrel-build-7 uses port 9090"
    refused = app.post("/remember", cwd=HERE, content=text)
    assert (refused.status, "AGENTMEMORY_SECRET" in refused.json["message"]) == (503, True)

    # The server's own file tells the secret without a new start of the app.
    (home / ".agentmemory").mkdir(exist_ok=True)
    (home / ".agentmemory" / "secret").write_text(WORD)
    saved = app.post("/remember", cwd=HERE, content=text)
    assert saved.status == 200, saved.json
    (hit,) = app.get("/recall", cwd=HERE, q="kestrel-build-7 pineapple").json["hits"]
    assert (hit["id"], hit["snippet"]) == (saved.json["id"], text)
    assert app.get("/recall", cwd=THERE, q="kestrel-build-7").json["hits"] == []
    assert app.get("/health").json["ok"]

    real.end_worker()
    gone = app.get("/recall", cwd=HERE, q="kestrel-build-7")
    assert (gone.status, "not its worker" in gone.json["message"]) == (503, True)
    real.start_worker()

    def hits() -> list[str]:
        return [h["id"] for h in app.get("/recall", cwd=HERE, q="port 9090").json.get("hits", [])]

    assert wait_until(hits, "the memory is found again") == [saved.json["id"]]
    assert app.post("/forget", cwd=HERE, memoryIds=[saved.json["id"]]).json == {"deleted": 1}
    assert hits() == []
