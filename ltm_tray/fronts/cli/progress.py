"""How far a long command is, on one line of a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

import click

from ltm_tray.archive import Progress

_SHOWN_AFTER_S = 1.0
_SHOWN_EVERY_S = 0.1
_CLEAR_LINE = "\r\x1b[K"


@contextmanager
def progress_of(doing: str) -> Iterator[Progress]:
    """Lend what shows the progress of work on standard error, if that is a terminal.

    Work that takes less than a second shows nothing; the line is gone at the end.
    """
    show_at_s = monotonic() + _SHOWN_AFTER_S
    shown = False

    def show(done: int, total: int) -> None:
        nonlocal show_at_s, shown
        if monotonic() >= show_at_s:
            show_at_s, shown = monotonic() + _SHOWN_EVERY_S, True
            click.echo(f"{_CLEAR_LINE}{doing}: {done:,} of {total:,}", nl=False, err=True)

    try:
        yield show if sys.stderr is not None and sys.stderr.isatty() else _silent
    finally:
        if shown:
            click.echo(_CLEAR_LINE, nl=False, err=True)


def _silent(_: int, __: int) -> None:
    """Show nothing."""
