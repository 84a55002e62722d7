"""The icon's pictures: there at every size, and told apart by shape as well as colour."""

from __future__ import annotations

from itertools import combinations

import pytest
from PIL import Image, ImageChops, ImageStat

from ltm_tray.fronts.tray.pictures import DRAWN_PX, Pictures
from ltm_tray.resources import data_dir

STATES = ("on", "off", "error")
ICONS = data_dir("assets") / "icons"


def read(state: str, px: int) -> Image.Image:
    with Image.open(ICONS / f"{state}-{px}.png") as picture:
        return picture.convert("RGBA")


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("px", [*DRAWN_PX, 256])
def test_each_state_is_drawn_at_each_size(state: str, px: int) -> None:
    assert read(state, px).size == (px, px)


@pytest.mark.parametrize("px", DRAWN_PX)
def test_states_differ_in_shape_and_colour(px: int) -> None:
    for one, other in combinations(STATES, 2):
        shapes = ImageChops.difference(
            read(one, px).getchannel("A"), read(other, px).getchannel("A")
        )
        assert ImageStat.Stat(shapes).mean[0] > 8, f"{one} and {other} have one outline"
        means = [
            ImageStat.Stat(p, p.getchannel("A")).mean for p in (read(one, px), read(other, px))
        ]
        assert max(abs(a - b) for a, b in zip(means[0][:3], means[1][:3], strict=True)) > 40


@pytest.mark.parametrize("side_px", [1, 15, 16, 20, 22, 32, 40, 64, 100, 300])
def test_a_picture_can_be_had_at_any_size(side_px: int) -> None:
    picture = Pictures(ICONS).at("on", side_px=side_px)
    assert picture.size == (side_px, side_px)
    assert picture.getchannel("A").getbbox() is not None


def test_favicons_are_there() -> None:
    assert (data_dir("assets") / "favicon.svg").read_text().startswith("<svg")
    with Image.open(data_dir("assets") / "favicon.ico") as icon:
        assert icon.format == "ICO"
