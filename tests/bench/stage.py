"""What the measures run on: an empty home and, where a tray is part of it, a desktop."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def empty_home() -> Iterator[Path]:
    """Give this process, and those it starts, an empty home and no settings."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="ltm-bench-") as folder:
        for name in [name for name in before if name.startswith(("LTM_", "XDG_"))]:
            del os.environ[name]
        os.environ |= {"HOME": folder, "PI_CODING_AGENT_DIR": f"{folder}/.pi/agent"}
        try:
            yield Path(folder)
        finally:
            os.environ.clear()
            os.environ.update(before)
