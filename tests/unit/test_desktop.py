"""What the tray is told about the app, and what its entries do."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from ltm_tray.backends.inmemory import InMemoryStore
from ltm_tray.desktop import DesktopActions, Places
from ltm_tray.domain.memory import Health
from ltm_tray.fronts.agent.installer import PiExtension
from ltm_tray.service import MemoryService
from tests.support.clock import TickingClock
from tests.support.ids import CountingIds
from tests.support.switch import FakeSwitch

URL = "http://127.0.0.1:31415"


class Store(InMemoryStore):
    """A store that says how it is, and counts how often it is asked."""

    def __init__(self) -> None:
        super().__init__(clock=TickingClock(), new_id=CountingIds())
        self.ok = True
        self.asked = 0

    def health(self) -> Health:
        self.asked += 1
        detail = None if self.ok else "The disk is full."
        return replace(super().health(), ok=self.ok, detail=detail)


@pytest.fixture
def switch() -> FakeSwitch:
    return FakeSwitch()


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
def ended() -> threading.Event:
    return threading.Event()


@pytest.fixture
def opened() -> list[str]:
    return []


@pytest.fixture
def extension(tmp_path: Path) -> PiExtension:
    shipped = tmp_path / "shipped.ts"
    shipped.write_text("// ltm-tray pi extension, version 1.0\n")
    return PiExtension(tmp_path / "agent", shipped)


@pytest.fixture
def actions(
    tmp_path: Path,
    extension: PiExtension,
    switch: FakeSwitch,
    store: Store,
    opened: list[str],
    ended: threading.Event,
) -> DesktopActions:
    return DesktopActions(
        MemoryService(store, switch=switch, clock=TickingClock()),
        places=Places(
            console_url=URL,
            memory_dir=tmp_path / "memory",
            log_file=tmp_path / "memory" / "logs" / "ltm-tray.log",
        ),
        extension=extension,
        show=opened.append,
        end=ended.set,
    )


def test_the_icon_follows_the_switch(actions: DesktopActions, switch: FakeSwitch) -> None:
    assert actions.state().status == "on"
    switch.enabled = False
    assert actions.state().status == "off"
    assert actions.state().console_url == URL


def test_a_click_throws_the_switch_and_the_next_throws_it_back(
    actions: DesktopActions, switch: FakeSwitch
) -> None:
    actions.toggle()
    assert not switch.enabled
    actions.toggle()
    assert switch.enabled


def test_a_pinned_switch_stays_and_the_reason_is_shown(
    actions: DesktopActions, switch: FakeSwitch, caplog: pytest.LogCaptureFixture
) -> None:
    switch.pinned_by = "LTM_ENABLED"
    assert actions.state().switch_pinned_by == "LTM_ENABLED"
    actions.toggle()
    assert switch.enabled
    assert "LTM_ENABLED" in actions.state().detail
    assert "LTM_ENABLED" in caplog.text


def test_a_reason_is_shown_until_the_switch_moves_again(
    actions: DesktopActions, switch: FakeSwitch
) -> None:
    switch.pinned_by = "LTM_ENABLED"
    actions.toggle()
    switch.pinned_by = None
    actions.toggle()
    assert actions.state().detail == ""


def test_a_store_that_cannot_answer_shows_as_an_error_with_its_reason(
    actions: DesktopActions, store: Store
) -> None:
    store.ok = False
    state = actions.state()
    assert (state.status, state.detail) == ("error", "The disk is full.")


def test_while_memory_is_off_a_bad_store_is_no_error(
    actions: DesktopActions, store: Store, switch: FakeSwitch
) -> None:
    store.ok, switch.enabled = False, False
    assert actions.state().status == "off"


def test_the_store_is_not_asked_at_every_look(actions: DesktopActions, store: Store) -> None:
    for _ in range(50):
        actions.state()
    assert store.asked == 1


def test_quit_begins_to_end_the_app(actions: DesktopActions, ended: threading.Event) -> None:
    actions.quit()
    assert ended.is_set()


@pytest.mark.parametrize(
    ("entry", "address"),
    [
        ("open_console", URL),
        ("open_recalls", f"{URL}/recalls"),
        ("open_data_folder", "memory"),
        ("open_log", "memory/logs/ltm-tray.log"),
    ],
)
def test_an_entry_opens_its_place(
    actions: DesktopActions, opened: list[str], tmp_path: Path, entry: str, address: str
) -> None:
    getattr(actions, entry)()
    assert opened == [address if address.startswith("http") else (tmp_path / address).as_uri()]


def test_where_the_console_is_locked_its_entries_open_what_lets_in(
    actions: DesktopActions, opened: list[str], tmp_path: Path
) -> None:
    actions._places = Places(
        console_url=URL,
        memory_dir=tmp_path,
        log_file=tmp_path,
        entrance=lambda path: f"/login?once={path}",
    )
    actions.open_console()
    actions.open_recalls()
    assert opened == [f"{URL}/login?once=", f"{URL}/login?once=/recalls"]


def test_pi_is_connected_once_and_the_console_says_what_to_do_next(
    actions: DesktopActions, extension: PiExtension, opened: list[str]
) -> None:
    assert actions.state().connect_pi == "Connect Pi"
    actions.connect_pi()
    assert extension.status().state == "installed"
    assert actions.state().connect_pi == ""
    assert opened == [URL]


def test_an_older_extension_can_be_updated(actions: DesktopActions, extension: PiExtension) -> None:
    actions.connect_pi()
    extension.status().file.write_text("// ltm-tray pi extension, version 0.9\n")
    assert actions.state().connect_pi == "Update Pi's connection"
    actions.connect_pi()
    assert actions.state().connect_pi == ""


def test_a_strangers_extension_is_left_alone_and_the_menu_says_so(
    actions: DesktopActions, extension: PiExtension, opened: list[str]
) -> None:
    file = extension.status().file
    file.parent.mkdir(parents=True)
    actions.state()
    file.write_text("// mine")
    assert actions.state().connect_pi == ""
    actions.connect_pi()
    assert "left alone" in actions.state().detail
    assert (file.read_text(), opened) == ("// mine", [])
