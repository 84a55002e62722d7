"""The settings file is the truth: a switch thrown in one place shows in all others."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from tests.support.app import RunningApp, ltm_tray


@pytest.fixture
def app() -> Iterator[RunningApp]:
    with RunningApp("serve") as running:
        yield running


def _by_api(app: RunningApp, enabled: bool) -> None:
    assert app.patch("/settings", enabled=enabled).status == 200


def _by_command(_: RunningApp, enabled: bool) -> None:
    assert ltm_tray("enable" if enabled else "disable").returncode == 0


def _by_editing(app: RunningApp, enabled: bool) -> None:
    file = app.memory_dir / "ltm-settings.json"
    file.write_text(json.dumps({"mine": 1, "ltm": {"enabled": enabled}}))


def _by_console(app: RunningApp, enabled: bool) -> None:
    address = urlsplit(app.published["url"])
    connection = HTTPConnection(address.hostname or "", address.port)
    connection.request(
        "POST",
        "/settings/enabled",
        f"enabled={str(enabled).lower()}",
        {"Content-Type": "application/x-www-form-urlencoded"},
    )
    assert connection.getresponse().status == 303
    connection.close()


WAYS = {"API": _by_api, "command": _by_command, "editor": _by_editing, "console": _by_console}


@pytest.mark.parametrize("throw", WAYS.values(), ids=WAYS)
def test_a_switch_thrown_in_one_place_shows_everywhere(
    app: RunningApp, throw: Callable[[RunningApp, bool], None]
) -> None:
    for enabled, status in ((False, 503), (True, 200)):
        throw(app, enabled)
        assert app.get("/settings").json["enabled"] is enabled
        assert app.get("/health").json["enabled"] is enabled
        assert app.get("/recall", cwd="/w/a", q="node").status == status
        assert json.loads(ltm_tray("status", "--json").stdout)["enabled"] is enabled
        assert ltm_tray("recall", "node", "--cwd", "/w/a").returncode == (0 if enabled else 3)
        file = json.loads((app.memory_dir / "ltm-settings.json").read_text())
        assert file["ltm"]["enabled"] is enabled


def test_a_switch_the_environment_pins_moves_nowhere() -> None:
    with RunningApp("serve", LTM_ENABLED="false") as app:
        assert app.patch("/settings", enabled=True).status >= 400
        settings = app.get("/settings").json
        assert settings["enabled"] is False
        (switch,) = [s for s in settings["settings"] if s["key"] == "enabled"]
        assert switch["pinnedBy"] == "LTM_ENABLED"


def test_a_broken_settings_file_is_told_by_health_and_kept(app: RunningApp) -> None:
    app.patch("/settings", enabled=False)
    file = app.memory_dir / "ltm-settings.json"
    file.write_text("{ my notes")
    health = app.get("/health").json
    assert health["enabled"] is False
    assert str(file) in health["detail"]
    assert file.read_text() == "{ my notes"
    app.patch("/settings", enabled=True)
    (kept,) = app.memory_dir.glob("ltm-settings.json.broken-*")
    assert kept.read_text() == "{ my notes"
    assert app.get("/health").json["enabled"] is True
