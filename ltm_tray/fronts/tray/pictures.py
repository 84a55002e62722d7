"""The icon's pictures, as they were drawn for each size."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from PIL import Image

from ltm_tray.fronts.tray.menu import Status

DRAWN_PX = (16, 22, 24, 32, 48, 64, 128)
"""The sides of the drawn squares that a tray may need, in pixels."""


class Pictures:
    """Holds every drawn picture in memory (under 0.4 MB), read once.

    Raises:
        OSError: The folder lacks a picture, or one cannot be read.
    """

    def __init__(self, folder: Path, /) -> None:
        self._drawn = {
            (status, px): _read(folder / f"{status}-{px}.png")
            for status in get_args(Status)
            for px in DRAWN_PX
        }

    def at(self, status: Status, /, *, side_px: int) -> Image.Image:
        """Return a square RGBA picture of exactly that side, at least 1 pixel.

        Between two drawn sizes it is the smaller one, centred: a sharp picture with a
        margin looks better in a panel than a blurred one without. Only what is smaller
        or larger than every drawing is scaled.
        """
        fitting = [px for px in DRAWN_PX if px <= side_px]
        drawn = self._drawn[status, fitting[-1] if fitting else DRAWN_PX[0]]
        if not fitting or side_px > DRAWN_PX[-1]:
            return drawn.resize((side_px, side_px), Image.Resampling.LANCZOS)
        if drawn.width == side_px:
            return drawn
        square = Image.new("RGBA", (side_px, side_px))
        margin = (side_px - drawn.width) // 2
        square.paste(drawn, (margin, margin))
        return square


def _read(path: Path) -> Image.Image:
    with Image.open(path) as picture:
        return picture.convert("RGBA")
