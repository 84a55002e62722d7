"""Every page, with and without data, light and dark: nobody is left out, nothing overflows."""

from __future__ import annotations

import io
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import Site
from tests.support.need import need
from tests.support.sample import Sample, fill

if TYPE_CHECKING:
    from playwright.sync_api import Page

CACHE = Path(__file__).parents[2] / ".cache" / "axe"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
EMPTY_PAGES = {
    "first": "/",
    "no-match": "/?q=zebra",
    "recalls": "/recalls",
    "projects": "/projects",
    "stats": "/stats",
    "settings": "/settings",
    "not-found": "/nope",
    "bad-day": "/?since=soon",
}
PAGES = {
    "hits": "/?q=importer+deploy+markup",
    "newest-hits": "/?q=importer&sort=newest&type=bug",
    "recall": "/recalls/1",
    "recall-of-nothing": "/recalls/3",
    "nothing-found": "/recalls?empty=1",
    "memory": "/memories/{sample.versioned}",
    "long": "/memories/{sample.long}",
    "observation": "/observations/{sample.observation}",
    "project": "/projects/{sample.kestrel}",
    "year": "/stats?days=365",
}


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core, which looks for what keeps people out (WCAG 2.2 AA)."""
    need("npm")
    packed = sorted(CACHE.glob("axe-core-4*.tgz"))
    if not packed:
        CACHE.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            ["npm", "pack", "axe-core@4", "--silent"], cwd=CACHE, check=True, capture_output=True
        )
        packed = sorted(CACHE.glob("axe-core-4*.tgz"))
    with tarfile.open(fileobj=io.BytesIO(packed[-1].read_bytes())) as archive:
        member = archive.extractfile("package/axe.min.js")
        assert member is not None
        return member.read().decode()


def _paths(sample: Sample | None) -> dict[str, str]:
    if sample is None:
        return EMPTY_PAGES
    return {name: path.format(sample=sample) for name, path in (EMPTY_PAGES | PAGES).items()}


def _open_details(page: Page) -> None:
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("filled", [True, False])
def test_no_page_keeps_anybody_out(site: Site, axe: str, scheme: str, filled: bool) -> None:
    sample = fill(site.web) if filled else None
    site.web.switch.enabled = filled
    page = site.open("/", color_scheme=scheme)
    found = []
    for name, path in _paths(sample).items():
        page.goto(site.url(path))
        _open_details(page)
        page.evaluate(axe)
        violations = page.evaluate(
            "async (tags) => (await axe.run(document, {runOnly: tags})).violations"
            ".map((v) => [v.id, v.nodes.length, v.nodes[0].html, v.nodes[0].failureSummary])",
            RULES,
        )
        found += [(name, *violation) for violation in violations]
    assert found == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1_100])
@pytest.mark.parametrize("filled", [True, False])
def test_no_page_needs_sideways_scrolling(
    site: Site,
    keep_picture: Callable[[Page, str], None],
    scheme: str,
    width: int,
    filled: bool,
) -> None:
    sample = fill(site.web) if filled else None
    page = site.open("/", color_scheme=scheme, viewport={"width": width, "height": 800})
    for name, path in _paths(sample).items():
        page.goto(site.url(path))
        if name != "long":
            keep_picture(page, f"{name}-{'filled' if filled else 'empty'}-{scheme}-{width}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
    site.web.switch.enabled = False
    page.goto(site.url())
    keep_picture(page, f"off-{'filled' if filled else 'empty'}-{scheme}-{width}")
    assert [c for c in site.complaints if "404" not in c and "400" not in c] == []
