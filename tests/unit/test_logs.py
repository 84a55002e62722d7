"""The log: private, bounded, and told of every error that nobody caught."""

from __future__ import annotations

import logging
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ltm_tray import logs


@pytest.fixture
def log_file(tmp_path: Path) -> Iterator[Path]:
    """Logging as the app starts it, and as it was before afterwards."""
    file = tmp_path / "memory" / "logs" / "ltm-tray.log"
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    hooks = (sys.excepthook, threading.excepthook)
    logs.start_logging(file)
    yield file
    for handler in root.handlers[:]:
        if handler not in handlers:
            root.removeHandler(handler)
            handler.close()
    root.setLevel(level)
    sys.excepthook, threading.excepthook = hooks


def test_lines_reach_the_file_with_time_level_and_place(log_file: Path) -> None:
    logging.getLogger("ltm_tray.somewhere").info("it %s", "works")
    assert "INFO ltm_tray.somewhere: it works" in log_file.read_text("utf-8")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no file modes")
def test_every_file_of_the_log_is_private(log_file: Path) -> None:
    old = os.umask(0o022)
    try:
        for _ in range(3):
            logging.getLogger("ltm_tray").info("x" * (logs.LOG_MAX_BYTES - 10_000))
            logging.getLogger("ltm_tray").info("y" * 20_000)
    finally:
        os.umask(old)
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in log_file.parent.iterdir()}
    assert set(modes.values()) == {0o600}
    assert len(modes) == logs.LOG_FILES


def test_the_log_does_not_grow_without_end(log_file: Path) -> None:
    for _ in range(5):
        logging.getLogger("ltm_tray").info("x" * logs.LOG_MAX_BYTES)
    assert len(list(log_file.parent.iterdir())) == logs.LOG_FILES


@pytest.mark.skipif(os.name == "nt", reason="Windows makes links for administrators only")
def test_a_link_in_place_of_the_log_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("keep me")
    link = tmp_path / "ltm-tray.log"
    link.symlink_to(target)
    with pytest.raises(OSError, match="ltm-tray"):
        logs.start_logging(link)
    assert target.read_text() == "keep me"


def test_an_error_nobody_caught_is_logged_in_any_thread(tmp_path: Path) -> None:
    program = (
        "import sys, threading\n"
        "from pathlib import Path\n"
        "from ltm_tray.logs import start_logging\n"
        "start_logging(Path(sys.argv[1]))\n"
        "sys.stderr = None\n"  # as in the windowless program
        "thread = threading.Thread(target=lambda: 1 / 0, name='worker')\n"
        "thread.start(); thread.join()\n"
        "raise LookupError('at the end')\n"
    )
    file = tmp_path / "ltm-tray.log"
    ended = subprocess.run([sys.executable, "-c", program, str(file)], check=False)
    text = file.read_text("utf-8")
    assert ended.returncode == 1
    assert "Unexpected error in worker" in text
    assert "ZeroDivisionError" in text
    assert "LookupError: at the end" in text
