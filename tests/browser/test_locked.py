"""The console where a token is required: locked for strangers, opened by a link used once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ltm_tray.fronts.web.gate import Gate
from tests.browser.conftest import Site
from tests.support.sample import fill
from tests.support.web import served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture
def gate() -> Gate:
    return Gate("t" * 43)


@pytest.fixture
def site(chromium: Browser, tmp_path: Path, gate: Gate) -> Iterator[Site]:
    with served(tmp_path, gate=gate) as (web, server):
        yield Site(web, server.port, chromium)
        for context in chromium.contexts:
            context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_stranger_sees_how_to_open_the_console_and_nothing_of_the_memory(
    site: Site, keep_picture: Callable[[Page, str], None], scheme: str
) -> None:
    sample = fill(site.web)
    page = site.open("/", color_scheme=scheme, viewport={"width": 360, "height": 640})
    keep_picture(page, f"locked-{scheme}-360")
    for path in ("/?q=importer", "/recalls", f"/memories/{sample.plain}"):
        page.goto(site.url(path))
        assert page.get_by_text("ltm-tray open").is_visible()
        assert "importer" not in page.locator("main").inner_text()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_link_opens_the_console_and_stays_nowhere(site: Site, gate: Gate) -> None:
    sample = fill(site.web)
    link = gate.link()
    page = site.open(link, permissions=["clipboard-read", "clipboard-write"])
    assert page.url == site.url("/")
    assert page.evaluate("[document.referrer, document.cookie, history.length]") == ["", "", 2]
    page.get_by_label("Words to look for").fill("importer")
    page.wait_for_url(re.compile(r"\?q=importer$"))
    page.locator("#found mark").first.wait_for()
    page.get_by_role("switch").click()
    assert site.web.switch.enabled is False
    page.goto(site.url(f"/memories/{sample.versioned}"))
    page.get_by_role("button", name="Copy as JSON").click()
    page.wait_for_function("async () => (await navigator.clipboard.readText()).includes('vpn')")
    page.goto(site.url(link))
    assert page.get_by_text("used before").is_visible()
    page.get_by_role("link", name="Go on to the console").click()
    assert page.get_by_label("Words to look for").is_visible()


def test_a_page_left_open_over_a_restart_says_that_it_is_locked(site: Site, gate: Gate) -> None:
    page = site.open(gate.link())
    gate._sessions.clear()
    page.get_by_label("Words to look for").fill("importer")
    page.get_by_text("This console is locked").wait_for()
    assert page.url == site.url("/?q=importer")
