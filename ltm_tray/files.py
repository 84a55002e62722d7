"""Files and folders that only their user can read."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

PRIVATE_FILE_MODE = 0o600


def make_private_dir(folder: Path) -> None:
    """Create a folder (and its parents) that only the user can enter; an existing one stays."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)


def write_private_file(file: Path, text: str) -> None:
    """Replace a file in one step with the text, readable by the user only.

    A reader sees the old text or the new one, whatever happens in between.
    """
    with private_draft(file) as stream:
        stream.write(text.encode())


@contextmanager
def private_draft(file: Path) -> Iterator[BinaryIO]:
    """Lend a stream whose bytes replace a file in one step at the end of the block.

    The file is readable by the user only. If the block fails the old one stays.
    """
    draft = file.with_name(f".{file.name}.{os.getpid()}.{threading.get_ident()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
    descriptor = os.open(draft, flags, PRIVATE_FILE_MODE)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(file)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
