"""Runs a part of a test without the privileges of root, which no permission stops."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NOBODY = 65_534


@contextmanager
def without_privileges(folder: Path) -> Iterator[None]:
    """Be an ordinary user in the block, who owns the folder and all in it.

    For an ordinary user, who owns it already, nothing changes.
    """
    if os.geteuid() != 0:
        yield
        return
    for path in (folder, *folder.rglob("*")):
        os.chown(path, _NOBODY, _NOBODY)
    os.setresgid(_NOBODY, _NOBODY, 0)
    os.setresuid(_NOBODY, _NOBODY, 0)  # the saved one is the way back
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)
        os.setresgid(0, 0, 0)
