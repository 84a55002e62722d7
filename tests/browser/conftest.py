"""One Chromium for all browser tests; each test has a context of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.need import need
from tests.support.web import Web, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    need("chromium")
    # Not at the top: it costs half a second, for every run of any test.
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        yield browser
        browser.close()


@dataclass
class Site:
    """A running console, and how to open pages of it; `complaints` are the browser's."""

    web: Web
    port: int
    browser: Browser
    complaints: list[str] = field(default_factory=list)

    def url(self, path: str = "/") -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def open(self, path: str = "/", **options: Any) -> Page:
        """Open a path in a context of its own; `options` are those of `new_context`."""
        page = self.browser.new_context(**options).new_page()
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(self.url(path))
        return page


@pytest.fixture
def site(chromium: Browser, tmp_path: Path) -> Iterator[Site]:
    with served(tmp_path) as (web, server):
        made = Site(web, server.port, chromium)
        yield made
        for context in chromium.contexts:
            context.close()


@pytest.fixture
def keep_picture() -> Callable[[Page, str], None]:
    """Save a whole page as a picture among the artefacts."""
    folder = Path(__file__).parents[2] / ".cache" / "screenshots"

    def keep(page: Page, name: str) -> None:
        page.screenshot(path=folder / f"{name}.png", full_page=True)

    return keep
