"""The app's log file: rotated, private, and without any text that people saved or asked."""

from __future__ import annotations

import logging
import os
import sys
import threading
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import Any

from ltm_tray.files import PRIVATE_FILE_MODE, make_private_dir

LOG_MAX_BYTES = 2 * 1024 * 1024
LOG_FILES = 3
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"

logger = logging.getLogger(__name__)


def start_logging(file: Path) -> None:
    """Send log lines from INFO up, and what no one caught, to the file.

    Warnings are shown on standard error as well. The file and its folder are made
    where they are missing; at 2 MB a new file is begun, and three are kept.

    Raises:
        OSError: The file cannot be written.
    """
    make_private_dir(file.parent)
    handler = _PrivateLog(file, maxBytes=LOG_MAX_BYTES, backupCount=LOG_FILES - 1, encoding="utf-8")
    handler.setFormatter(logging.Formatter(_FORMAT))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    if sys.stderr is not None:  # the windowless program has none
        shown = logging.StreamHandler()
        shown.setLevel(logging.WARNING)
        shown.setFormatter(logging.Formatter("%(message)s"))
        root.addHandler(shown)
    sys.excepthook = _log_uncaught
    threading.excepthook = _log_uncaught_in_thread


class _PrivateLog(RotatingFileHandler):
    """Makes each file readable by the user only and never follows a link out of the folder."""

    def _open(self) -> Any:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(self.baseFilename, flags, PRIVATE_FILE_MODE)
        return os.fdopen(descriptor, "a", encoding="utf-8", errors="backslashreplace")


def _log_uncaught(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    logger.critical("Unexpected error; the app ends", exc_info=(kind, error, trace))


def _log_uncaught_in_thread(uncaught: threading.ExceptHookArgs) -> None:
    name = uncaught.thread.name if uncaught.thread else "a thread"
    error = uncaught.exc_value or uncaught.exc_type()
    logger.critical(
        "Unexpected error in %s", name, exc_info=(type(error), error, uncaught.exc_traceback)
    )
