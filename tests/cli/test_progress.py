"""How far a long command is: on a terminal, and only when it takes long."""

from __future__ import annotations

import io
import sys

import pytest

from ltm_tray.fronts.cli import progress
from ltm_tray.fronts.cli.progress import progress_of


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(monkeypatch: pytest.MonkeyPatch, screen: io.StringIO, *, after_s: float) -> str:
    monkeypatch.setattr(progress, "_SHOWN_AFTER_S", after_s)
    monkeypatch.setattr(sys, "stderr", screen)
    with progress_of("Importing") as show:
        show(1_200, 30_000)
    return screen.getvalue()


def test_long_work_shows_how_far_it_is_and_leaves_a_clean_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = shown(monkeypatch, Terminal(), after_s=0)
    assert "Importing: 1,200 of 30,000" in text
    assert text.endswith("\r\x1b[K")


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, Terminal(), after_s=60) == ""


def test_without_a_terminal_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, io.StringIO(), after_s=0) == ""
