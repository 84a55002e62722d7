"""Markup that somebody saved or sent stays text in the console."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest

from ltm_tray.fronts.web.listing import Filter
from tests.support.web import Web

MARKUP = "<script>alert(1)</script><img src=x onerror=alert(1)>"
BREAKING_OUT = f'">{MARKUP}'


def _page(web: Web, path: str, **query: str) -> str:
    return web.client.get(path, query_string=query).text


def test_stored_markup_stays_text_wherever_it_stands(web: Web) -> None:
    memory_id = web.remember(
        f"tea {MARKUP}",
        concepts=[MARKUP],
        files=[MARKUP],
        sessionId=MARKUP,
        sourceObservationIds=[MARKUP],
        cwd=f"/{MARKUP}",
    )
    observation_id = web.observe(
        MARKUP, narrative=MARKUP, sessionId=MARKUP, source={MARKUP: MARKUP}, cwd=f"/{MARKUP}"
    )
    web.remember(f"tea {MARKUP} again", cwd=f"/{MARKUP}")
    web.get("/recall", cwd=f"/{MARKUP}", q=f"tea {MARKUP}", sessionId=MARKUP)
    project = web.service.projects()[0].project_id
    web.switch.reported.append(MARKUP)
    pages = [
        _page(web, "/"),
        _page(web, "/", q="tea script alert img src onerror"),
        _page(web, "/recalls"),
        _page(web, f"/memories/{memory_id}"),
        _page(web, f"/observations/{observation_id}"),
        _page(web, "/recalls/1"),
        _page(web, "/projects"),
        _page(web, f"/projects/{project}"),
        _page(web, "/stats"),
        _page(web, "/settings"),
    ]
    for page in pages:
        assert "<script>" not in page
        assert "<img src=x" not in page
        assert "script" in page


@pytest.mark.parametrize(
    ("path", "parameter"),
    [
        *(("/", name) for name in Filter.__dataclass_fields__),
        *(("/recalls", name) for name in ("project", "source", "empty", "before")),
        ("/stats", "days"),
    ],
)
def test_markup_in_an_address_is_escaped(web: Web, path: str, parameter: str) -> None:
    page = web.client.get(path, query_string={parameter: BREAKING_OUT}).text
    assert "<script>" not in page
    assert "<img src=x" not in page


def test_markup_in_a_path_is_escaped(web: Web) -> None:
    page = web.client.get(f"/memories/{quote(BREAKING_OUT, safe='')}").text
    assert "<script>" not in page


def test_templates_are_of_kinds_that_escape(web: Web) -> None:
    root = Path(__file__).parents[2]
    assert {file.suffix for file in (root / "templates").iterdir()} == {".html"}
    assert not [
        file.name for file in (root / "templates").iterdir() if "style=" in file.read_text("utf-8")
    ]
