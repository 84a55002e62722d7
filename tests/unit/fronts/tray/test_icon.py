"""How the tray lives and ends, with a toolkit that shows nothing."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ltm_tray.fronts.tray import icon as tray
from ltm_tray.fronts.tray import toolkit
from ltm_tray.fronts.tray.menu import MenuEntry, TrayState, menu_of
from ltm_tray.resources import data_dir
from tests.support.waiting import wait_until

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="There the icon runs on main.")
ICONS = data_dir("assets") / "icons"
Press = Callable[[MenuEntry], None]
ON = TrayState(status="on", title="Memory is on", console_url="http://127.0.0.1:1")


class Actions:
    """Tells one state, or fails to; `quit` does nothing by itself."""

    def __init__(self) -> None:
        self.shown: TrayState | Exception = ON
        self.done: list[str] = []

    def state(self) -> TrayState:
        if isinstance(self.shown, Exception):
            raise self.shown
        return self.shown

    def toggle(self) -> None:
        self.done.append("toggle")
        raise RuntimeError("the switch is stuck")

    def open_console(self) -> None: ...

    def open_recalls(self) -> None: ...

    def connect_pi(self) -> None: ...

    def open_data_folder(self) -> None: ...

    def open_log(self) -> None: ...

    def quit(self) -> None:
        self.done.append("quit")


class NoScreen:
    """An icon that notes what it should show; jobs run where they are posted, as on Windows."""

    def __init__(self, press: Press) -> None:
        self.press = press
        self.shown: list[TrayState] = []
        self.has_taskbar = True
        self.may_end = threading.Event()
        self.may_end.set()
        self._ended = threading.Event()

    def run(self, ready: Callable[[], None], /) -> None:
        self.post(ready)
        self._ended.wait()

    def post(self, job: Callable[[], None], /) -> None:
        job()

    def show(self, state: TrayState, /) -> None:
        if not self.has_taskbar:
            raise OSError("there is no taskbar")
        self.shown.append(state)

    def seek_tray(self) -> bool:
        return True

    def stop(self) -> None:
        self.may_end.wait()
        self._ended.set()


class Running:
    """A tray that runs in a thread, and the icon it opened."""

    def __init__(self) -> None:
        self.actions = Actions()
        self.stop = threading.Event()
        self.icons: list[NoScreen] = []
        self.may_open = threading.Event()
        self.may_open.set()
        self.thread = threading.Thread(
            target=tray.run_tray, args=(self.actions, self.stop), kwargs={"icons": ICONS}
        )

    def open(self, _pictures: Path, press: Press, /) -> NoScreen:
        self.may_open.wait()
        self.icons.append(NoScreen(press))
        return self.icons[-1]

    def icon(self) -> NoScreen:
        wait_until(lambda: self.icons and self.icons[0].shown, "the icon")
        return self.icons[0]

    def choose(self, action: str) -> None:
        (entry,) = [entry for entry in menu_of(ON) if entry.action == action]
        self.icon().press(entry)


@contextmanager
def running(monkeypatch: pytest.MonkeyPatch, *, fast: bool = True) -> Iterator[Running]:
    run = Running()
    monkeypatch.setattr(toolkit, "open_icon", run.open)
    if fast:
        monkeypatch.setattr(tray, "_LOOK_EVERY_S", 0.01)
    run.thread.start()
    try:
        yield run
    finally:
        run.stop.set()
        run.thread.join(10)


def test_quit_ends_the_tray_though_the_application_sets_no_stop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with running(monkeypatch) as run:
        run.choose("quit")
        run.thread.join(10)
        assert not run.thread.is_alive()
        assert run.actions.done == ["quit"]
        assert run.stop.is_set()


def test_an_action_that_fails_is_logged_and_the_next_one_is_done(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with running(monkeypatch) as run:
        run.choose("toggle")
        run.choose("toggle")
        assert run.actions.done == ["toggle", "toggle"]
        assert caplog.text.count("The tray's toggle failed") == 2


def test_a_greyed_entry_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with running(monkeypatch) as run:
        run.icon().press(MenuEntry(text="LTM enabled", action="toggle", enabled=False))
        assert run.actions.done == []


def test_a_state_that_cannot_be_told_shows_as_trouble_and_is_logged_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with running(monkeypatch) as run:
        shown = run.icon().shown
        run.actions.shown = RuntimeError("the store is gone")
        wait_until(lambda: shown[-1].status == "error", "the picture of trouble")
        looks = len(shown)
        wait_until(lambda: len(shown) > looks + 3, "more looks")
        assert caplog.text.count("The state cannot be told") == 1
        assert shown[-1].console_url == ON.console_url
        run.actions.shown = ON
        wait_until(lambda: shown[-1] == ON, "the picture of on again")


def test_a_taskbar_that_goes_and_comes_back_costs_one_line(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with running(monkeypatch) as run:
        icon = run.icon()
        icon.has_taskbar = False
        wait_until(lambda: "No tray to show" in caplog.text, "the line about it")
        icon.has_taskbar = True
        looks = len(icon.shown)
        wait_until(lambda: len(icon.shown) > looks, "the icon is shown again")
        assert caplog.text.count("No tray to show") == 1
        assert "http://127.0.0.1:1" in caplog.text


def test_an_icon_that_will_not_end_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    with running(monkeypatch) as run:
        run.icon().may_end.clear()
        run.stop.set()
        run.thread.join(10)
        assert not run.thread.is_alive()
        run.icon().may_end.set()


def test_a_stop_before_the_icon_runs_still_ends_the_icon(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Running()
    run.may_open.clear()
    run.stop.set()
    monkeypatch.setattr(toolkit, "open_icon", run.open)
    run.thread.start()
    run.thread.join(10)
    run.may_open.set()
    wait_until(lambda: not _icon_threads(), "no thread of the tray is left")


def test_without_a_toolkit_one_line_says_where_the_console_is(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("PYSTRAY_BACKEND", "dummy")
    for name in [name for name in sys.modules if name.split(".")[0] == "pystray"]:
        monkeypatch.delitem(sys.modules, name)
    stop = threading.Event()
    thread = threading.Thread(target=tray.run_tray, args=(Actions(), stop), kwargs={"icons": ICONS})
    with caplog.at_level(logging.INFO):
        thread.start()
        wait_until(lambda: bool(caplog.records), "the line")
        assert thread.is_alive()
        stop.set()
        thread.join(10)
    (line,) = caplog.records
    assert "No tray icon" in line.message
    assert "http://127.0.0.1:1" in line.message


def _icon_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "ltm-tray"]
