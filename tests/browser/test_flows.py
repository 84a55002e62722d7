"""What people do in the console: type, filter, copy, look back; with keys alone, or no script."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ltm_tray.domain.requests import ObserveRequest, RememberRequest
from ltm_tray.resources import data_dir
from tests.browser.conftest import Site
from tests.support.sample import KESTREL, fill
from tests.support.web import Web, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Response, Route

FIRST_PAINT_MAX_BYTES = 60_000
SCRIPT_MAX_BYTES = 3_072
Keep = Callable[["Page", str], None]


def _headings(page: Page) -> list[str]:
    return page.locator("#found .entry-title").all_inner_texts()


def _field(page: Page) -> Any:
    return page.get_by_label("Words to look for")


def test_typing_searches_and_the_address_follows(site: Site) -> None:
    fill(site.web)
    page = site.open("/")
    page.keyboard.press("/")
    page.keyboard.type("importer")
    page.wait_for_url(re.compile(r"\?q=importer$"))
    page.get_by_text("7 matches").or_(page.locator("#found mark").first).first.wait_for()
    assert _field(page).input_value() == "importer"
    assert page.evaluate("document.activeElement.id") == "q"
    assert page.locator("#found mark").first.inner_text().lower() == "importer"
    page.reload()
    assert _field(page).input_value() == "importer"
    page.go_back()
    assert page.url == "about:blank"
    assert site.complaints == []


def test_escape_clears_the_search(site: Site) -> None:
    fill(site.web)
    page = site.open("/?q=importer&type=bug")
    _field(page).focus()
    page.keyboard.press("Escape")
    page.wait_for_url(re.compile(r"/\?type=bug$"))
    assert _field(page).input_value() == ""


def test_a_slash_in_a_field_is_a_slash(site: Site) -> None:
    page = site.open("/")
    _field(page).focus()
    page.keyboard.type("a/b")
    assert _field(page).input_value() == "a/b"


def test_the_latest_search_wins_however_slow_the_one_before(site: Site) -> None:
    fill(site.web)
    page = site.open("/")
    held: list[Route] = []
    page.route(re.compile(r"\?q=date$"), lambda route: held.append(route))
    with page.expect_request(re.compile(r"\?q=date$")):
        _field(page).fill("date")
    _field(page).fill("vpn")
    page.wait_for_url(re.compile(r"\?q=vpn$"))
    for route in held:
        route.continue_()
    page.locator("#found mark").first.wait_for()
    assert set(page.locator("#found mark").all_inner_texts()) == {"VPN"}
    assert page.url.endswith("?q=vpn")


def test_a_filter_applies_at_once_and_keeps_the_focus(site: Site) -> None:
    fill(site.web)
    page = site.open("/")
    page.get_by_label("Type").select_option("bug")
    page.wait_for_url(re.compile(r"\?type=bug$"))
    page.get_by_label("Memories").check(force=True)
    page.wait_for_url(re.compile(r"kind=memory"))
    page.get_by_label("Project").focus()
    page.get_by_label("Project").select_option(index=1)
    page.wait_for_url(re.compile(r"project=proj_"))
    assert page.evaluate("document.activeElement.id") == "project"
    assert len(_headings(page)) in {1, 2}


def test_without_javascript_the_same_form_filters(site: Site, keep_picture: Keep) -> None:
    fill(site.web)
    page = site.open("/", java_script_enabled=False)
    _field(page).fill("importer")
    page.get_by_label("Type").select_option("bug")
    page.get_by_label("From").fill("2026-01-05")
    page.get_by_role("button", name="Search").click()
    assert "type=bug" in page.url
    assert "since=2026-01-05" in page.url
    assert _headings(page) == [
        "The importer stalled: each row was committed alone; now each batch."
    ]
    page.get_by_text("Why this hit").click()
    assert page.get_by_text("saved on purpose").is_visible()
    assert page.get_by_role("button", name="Copy id").count() == 0
    keep_picture(page, "flow-no-javascript")
    page.goto(site.url("/recalls"))
    page.get_by_label("Found nothing").check(force=True)
    page.get_by_role("button", name="Show").click()
    assert "empty=1" in page.url
    assert set(page.locator(".entry-title").all_inner_texts()) >= {"oauth login"}


def test_with_keys_alone_a_hit_is_found_and_opened(site: Site, keep_picture: Keep) -> None:
    fill(site.web)
    page = site.open("/")
    page.keyboard.press("/")
    page.keyboard.type("vpn ship")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"q=vpn\+ship"))
    page.locator("#found mark").first.wait_for()
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('.entry-title') !== null"):
            break
    keep_picture(page, "flow-keyboard")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert page.get_by_role("heading", level=1).inner_text().startswith("Deploy with make ship")


def test_an_item_is_copied(site: Site) -> None:
    sample = fill(site.web)
    page = site.open(
        f"/memories/{sample.versioned}", permissions=["clipboard-read", "clipboard-write"]
    )
    page.get_by_role("button", name="Copy id").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == sample.versioned
    page.get_by_role("button", name="Copy as JSON").click()
    page.wait_for_function("async () => (await navigator.clipboard.readText()).includes('vpn')")
    assert site.complaints == []


def test_the_numbers_keep_up_while_the_page_is_seen(site: Site) -> None:
    page = site.browser.new_context().new_page()
    page.clock.install()
    page.goto(site.url())
    site.web.service.remember(RememberRequest(cwd=KESTREL, content="tea at four"))
    page.clock.fast_forward(10_500)
    page.locator('[data-count="memories"]', has_text="1").wait_for()
    assert page.get_by_text("Something new was saved").is_visible()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.evaluate("Object.defineProperty(document, 'hidden', {value: true, configurable: true})")
    page.clock.fast_forward(30_500)
    assert asked == []


def _transferred(site: Site, path: str) -> int:
    page = site.browser.new_context().new_page()
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(site.url(path), wait_until="networkidle")
    sizes = [answer.request.sizes() for answer in answers]
    return sum(size["responseBodySize"] + size["responseHeadersSize"] for size in sizes)


@pytest.fixture(scope="module")
def crowded(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A console over 10,000 items."""
    with served(tmp_path_factory.mktemp("crowded")) as (web, server):
        _save_many(web, 10_000)
        yield Site(web, server.port, chromium)


def _save_many(web: Web, count: int) -> None:
    words = ("importer", "deploy", "queue", "batch", "writer", "staging", "form", "schema")
    for number in range(count):
        told = " ".join(words[(number // step) % len(words)] for step in (1, 8, 64, 512))
        text = f"Note {number}: the {told} needs y{number}. " + f"It was seen beside {told}. " * 8
        cwd = f"/work/project-{number % 40}"
        if number % 10:
            web.service.observe(
                ObserveRequest(
                    cwd=cwd, session_id="s", kind="agent_end", title=text[:80], narrative=text
                )
            )
        else:
            web.service.remember(RememberRequest(cwd=cwd, content=f"x{number * 7919} {text}"))


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_ten_thousand_items_page_through_lightly(crowded: Site, keep_picture: Keep) -> None:
    page = crowded.open("/")
    page.get_by_text("of 10,000", exact=False).first.wait_for()
    first = _headings(page)
    page.get_by_role("link", name="Older").click()
    assert len(first) == len(_headings(page)) == 50
    assert not set(first) & set(_headings(page))
    page.goto(crowded.url("/?q=importer"))
    page.get_by_text("Best 50 of").wait_for()
    keep_picture(page, "crowded")
    for path in ("/", "/?q=importer+deploy+queue"):
        assert _transferred(crowded, path) <= FIRST_PAINT_MAX_BYTES, path
    page.goto(crowded.url("/stats?days=365"))
    page.get_by_text("9,000").first.wait_for()


def test_the_script_is_small() -> None:
    scripts = [Path(file) for file in data_dir("static").glob("*.js")]
    assert [file.name for file in scripts] == ["app.js"]
    assert scripts[0].stat().st_size <= SCRIPT_MAX_BYTES
