"""What was forgotten is on no page, in no answer and in no export."""

from __future__ import annotations

from pathlib import Path

import pytest

from ltm_tray.domain.project import project_of
from tests.support.web import HERE, Web, a_web

WORD = "heronquokka"
PAGES = [
    "/",
    "/?q=heronquok",
    "/?q=staging",
    "/?kinds=observation",
    "/counts.json",
    "/recalls",
    "/recalls/1",
    "/projects",
    "/projects/{project}",
    "/stats",
    "/settings",
    "/export.json",
    "/export.csv",
    "/export.json?q=staging",
    "/memories/{memory}",
    "/memories/{first}",
    "/observations/{observation}",
    "/api/memory/recall?cwd=/work/here&q=staging",
    "/api/memory/stats?cwd=/work/here",
    "/api/memory/memories/{memory}?cwd=/work/here",
    "/api/memory/observations/{observation}?cwd=/work/here",
]


@pytest.fixture
def web(tmp_path: Path) -> Web:
    return a_web(tmp_path)


def asked(web: Web, path: str) -> str:
    return web.client.get(path).text


def test_a_forgotten_hit_is_on_no_surface_at_once(web: Web) -> None:
    first = web.remember(f"The {WORD} key of the shop opens staging", concepts=[WORD])
    memory = web.remember(f"The {WORD} key of the shop now opens staging")
    observation = web.observe(f"does {WORD} open staging?")
    web.get("/recall", cwd=HERE, q="staging")
    ids = {
        "first": first,
        "memory": memory,
        "observation": observation,
        "project": project_of(HERE).id,
    }
    paths = [path.format(**ids) for path in PAGES]
    before = [path for path in paths if WORD in asked(web, path)]
    assert len(before) > 10, "otherwise this test shows nothing"
    web.post("/forget", {"cwd": HERE, "memoryIds": [memory], "observationIds": [observation]})
    assert [path for path in paths if WORD in asked(web, path)] == []
