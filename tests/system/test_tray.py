"""The whole program with its icon in a real tray, used with a real mouse."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.app import RunningApp, ltm_tray
from tests.support.desktop import GREEN, GREY, RED, Desktop
from tests.support.waiting import wait_until


@pytest.fixture
def desktop() -> Iterator[Desktop]:
    with Desktop() as screen:
        yield screen


@pytest.fixture
def app(desktop: Desktop) -> Iterator[RunningApp]:
    with RunningApp(display=desktop.display) as running:
        yield running


def switch_in_file(app: RunningApp) -> object:
    try:
        return json.loads((app.memory_dir / "ltm-settings.json").read_text())["ltm"]["enabled"]
    except FileNotFoundError:
        return None


def test_a_click_switches_memory_off_everywhere_and_the_next_switches_it_on(
    desktop: Desktop, app: RunningApp
) -> None:
    at = desktop.see(GREEN, "the icon that says on")
    assert app.post("/remember", cwd="/w/a", content="The build needs Node 22").status == 200

    desktop.click(at)
    wait_until(lambda: switch_in_file(app) is False, "the settings file says off")
    at = desktop.see(GREY, "the icon that says off")
    refused = app.get("/recall", cwd="/w/a", q="node")
    assert (refused.status, refused.json["error"]) == (503, "ltm_disabled")

    desktop.click(at)
    wait_until(lambda: switch_in_file(app) is True, "the settings file says on")
    desktop.see(GREEN, "the icon that says on again")
    assert len(app.get("/recall", cwd="/w/a", q="node").json["hits"]) == 1


def test_a_switch_thrown_elsewhere_changes_the_icon(desktop: Desktop, app: RunningApp) -> None:
    desktop.see(GREEN, "the icon that says on")
    assert ltm_tray("disable").returncode == 0
    desktop.see(GREY, "the icon that says off")
    app.patch("/settings", enabled=True)
    desktop.see(GREEN, "the icon that says on again")
    (app.memory_dir / "ltm-settings.json").write_text('{"ltm": {"enabled": false}}')
    desktop.see(GREY, "the icon that says off once more")


def test_a_store_that_cannot_be_used_shows_in_the_icon_until_it_can(
    desktop: Desktop, app: RunningApp
) -> None:
    desktop.see(GREEN, "the icon that says on")
    for file in app.memory_dir.glob("ltm.sqlite*"):
        file.unlink()
    file = app.memory_dir / "ltm.sqlite"
    file.write_text("no database " * 1_000)
    desktop.see(RED, "the icon that says error")
    file.unlink()
    desktop.see(GREEN, "the icon that says on again")


def test_a_right_click_opens_the_console_where_there_is_no_menu(
    browser: Path, desktop: Desktop, app: RunningApp
) -> None:
    desktop.click(desktop.see(GREEN, "the icon that says on"), button=3)
    wait_until(browser.exists, "something is opened")
    wait_until(lambda: browser.read_text().split() == [app.published["url"]], "the console")


def test_a_signal_ends_the_app_with_its_icon(desktop: Desktop, app: RunningApp) -> None:
    desktop.see(GREEN, "the icon that says on")
    assert app.end() == 0
    assert "threads left: none" in app.log
    wait_until(lambda: desktop.find(GREEN) is None, "the icon is gone")


def test_an_icon_without_a_panel_waits_for_one() -> None:
    with Desktop(panel=False) as desktop, RunningApp(display=desktop.display) as app:
        assert app.get("/health").status == 200
        desktop.start_panel()
        desktop.see(GREEN, "the icon in the panel that came late")
        assert app.end() == 0
