"""The real icon in a real panel: seen on the screen, clicked with the mouse."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.desktop import GREEN, GREY, RED, WHITE, Desktop
from tests.support.waiting import wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Xvfb is for Linux.")
ROOT = Path(__file__).resolve().parents[2]


class Program:
    """The running program with its icon."""

    def __init__(self, process: subprocess.Popen[bytes], notes: Path) -> None:
        self.process = process
        self._notes = notes

    def notes(self) -> list[str]:
        """What was asked of the actions, in order."""
        return self._notes.read_text().splitlines() if self._notes.exists() else []

    def log(self) -> str:
        """What it logged."""
        log = Path(f"{self._notes}.log")
        return log.read_text() if log.exists() else ""

    def end(self) -> int:
        """Ask it to stop and return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(10)

    def threads_and_kib(self) -> tuple[int, int]:
        """How many threads it has, and how much memory it uses."""
        status = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        fields = dict(line.split(":\t", 1) for line in status if ":\t" in line)
        return int(fields["Threads"]), int(fields["VmRSS"].split()[0])


@contextmanager
def program(tmp_path: Path, display: str | None, status: str = "on") -> Iterator[Program]:
    notes = tmp_path / "notes"
    kept = {k: v for k, v in os.environ.items() if k not in {"DISPLAY", "WAYLAND_DISPLAY"}}
    screen = {"DISPLAY": display, "PYSTRAY_BACKEND": "xorg"} if display else {}
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.tray_program", str(notes), status],
        cwd=ROOT,
        env={**kept, **screen},
    )
    try:
        yield Program(process, notes)
    finally:
        process.kill()
        process.wait(10)


@pytest.fixture
def desk() -> Iterator[Desktop]:
    with Desktop() as desk:
        yield desk


def test_a_click_switches_off_and_on_again_and_the_picture_follows(
    desk: Desktop, tmp_path: Path
) -> None:
    with program(tmp_path, desk.display) as running:
        desk.click(desk.see(GREEN, "the icon of on"))
        desk.click(desk.see(GREY, "the icon of off"))
        desk.see(GREEN, "the icon of on again")
        assert running.notes() == ["toggle off", "toggle on"]


def test_trouble_has_a_picture_of_its_own(desk: Desktop, tmp_path: Path) -> None:
    with program(tmp_path, desk.display, "error"):
        desk.see(RED, "the icon of trouble")
        assert desk.find(GREEN) is None


def test_a_right_click_opens_the_console_where_the_panel_shows_no_menu(
    desk: Desktop, tmp_path: Path
) -> None:
    with program(tmp_path, desk.display) as running:
        desk.click(desk.see(GREEN, "the icon"), button=3)
        wait_until(lambda: running.notes() == ["console"], "the console was asked for")


def test_an_action_that_fails_is_logged_and_the_tray_lives_on(
    desk: Desktop, tmp_path: Path
) -> None:
    with program(tmp_path, desk.display) as running:
        at = desk.see(GREEN, "the icon")
        desk.click(at, button=3)
        wait_until(lambda: "open_console failed" in running.log(), "the failure in the log")
        desk.click(at)
        desk.see(GREY, "the icon of off")


def test_a_panel_that_comes_late_gets_the_icon(tmp_path: Path) -> None:
    with Desktop(panel=False) as desk, program(tmp_path, desk.display) as running:
        wait_until(lambda: "No tray" in running.log() or None, "the line about the missing tray")
        desk.start_panel()
        desk.see(GREEN, "the icon in the late panel")


def test_a_panel_that_restarts_gets_the_icon_back(desk: Desktop, tmp_path: Path) -> None:
    with program(tmp_path, desk.display):
        desk.see(GREEN, "the icon")
        desk.stop_panel()
        wait_until(lambda: desk.find(GREEN) is None, "the icon went with its panel")
        desk.start_panel()
        desk.see(GREEN, "the icon in the new panel")


def test_a_panel_that_crashes_gets_the_icon_back(desk: Desktop, tmp_path: Path) -> None:
    with program(tmp_path, desk.display):
        desk.see(GREEN, "the icon")
        desk.kill_panel()
        wait_until(lambda: desk.find(GREEN) is None, "the icon went with its panel")
        desk.start_panel()
        desk.see(GREEN, "the icon in the new panel")


def test_the_panel_shows_between_the_cards_of_the_icon(desk: Desktop, tmp_path: Path) -> None:
    with program(tmp_path, desk.display):
        x, y = desk.see(GREEN, "the icon")
        between_the_cards = (x, y - 10)
        wait_until(
            lambda: desk.screenshot().getpixel(between_the_cards) == WHITE, "the white panel"
        )


def test_without_a_display_it_waits_for_the_stop_and_says_where_the_console_is(
    tmp_path: Path,
) -> None:
    with program(tmp_path, None) as running:
        wait_until(lambda: "http://127.0.0.1:1" in running.log() or None, "the line about it")
        assert running.process.poll() is None
        assert running.end() == 0


def test_a_display_that_dies_does_not_end_the_program(tmp_path: Path) -> None:
    with Desktop() as desk, program(tmp_path, desk.display) as running:
        desk.see(GREEN, "the icon")
        desk.close()
        wait_until(lambda: "No tray icon" in running.log() or None, "the line about it")
        assert running.end() == 0


def test_it_stops_when_asked_with_the_icon_up(desk: Desktop, tmp_path: Path) -> None:
    with program(tmp_path, desk.display) as running:
        desk.see(GREEN, "the icon")
        assert running.end() == 0


def test_two_hundred_changes_leave_no_thread_and_little_memory(
    desk: Desktop, tmp_path: Path
) -> None:
    with program(tmp_path, desk.display) as running:
        at = desk.see(GREEN, "the icon")
        for _ in range(20):
            desk.click(at)
        wait_until(lambda: len(running.notes()) == 20, "twenty changes")
        threads, kib = running.threads_and_kib()
        for _ in range(200):
            desk.click(at)
        wait_until(lambda: len(running.notes()) == 220, "two hundred more")
        threads_after, kib_after = running.threads_and_kib()
        assert threads_after == threads
        assert kib_after - kib < 2_048
