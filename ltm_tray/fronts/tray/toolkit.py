"""Opens pystray's icon for this desktop, whichever that is, behind one small face."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from ltm_tray.fronts.tray.menu import MenuEntry, TrayState, menu_of, tooltip_of
from ltm_tray.fronts.tray.pictures import Pictures

Press = Callable[[MenuEntry], None]
"""Is told, on the icon's thread, which entry the user chose."""

_NAME = "ltm-tray"
_SOURCE_PX = 64


class TrayIcon:
    """One icon in the tray. This class serves Windows, where any thread may touch it."""

    def __init__(self, pystray: Any, pictures: Pictures, press: Press, /) -> None:
        self._pystray = pystray
        self._pictures = pictures
        self._press = press
        self._shown: TrayState | None = None
        self._icon = self._open()

    def run(self, ready: Callable[[], None], /) -> None:
        """Show nothing yet, call `ready` on the icon's thread, and block until `stop`."""
        self._icon.run(lambda _icon: self.post(ready))

    def post(self, job: Callable[[], None], /) -> None:
        """Have the job done where the icon may be touched; from any thread."""
        job()

    def stop(self) -> None:
        """Make `run` return; from any thread. Does nothing before `ready` was called."""
        self.post(self._icon.stop)

    def show(self, state: TrayState, /) -> None:
        """Show the state, touching only what is not shown already: a menu may be open."""
        before, self._shown = self._shown, state
        if before is None or state.status != before.status:
            self._show_picture(state)
        self._icon.title = tooltip_of(state)
        if before is None or menu_of(state) != menu_of(before):
            self._icon.menu = self._menu(state)
        self._icon.visible = True

    def seek_tray(self) -> bool:
        """Join a tray that came late, where the toolkit does not; False while there is none."""
        return True

    def _open(self) -> Any:
        return self._pystray.Icon(_NAME)

    def _show_picture(self, state: TrayState) -> None:
        self._icon.icon = self._pictures.at(state.status, side_px=_SOURCE_PX)

    def _menu(self, state: TrayState) -> Any:
        lines = []
        for entry in menu_of(state):
            if entry.starts_group:
                lines.append(self._pystray.Menu.SEPARATOR)
            lines.append(self._line(entry))
        return self._pystray.Menu(*lines)

    def _line(self, entry: MenuEntry) -> Any:
        return self._pystray.MenuItem(
            entry.text,
            lambda _icon, _item: self._press(entry),
            checked=None if entry.checked is None else lambda _item: bool(entry.checked),
            default=entry.default,
            enabled=entry.enabled,
        )


class _GtkIcon(TrayIcon):
    """The gtk and appindicator backends."""

    def post(self, job: Callable[[], None], /) -> None:
        from gi.repository import GLib

        def once() -> bool:
            job()
            return False

        GLib.idle_add(once)

    def _open(self) -> Any:
        from pystray._util import gtk

        # The real one raises, or hangs, where no session bus or notification service runs.
        gtk.notify_dbus.Notifier = _SilentNotifier
        return super()._open()


class _SilentNotifier:
    """Stands in for D-Bus notifications, which the tray never sends."""

    def notify(self, *_text: object) -> None:
        """Show nothing."""

    def hide(self) -> None:
        """Hide nothing."""


class _XorgIcon(TrayIcon):
    """Plain X11 panels. They can show no menu, so a right click opens the console."""

    def post(self, job: Callable[[], None], /) -> None:
        self._icon.post(job)

    def seek_tray(self) -> bool:
        return bool(self._icon.seek_tray())

    def _open(self) -> Any:
        from ltm_tray.fronts.tray.xembed import XEmbedIcon

        return XEmbedIcon(_NAME, right_click=self._open_console)

    def _show_picture(self, state: TrayState) -> None:
        self._icon.picture_at = lambda px: self._pictures.at(state.status, side_px=px)
        super()._show_picture(state)

    def _open_console(self) -> None:
        self._press(MenuEntry(text="Open console", action="open_console"))


class _MacIcon(TrayIcon):
    """The menu bar of macOS, which only the main thread may touch."""

    def post(self, job: Callable[[], None], /) -> None:
        from PyObjCTools import AppHelper

        AppHelper.callAfter(job)

    def _open(self) -> Any:
        icon = super()._open()
        # pystray's own loop ends the whole process at Ctrl+C; the application's handler
        # for it must run instead, as it does with every job of this thread.
        icon._run = partial(_run_mac_loop, icon)
        return icon


def _run_mac_loop(icon: Any) -> None:
    icon._mark_ready()
    try:
        icon._app.run()
    finally:
        icon._status_bar.removeStatusItem_(icon._status_item)


_FACES: dict[str, type[TrayIcon]] = {
    "_win32": TrayIcon,
    "_gtk": _GtkIcon,
    "_appindicator": _GtkIcon,
    "_xorg": _XorgIcon,
    "_darwin": _MacIcon,
}


def open_icon(pictures: Path, press: Press, /) -> TrayIcon:
    """Return an icon that is not shown yet; `run` it in the thread that calls this.

    `pictures` is the folder of the drawn icons.

    Raises:
        Exception: No display can be reached, no toolkit is there to do it, or a picture
            cannot be read. Each toolkit raises errors of its own, at import already.
    """
    import pystray

    backend = pystray.Icon.__module__.rpartition(".")[2]
    if backend not in _FACES:
        raise RuntimeError(f"pystray has no icon for this desktop, only {backend}")
    return _FACES[backend](pystray, Pictures(pictures), press)
