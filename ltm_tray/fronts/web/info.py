"""What the web front tells about the running program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ltm_tray.domain.upkeep import Backup


@dataclass(frozen=True, slots=True, kw_only=True)
class AppInfo:
    """The facts of one run.

    `port` is the one the server listens on. `pi_state` tells what stands where Pi's
    extension belongs: `absent`, `installed`, `outdated`, `foreign`, or nothing where that
    cannot be told. `overdue` tells how many observations are beyond the limits in the
    settings, or None where there is no limit. `backups` gives
    the backups, newest first.
    """

    version: str
    port: int
    db_path: Path
    memory_dir: Path
    log_path: Path
    pi_state: Callable[[], str]
    overdue: Callable[[], int | None] = lambda: None
    backups: Callable[[], Sequence[Backup]] = tuple
