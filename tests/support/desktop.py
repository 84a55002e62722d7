"""A throw-away desktop: a virtual screen with a panel, eyes to look at it and a mouse."""

from __future__ import annotations

import os
import subprocess
from types import TracebackType
from typing import Any

from PIL import Image
from Xlib import X, display
from Xlib.ext import xtest

from tests.support.need import need
from tests.support.waiting import wait_until

RED, GREEN, GREY = (0xE2, 0x3D, 0x43), (0x0F, 0x9D, 0x66), (0x7F, 0x8A, 0x96)
"""The solid colours of the icon in error, on and off."""
WHITE = (0xFE, 0xFE, 0xFE)
"""The panel, whose white is a shade short of it; the screen around it is black."""
PIXELS_ENOUGH = 30
TOLERANCE = 24
PANEL = (
    "trayer", "--edge", "bottom", "--align", "right", "--widthtype", "request", "--height", "32",
    "--SetDockType", "true", "--transparent", "true", "--alpha", "0", "--tint", "0xffffff",
)  # fmt: skip


class Desktop:
    """A screen of 800 x 600 points; with `panel`, one with a tray in its lower right corner."""

    def __init__(self, *, panel: bool = True) -> None:
        need("Xvfb", "trayer")
        self._with_panel = panel
        self._processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Desktop:
        told, tell = os.pipe()
        self._start(
            "Xvfb", "-displayfd", str(tell), "-screen", "0", "800x600x24", "-nolisten", "tcp",
            pass_fds=[tell],
        )  # fmt: skip
        os.close(tell)
        with os.fdopen(told) as stream:
            self.display = ":" + stream.readline().strip()
        self._eyes: Any = display.Display(self.display)
        if self._with_panel:
            self.start_panel()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the panel and the screen; calling it again does nothing."""
        if not self._processes:
            return
        self._eyes.close()
        while self._processes:
            process = self._processes.pop()
            process.terminate()
            process.wait(10)

    def start_panel(self) -> subprocess.Popen[bytes]:
        """Start the panel and wait until it takes icons."""
        panel = self._start(*PANEL, env={**os.environ, "DISPLAY": self.display})
        tray = self._eyes.intern_atom("_NET_SYSTEM_TRAY_S0")
        wait_until(lambda: self._eyes.get_selection_owner(tray) or None, "a panel with a tray")
        return panel

    def stop_panel(self) -> None:
        """End the panel and wait until it is gone."""
        panel = self._processes.pop()
        panel.terminate()
        panel.wait(10)

    def kill_panel(self) -> None:
        """End the panel as a crash would."""
        panel = self._processes.pop()
        panel.kill()
        panel.wait(10)

    def screenshot(self) -> Image.Image:
        """Return what is on the screen."""
        root = self._eyes.screen().root
        size = root.get_geometry()
        raw = root.get_image(0, 0, size.width, size.height, X.ZPixmap, 0xFFFFFFFF)
        return Image.frombytes("RGB", (size.width, size.height), raw.data, "raw", "BGRX")

    def find(self, colour: tuple[int, int, int]) -> tuple[int, int] | None:
        """Return the middle of what has the colour; None for fewer than 30 pixels of it."""
        picture = self.screenshot()
        raw = picture.tobytes()
        pixels = list(zip(raw[0::3], raw[1::3], raw[2::3], strict=True))
        near = {pixel for pixel in set(pixels) if _is_near(pixel, colour)}
        at = [divmod(n, picture.width) for n, pixel in enumerate(pixels) if pixel in near]
        if len(at) < PIXELS_ENOUGH:
            return None
        return sum(x for _, x in at) // len(at), sum(y for y, _ in at) // len(at)

    def see(self, colour: tuple[int, int, int], what: str) -> tuple[int, int]:
        """Wait until the colour is on the screen and return where."""
        return wait_until(lambda: self.find(colour), what)

    def click(self, at: tuple[int, int], *, button: int = 1) -> None:
        """Press and release a mouse button there."""
        xtest.fake_input(self._eyes, X.MotionNotify, x=at[0], y=at[1])
        xtest.fake_input(self._eyes, X.ButtonPress, button)
        xtest.fake_input(self._eyes, X.ButtonRelease, button)
        self._eyes.sync()

    def _start(self, *command: str, **options: Any) -> subprocess.Popen[bytes]:
        quiet = subprocess.DEVNULL
        process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, **options)
        self._processes.append(process)
        return process


def _is_near(pixel: tuple[int, ...], colour: tuple[int, ...]) -> bool:
    return all(abs(a - b) <= TOLERANCE for a, b in zip(pixel, colour, strict=True))
