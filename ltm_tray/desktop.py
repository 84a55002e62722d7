"""What the tray shows and does: the app on the user's desktop."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from ltm_tray.domain.errors import LtmError
from ltm_tray.domain.memory import Health
from ltm_tray.fronts.agent.installer import ExtensionState, PiExtension
from ltm_tray.fronts.tray.menu import Status, TrayState
from ltm_tray.ports import Setting
from ltm_tray.service import MemoryService

logger = logging.getLogger(__name__)

_HEALTH_EVERY_S = 5.0
_TITLES: dict[Status, str] = {
    "on": "LTM Tray: memory is on",
    "off": "LTM Tray: memory is off",
    "error": "LTM Tray: memory cannot be used",
}
_CONNECT = {
    ExtensionState.ABSENT: "Connect Pi",
    ExtensionState.OUTDATED: "Update Pi's connection",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """What the tray opens; the console's address has no slash at its end.

    `entrance` turns the path of a page of the console into the path that opens it.
    """

    console_url: str
    memory_dir: Path
    log_file: Path
    entrance: Callable[[str], str] = str


class DesktopActions:
    """See `TrayActions`: the switch and the state come from the service.

    `show` opens an address or a file and must not wait; `end` begins to end the app.
    """

    def __init__(
        self,
        service: MemoryService,
        *,
        places: Places,
        extension: PiExtension,
        show: Callable[[str], None],
        end: Callable[[], None],
    ) -> None:
        self._service = service
        self._places = places
        self._extension = extension
        self._show = show
        self._end = end
        self._trouble = ""
        self._health: Health | None = None
        self._health_at_s = 0.0

    def state(self) -> TrayState:
        """See `TrayActions.state`; the store is asked every five seconds only."""
        switch = self._switch()
        health = self._recent_health()
        status: Status = "off" if not switch.value else "on" if health.ok else "error"
        return TrayState(
            status=status,
            title=_TITLES[status],
            console_url=self._places.console_url,
            switch_pinned_by=switch.pinned_by,
            detail=self._trouble or " ".join(filter(None, [health.detail, health.next_step])),
            connect_pi=self._connect_pi(),
        )

    def toggle(self) -> None:
        """See `TrayActions.toggle`; where it cannot be, the reason is shown and logged."""
        try:
            self._service.set_enabled(enabled=not self._service.enabled)
        except LtmError as error:
            self._trouble = error.message
            logger.warning("The switch stays as it is: %s", error.message)
        else:
            self._trouble = ""

    def open_console(self) -> None:
        """See `TrayActions.open_console`."""
        self._show_page("")

    def open_recalls(self) -> None:
        """See `TrayActions.open_recalls`."""
        self._show_page("/recalls")

    def connect_pi(self) -> None:
        """See `TrayActions.connect_pi`; the console says what to do next."""
        try:
            self._extension.install()
        except LtmError as error:
            self._trouble = error.message
            logger.warning("Pi is not connected: %s", error.message)
        else:
            self._trouble = ""
            self.open_console()

    def open_data_folder(self) -> None:
        """See `TrayActions.open_data_folder`."""
        self._show(self._places.memory_dir.as_uri())

    def open_log(self) -> None:
        """See `TrayActions.open_log`."""
        self._show(self._places.log_file.as_uri())

    def quit(self) -> None:
        """See `TrayActions.quit`."""
        self._end()

    def _show_page(self, path: str) -> None:
        self._show(self._places.console_url + self._places.entrance(path))

    def _switch(self) -> Setting:
        return next(setting for setting in self._service.settings() if setting.key == "enabled")

    def _connect_pi(self) -> str:
        try:
            return _CONNECT.get(self._extension.status().state, "")
        except LtmError:
            return ""

    def _recent_health(self) -> Health:
        if self._health is None or monotonic() - self._health_at_s >= _HEALTH_EVERY_S:
            self._health = self._service.health()
            self._health_at_s = monotonic()
        return self._health
