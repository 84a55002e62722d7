"""A program with a tray icon and nothing behind it; it notes in a file what is asked of it.

Arguments: the file, and the status to begin with.
"""

from __future__ import annotations

import logging
import signal
import sys
import threading
from pathlib import Path
from typing import get_args

from ltm_tray.fronts.tray.icon import run_tray
from ltm_tray.fronts.tray.menu import Status, TrayState
from ltm_tray.resources import data_dir


class NotedActions:
    """Changes its state when told to, and writes down each action."""

    def __init__(self, notes: Path, status: Status, stop: threading.Event) -> None:
        self._notes = notes
        self._status: Status = status
        self._stop = stop

    def state(self) -> TrayState:
        return TrayState(status=self._status, title="Fake tray", console_url="http://127.0.0.1:1")

    def toggle(self) -> None:
        self._status = "off" if self._status == "on" else "on"
        self._note(f"toggle {self._status}")

    def open_console(self) -> None:
        self._note("console")
        raise RuntimeError("an action that fails must not end the tray")

    def open_recalls(self) -> None:
        self._note("recalls")

    def connect_pi(self) -> None:
        self._note("pi")

    def open_data_folder(self) -> None:
        self._note("folder")

    def open_log(self) -> None:
        self._note("log")

    def quit(self) -> None:
        self._note("quit")

    def _note(self, what: str) -> None:
        with self._notes.open("a") as stream:
            stream.write(what + "\n")


def main(notes: str, begin: str) -> None:
    (status,) = [known for known in get_args(Status) if known == begin]
    logging.basicConfig(filename=f"{notes}.log", level=logging.INFO)
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    run_tray(NotedActions(Path(notes), status, stop), stop, icons=data_dir("assets") / "icons")


if __name__ == "__main__":
    main(*sys.argv[1:])
