"""A person opens the console in a real browser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from ltm_tray.domain.requests import ObserveRequest, RecallRequest, RememberRequest
from tests.browser.conftest import Site

if TYPE_CHECKING:
    from playwright.sync_api import Page

HERE, THERE = "/home/ada/work/kestrel", "/home/ada/work/recipes"
MARKUP = "<script>window.xss=1</script><img src=x onerror='window.xss=1'>"


def _fill(site: Site) -> None:
    """Save what a week of work might leave behind."""
    for cwd, kind, content in (
        (HERE, "architecture", "The importer reads files in batches of 500 rows. " * 20),
        (HERE, "preference", "Use tabs in Makefiles and two spaces everywhere else."),
        (THERE, "bug", "The date picker was off by one day because it parsed local midnight."),
        (THERE, "fact", "部署脚本使用缓存目录"),
        (THERE, "fact", "مرحبا بالعالم 🚀"),
        (HERE, "fact", "w" * 300),
        (HERE, "fact", "a long log line\n" * 200),
        (HERE, "fact", f"markup {MARKUP}"),
    ):
        site.web.clock.advance(86_400)
        site.web.service.remember(RememberRequest(cwd=cwd, content=content, type=kind))
    site.web.service.observe(
        ObserveRequest(
            cwd=HERE,
            session_id="s-1",
            kind="agent_end",
            title="Why does the importer stall?",
            narrative="User: Why does the importer stall?\nAssistant: It commits each row.",
            source={"tokens": 1234},
        )
    )
    site.web.service.recall(RecallRequest(cwd=HERE, query="importer", source="pi"))
    site.web.service.recall(RecallRequest(cwd=THERE, query="oauth", source="cli"))
    site.web.clock.advance(7_200)


def _headings(page: Page) -> list[str]:
    return page.locator(".entry-title").all_inner_texts()


def _throw_the_switch_and_search(site: Site, page: Page) -> None:
    page.get_by_role("switch").click()
    assert site.web.switch.enabled is False
    assert page.get_by_role("switch").get_attribute("aria-checked") == "false"
    assert page.get_by_text("Nothing is saved and nothing is recalled").is_visible()
    page.get_by_role("switch").click()
    assert site.web.switch.enabled is True
    page.get_by_label("Words to look for").fill("importer")
    here = page.locator("option", has_text=HERE).get_attribute("value")
    page.get_by_label("Project").select_option(here)
    page.get_by_label("Memories").check(force=True)
    page.get_by_role("button", name="Search").click()
    page.wait_for_url(re.compile(r"q=importer&kind=memory&project=proj_\w+"))
    assert len(_headings(page)) == 1
    assert page.locator("mark").first.inner_text() == "importer"
    page.locator(".entry-title a").first.click()
    assert page.get_by_text("architecture").is_visible()


@pytest.mark.parametrize("script", [True, False])
def test_a_person_throws_the_switch_and_searches_with_or_without_javascript(
    site: Site, script: bool
) -> None:
    _fill(site)
    page = site.open("/", java_script_enabled=script)
    _throw_the_switch_and_search(site, page)
    assert site.complaints == []


def test_a_person_throws_the_switch_with_the_keyboard_alone(site: Site) -> None:
    page = site.open("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    for _ in range(8):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('role')") == "switch":
            break
    with page.expect_navigation():
        page.keyboard.press("Space")
    assert site.web.switch.enabled is False


def test_the_skip_link_leads_past_the_navigation(site: Site) -> None:
    page = site.open("/")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"


def test_a_pinned_switch_cannot_be_thrown(site: Site) -> None:
    site.web.switch.pinned_by = "LTM_ENABLED"
    page = site.open("/")
    assert page.get_by_role("switch").is_disabled()
    assert page.get_by_text("set by LTM_ENABLED").is_visible()


def test_stored_markup_does_not_run(site: Site) -> None:
    memory_id = site.web.service.remember(
        RememberRequest(cwd=f"/{MARKUP}", content=MARKUP, concepts=(MARKUP,), files=(MARKUP,))
    ).id
    site.web.service.recall(RecallRequest(cwd=f"/{MARKUP}", query=MARKUP, session_id=MARKUP))
    page = site.open("/")
    for path in ("/", "/?q=script", "/recalls", f"/memories/{memory_id}"):
        page.goto(site.url(path))
        assert page.evaluate("window.xss") is None
        assert "<script>window.xss=1</script>" in page.locator("main").inner_text()
    assert site.complaints == []


def test_reflected_markup_does_not_run(site: Site) -> None:
    page = site.open("/?q=%22%3E%3Cscript%3Ewindow.xss=1%3C/script%3E")
    assert page.evaluate("window.xss") is None
    assert page.get_by_label("Words to look for").input_value() == (
        '"><script>window.xss=1</script>'
    )
    assert site.complaints == []


def test_the_browser_refuses_a_script_put_into_the_page(site: Site) -> None:
    from playwright.sync_api import Error as BrowserError

    page = site.open("/")
    with pytest.raises(BrowserError):
        page.add_script_tag(content="window.xss = 1")
    assert page.evaluate("window.xss") is None
    assert any("Content Security Policy" in complaint for complaint in site.complaints)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_its_ground(site: Site, scheme: str) -> None:
    _fill(site)
    site.web.switch.enabled = False
    page = site.open("/", color_scheme=scheme)
    for path in ("/?q=importer", "/recalls", "/memories/mem_00000001", "/nope"):
        page.goto(site.url(path))
        assert page.evaluate(LOW_CONTRAST) == []


LOW_CONTRAST = """() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) => v / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = channels(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const low = [];
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || element.closest("option, script, style")) continue;
    const [a, b] = [channels(getComputedStyle(element).color), ground(element)]
      .map(luminance).sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) low.push(`${node.textContent.trim().slice(0, 30)}: ${ratio.toFixed(2)}`);
  }
  return low;
}"""
"""Lists the texts whose contrast is below that of WCAG 2.2 AA."""
