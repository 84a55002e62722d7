"""A process that saves memories and says on its output which were acknowledged.

`python -m tests.support.writer FILE NAME COUNT`: saves COUNT texts, or without end for
COUNT 0, and prints `<number> <id>` for each, or `error <code>`.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from ltm_tray.backends.sqlite import SqliteStore
from ltm_tray.bootstrap import new_id, utc_now
from ltm_tray.domain.errors import LtmError
from tests.support.builders import a_memory

ROOT = Path(__file__).resolve().parents[2]


SAME = "same-"
"""What a name begins with whose texts all supersede each other."""


def text_of(name: str, number: int) -> str:
    """Return a text that shares too little with any other to supersede it, or nearly all."""
    if name.startswith(SAME):
        return " ".join(f"w{word}" for word in range(30)) + f" {name}{number}"
    return f"note {name}n{number} " + " ".join(f"{name}{number}w{word}" for word in range(12))


def open_store(file: Path) -> SqliteStore:
    """Open a store with the real clock and real ids, as a program does."""
    return SqliteStore(file, clock=utc_now, new_id=new_id)


class Writer:
    """Such a process; its output can be read once it has ended."""

    def __init__(self, file: Path, name: str, count: int) -> None:
        self.name = name
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.writer", str(file), name, str(count)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def wait_for_a_write(self) -> str:
        """Return the first line, which is there once something was acknowledged."""
        assert self._process.stdout is not None
        self._first = self._process.stdout.readline()
        return self._first

    def kill(self) -> list[str]:
        """End the process as a crash does, and return the lines behind the first."""
        self._process.kill()
        return self.lines()

    def lines(self) -> list[str]:
        """Wait for the end and return the lines, whole ones only."""
        output, _ = self._process.communicate()
        return [line for line in output.splitlines(keepends=True) if line.endswith("\n")]


def acknowledged(writer: Writer, lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield id and text of each acknowledged write; fail where one was refused."""
    for line in lines:
        number, id_ = line.split()
        assert number != "error", line
        yield id_, text_of(writer.name, int(number))


def _write(file: Path, name: str, count: int) -> None:
    store = open_store(file)
    number = 0
    while not count or number < count:
        try:
            saved = store.remember(a_memory(text_of(name, number)))
            print(number, saved.id, flush=True)
        except LtmError as error:
            print("error", error.code, flush=True)
        number += 1
    store.close()


if __name__ == "__main__":
    _write(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
