"""pystray's icon for plain X11 panels, with the faults of its version 0.19.5 mended.

Importing this module connects to the display, as importing pystray does.
"""

from __future__ import annotations

import contextlib
import logging
import select
import socket
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any

from PIL import Image
from pystray import _xorg
from Xlib import X, error

logger = logging.getLogger(__name__)

_RIGHT_BUTTON = 3


class XEmbedIcon(_xorg.Icon):  # type: ignore[misc]  # pystray has no types
    """An icon whose whole life happens in the thread that runs it.

    pystray lets any thread speak to the X server and wait for the icon's thread, which
    loses events and sometimes never comes back. Here other threads only `post` jobs.
    """

    def __init__(self, name: str, /, *, right_click: Callable[[], None]) -> None:
        self.picture_at: Callable[[int], Image.Image] = lambda px: Image.new("RGBA", (px, px))
        """Gives the picture to show for a side in pixels; set it before `icon`."""
        self._right_click = right_click
        self._systray_manager: Any = None
        self._jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._bell, self._ear = socket.socketpair()
        super().__init__(name)
        self._ear.settimeout(0)
        self._display.set_error_handler(_note_error)
        # pystray never asks for button presses, so that clicks would not arrive.
        self._window.change_attributes(
            event_mask=X.ExposureMask | X.StructureNotifyMask | X.ButtonPressMask
        )

    def __del__(self) -> None:
        """Do nothing: `run` has released everything, and pystray would do it again."""

    def post(self, job: Callable[[], None], /) -> None:
        """Have the icon's thread do the job soon; from any thread, never waits."""
        self._jobs.put(job)
        with contextlib.suppress(OSError):  # the icon ended just now
            self._bell.send(b"\0")

    def seek_tray(self) -> bool:
        """Ask the panel for a place unless the icon has one; tell whether it has.

        Only the icon's thread may call this.
        """
        self._assert_docked()
        return self._systray_manager is not None

    def _run(self) -> None:
        try:
            super()._run()
        finally:
            self._bell.close()
            self._ear.close()
            with contextlib.suppress(error.ConnectionClosedError):
                self._display.close()

    def _mainloop(self) -> None:
        while True:
            self._do_jobs()
            while self._display.pending_events():
                event = self._display.next_event()
                if event.type == X.DestroyNotify and event.window == self._window:
                    return
                self._message_handlers.get(event.type, _ignore)(event)
            select.select([self._display, self._ear], [], [])

    def _do_jobs(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._ear.recv(4096)
        with contextlib.suppress(Empty):
            while True:
                self._jobs.get_nowait()()

    def _on_button_press(self, event: _xorg.Xlib.protocol.rq.Event) -> None:
        if event.detail == _RIGHT_BUTTON:
            self._right_click()
        else:
            super()._on_button_press(event)

    def _on_destroy_notify(self, event: _xorg.Xlib.protocol.rq.Event) -> None:
        if self._systray_manager is not None and event.window == self._systray_manager:
            self._systray_manager = None
            # The server gives the window back to the desktop, where it would float.
            self._window.unmap()

    def _assert_docked(self) -> None:
        # Asked twice, some panels lose the icon.
        if self._systray_manager is None:
            self._dock_window()

    def _dock_window(self) -> None:
        panel = self._get_systray_manager()
        if panel is None:
            return
        gone = error.CatchError(error.BadWindow)
        panel.change_attributes(event_mask=X.StructureNotifyMask, onerror=gone)
        self._send_message(
            panel,
            self._net_system_tray_opcode,
            self._SYSTEM_TRAY_REQUEST_DOCK,
            self._window.id,
        )
        self._display.sync()
        if gone.get_error() is None:
            self._systray_manager = panel

    def _update_title(self) -> None:
        # pystray writes the Latin-1 property alone, and raises for other letters.
        self._window.set_wm_name(self.title.encode("latin-1", "replace"))
        utf8 = self._display.intern_atom("UTF8_STRING")
        name = self._display.intern_atom("_NET_WM_NAME")
        self._window.change_text_property(name, utf8, self.title)

    def _draw(self) -> None:
        # pystray paints transparent pixels black and scales one picture to every size.
        try:
            size = self._window.get_geometry()
            canvas = self._panel_behind(size.width, size.height)
            picture = self.picture_at(min(canvas.size))
            corner = (canvas.width - picture.width) // 2, (canvas.height - picture.height) // 2
            canvas.paste(picture, corner, picture)
            self._window.put_pil_image(self._gc, 0, 0, canvas)
        except (error.BadDrawable, error.BadWindow):
            logger.debug("the icon's window went while it was drawn")

    def _panel_behind(self, width: int, height: int) -> Image.Image:
        """Return what the panel shows where the icon is; black where that cannot be seen."""
        mismatch = error.CatchError(error.BadMatch)
        window = self._window
        window.change_attributes(background_pixmap=X.ParentRelative, onerror=mismatch)
        window.clear_area()
        # Left in place, this background would forbid a panel of another depth.
        window.change_attributes(background_pixmap=X.NONE)
        try:
            pixels = window.get_image(0, 0, width, height, X.ZPixmap, 0xFFFFFFFF)
        except error.BadMatch:  # the window is not on the screen
            return Image.new("RGB", (width, height))
        if mismatch.get_error() is not None or pixels.depth != window.get_geometry().depth:
            return Image.new("RGB", (width, height))
        return Image.frombytes("RGB", (width, height), pixels.data, "raw", "BGRX")


def _ignore(_event: object) -> None:
    """Do nothing with an event nobody asked for."""


def _note_error(problem: Exception, _request: object) -> None:
    logger.debug("X said: %s", problem)
