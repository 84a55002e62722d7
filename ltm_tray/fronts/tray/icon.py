"""Keeps an icon in the tray for as long as the application runs, whatever the desktop does."""

from __future__ import annotations

import logging
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ltm_tray.fronts.tray.menu import MenuEntry, TrayActions, TrayState

if TYPE_CHECKING:
    from ltm_tray.fronts.tray.toolkit import TrayIcon

logger = logging.getLogger(__name__)

_LOOK_EVERY_S = 1.0
_END_STEP_S = 0.6
"""How long each of the end's two steps may take before it is left behind."""


def run_tray(actions: TrayActions, stop: threading.Event, *, icons: Path) -> None:
    """Show the tray icon and block until `stop` is set or the user chooses Quit.

    Call it on the main thread, which keeps its signal handlers; on macOS the icon
    lives there, elsewhere in a daemon thread. Quit sets `stop`. Without a desktop or
    a tray this logs one line and waits all the same; a tray that appears later is
    joined. It returns within 1.5 s of `stop`, even if the desktop hangs.

    `icons` is the folder of the drawn pictures.
    """
    tray = _Tray(actions, stop, icons)
    on_main, beside = (
        (tray.live, tray.watch) if sys.platform == "darwin" else (tray.watch, tray.live)
    )
    other = threading.Thread(target=beside, name="ltm-tray", daemon=True)
    other.start()
    on_main()
    stop.wait()
    other.join(_END_STEP_S)


class _Tray:
    """The icon's life (`live`), and the thread that looks after it (`watch`)."""

    def __init__(self, actions: TrayActions, stop: threading.Event, icons: Path) -> None:
        self._actions = actions
        self._stop = stop
        self._icons = icons
        self._icon: TrayIcon | None = None
        self._last = TrayState(status="error", title="LTM Tray is starting", console_url="")
        self._state_failed = False
        self._misses_tray = False
        self._look_is_due = False
        self._one_at_a_time = threading.Lock()

    def live(self) -> None:
        """Open the icon and serve it until it ends."""
        try:
            # Imported here because that takes a while, and fails where there is no desktop.
            from ltm_tray.fronts.tray.toolkit import open_icon

            self._icon = open_icon(self._icons, self._press)
            self._icon.run(self._look)
            reason = "its window is gone"
        except Exception as problem:  # noqa: BLE001 - every toolkit raises errors of its own
            reason = f"{type(problem).__name__}: {problem}"
        self._icon = None
        if not self._stop.is_set():
            logger.warning(
                "No tray icon (%s). LTM Tray runs on without it; the console is at %s",
                reason,
                self._state().console_url,
            )

    def watch(self) -> None:
        """Have the icon look for news once a second until `stop`, then end it."""
        while not self._stop.wait(_LOOK_EVERY_S):
            icon = self._icon
            # A hanging desktop gets one question, not one more each second.
            if icon is not None and not self._look_is_due:
                self._look_is_due = True
                self._ask_to_look(icon)
        if self._icon is not None:
            ending = threading.Thread(target=self._icon.stop, name="ltm-tray-end", daemon=True)
            ending.start()
            ending.join(_END_STEP_S)

    def _ask_to_look(self, icon: TrayIcon) -> None:
        try:
            icon.post(self._look)
        except Exception as problem:  # noqa: BLE001 - Windows raises here until it has a taskbar
            logger.debug("The icon cannot be shown now: %s", problem)
            self._note_tray(seen=False)

    def _look(self) -> None:
        """Show what holds now; on the icon's thread, on Windows on any."""
        self._look_is_due = False
        icon = self._icon
        if icon is None:
            return
        if self._stop.is_set():  # too early for the icon to have been told
            icon.stop()
            return
        with self._one_at_a_time:
            icon.show(self._state())
            self._note_tray(seen=icon.seek_tray())

    def _note_tray(self, *, seen: bool) -> None:
        if not seen and not self._misses_tray:
            logger.warning(
                "No tray to show the icon in yet. LTM Tray runs on and joins one that comes; "
                "the console is at %s",
                self._last.console_url,
            )
        self._misses_tray = not seen

    def _press(self, entry: MenuEntry) -> None:
        """Do what an entry says, then show what came of it; on the icon's thread."""
        # A click on the icon means the default entry, even while that is greyed.
        if entry.action is None or not entry.enabled:
            return
        try:
            getattr(self._actions, entry.action)()
        except Exception:
            logger.exception("The tray's %s failed", entry.action)
        if entry.action == "quit":
            self._stop.set()
        else:
            self._look()

    def _state(self) -> TrayState:
        """Ask what to show; a failure shows as trouble and is logged once."""
        try:
            self._last = self._actions.state()
            self._state_failed = False
        except Exception:
            if not self._state_failed:
                logger.exception("The state cannot be told")
            self._state_failed = True
            self._last = replace(self._last, status="error", title="LTM Tray: see the log")
        return self._last
