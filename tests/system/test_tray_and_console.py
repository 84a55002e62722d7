"""The whole app with its icon in a real panel."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

import pytest

from tests.support.app import RunningApp
from tests.support.desktop import GREEN, GREY, Desktop
from tests.support.waiting import wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Xvfb is for Linux.")


@pytest.fixture
def desk() -> Iterator[Desktop]:
    with Desktop() as desk:
        yield desk


def test_a_click_on_the_icon_stops_saving_everywhere_and_another_one_goes_on(
    desk: Desktop,
) -> None:
    with RunningApp(display=desk.display) as app:
        settings = app.memory_dir / "ltm-settings.json"
        desk.click(desk.see(GREEN, "the icon of on"))
        off = desk.see(GREY, "the icon of off")
        assert json.loads(settings.read_text())["ltm"]["enabled"] is False
        refused = app.post("/remember", cwd="/w/a", content="The build needs Node 22")
        assert (refused.status, refused.json["error"]) == (503, "ltm_disabled")
        desk.click(off)
        desk.see(GREEN, "the icon of on again")
        assert json.loads(settings.read_text())["ltm"]["enabled"] is True
        assert app.post("/remember", cwd="/w/a", content="The build needs Node 22").status == 200


def test_a_switch_thrown_elsewhere_shows_in_the_icon(desk: Desktop) -> None:
    with RunningApp(display=desk.display) as app:
        desk.see(GREEN, "the icon of on")
        app.patch("/settings", enabled=False)
        desk.see(GREY, "the icon of off")
        wait_until(lambda: app.get("/health").json["enabled"] is False, "the API says off")
