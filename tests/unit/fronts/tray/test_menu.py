"""What the menu says, without a desktop."""

from __future__ import annotations

from typing import Any

import pytest

from ltm_tray.fronts.tray.menu import TOOLTIP_UNITS, TrayActions, TrayState, menu_of, tooltip_of


def a_state(**changes: Any) -> TrayState:
    values = {"status": "on", "title": "Memory is on", "console_url": "http://127.0.0.1:1"}
    return TrayState(**{**values, **changes})


def test_the_menu_has_the_entries_of_the_design_in_order() -> None:
    assert [entry.text for entry in menu_of(a_state())] == [
        "Memory is on",
        "LTM enabled",
        "Open console",
        "Recent recalls",
        "Open data folder",
        "Open log",
        "Quit",
    ]


def test_the_status_line_tells_the_trouble_and_does_nothing() -> None:
    line = menu_of(a_state(status="error", title="Memory is broken.", detail="The disk is full."))[
        0
    ]
    assert line.text == "Memory is broken. The disk is full."
    assert (line.enabled, line.action) == (False, None)


@pytest.mark.parametrize(("status", "checked"), [("on", True), ("error", True), ("off", False)])
def test_the_switch_is_the_default_and_checked_while_on(status: str, checked: bool) -> None:
    (switch,) = [entry for entry in menu_of(a_state(status=status)) if entry.default]
    assert (switch.action, switch.checked, switch.enabled) == ("toggle", checked, True)


def test_a_pinned_switch_is_disabled_and_says_what_pins_it() -> None:
    (switch,) = [e for e in menu_of(a_state(switch_pinned_by="LTM_ENABLED")) if e.default]
    assert not switch.enabled
    assert switch.text == "LTM enabled (set by LTM_ENABLED)"


def test_every_action_of_the_menu_can_be_done() -> None:
    for entry in menu_of(a_state(connect_pi="Connect Pi")):
        assert entry.action is None or callable(getattr(TrayActions, entry.action))


@pytest.mark.parametrize("title", ["x" * 500, "🚀" * 500, "line\nbreak \0 nul"])
def test_a_tooltip_is_one_line_that_windows_takes(title: str) -> None:
    tooltip = tooltip_of(a_state(title=title))
    assert len(tooltip.encode("utf-16-le")) <= 2 * TOOLTIP_UNITS
    assert not set(tooltip) & {"\n", "\0"}


def test_pi_can_be_connected_while_it_is_not() -> None:
    entries = menu_of(a_state(connect_pi="Connect Pi"))
    assert [entry.text for entry in entries][3:5] == ["Recent recalls", "Connect Pi"]
    assert entries[4].action == "connect_pi"
    assert "connect_pi" not in [entry.action for entry in menu_of(a_state())]
