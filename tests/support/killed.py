"""A process that is killed in the middle of its work on a database.

`python -m tests.support.killed MOMENT FILE` opens the store and is killed, as by a crash,
at one of the `MOMENTS`.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

from ltm_tray.backends.sqlite import index, migrations, rebuild
from tests.support.writer import ROOT, open_store

KILLED = -9


def killed_at(moment: str, file: Path) -> int:
    """Run such a process and return its exit code; `KILLED` for one that met its moment."""
    arguments = [sys.executable, "-m", "tests.support.killed", moment, str(file)]
    return subprocess.run(arguments, cwd=ROOT, check=False, timeout=60).returncode


def _die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _replace(owner: object, name: str, other: object) -> None:
    patch.object(owner, name, other).start()  # for the rest of this process


def _in_a_step(statements: tuple[str, ...], *earlier: tuple[str, ...]) -> None:
    apply = migrations._apply

    def apply_and_die(connection: sqlite3.Connection, version: int) -> None:
        connection.create_function("die", 0, _die)
        apply(connection, version)

    _replace(migrations, "MIGRATIONS", (*earlier, (*statements, "SELECT die()")))
    _replace(migrations, "_apply", apply_and_die)


def _in_a_rebuild() -> None:
    numbers, add = count(), index.add_memory

    def add_some(*values: Any) -> None:
        add(*values)
        if next(numbers) == 10:
            _die()

    _replace(rebuild, "ANALYSER_VERSION", 99)
    _replace(index, "add_memory", add_some)


def _after_the_new_file_is_in_place() -> None:
    replace = Path.replace

    def replace_and_die(file: Path, target: Path) -> Path:
        replaced = replace(file, target)
        if target.name == "ltm.sqlite":
            _die()
        return replaced

    _replace(Path, "replace", replace_and_die)


MOMENTS: dict[str, Callable[[], None]] = {
    "in a migration": lambda: _in_a_step(("CREATE TABLE half (a)",), *migrations.MIGRATIONS),
    "in the first migration": lambda: _in_a_step(migrations.MIGRATIONS[0][:9]),
    "in a rebuild": _in_a_rebuild,
    "while rows are being saved": lambda: _replace(rebuild, "rebuild", _die),
    "before the new file is in place": lambda: _replace(Path, "replace", _die),
    "after the new file is in place": _after_the_new_file_is_in_place,
}

if __name__ == "__main__":
    MOMENTS[sys.argv[1]]()
    open_store(Path(sys.argv[2])).health()
