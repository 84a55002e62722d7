"""Plays the Pi extension event by event on a stand-in for Pi; see stage.mjs."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from ltm_tray.resources import data_dir
from tests.support.pi_install import InstalledPi

ANSWER_TIMEOUT_S = 30
EXTENSION = data_dir("assets") / "pi-extension" / "index.ts"
_STAGE = Path(__file__).with_name("stage.mjs")

Json = dict[str, Any]


def user(text: str) -> Json:
    """Return a user's message as Pi has it."""
    return {"role": "user", "content": text}


def assistant(text: str, **more: object) -> Json:
    """Return a model's message as Pi has it."""
    return {"role": "assistant", "content": [{"type": "text", "text": text}], **more}


class Stage:
    """The extension in a Node process; it ends with the block, and must end well.

    `port` is where the extension looks for an app last.
    """

    def __init__(self, pi: InstalledPi, *, cwd: Path, port: int, **environ: str) -> None:
        cwd.mkdir(parents=True, exist_ok=True)
        self._command = [str(pi.node), str(_STAGE), str(pi.jiti), str(EXTENSION), str(cwd)]
        self._environ = {
            "PATH": os.environ["PATH"],
            "HOME": os.environ["HOME"],
            "PI_CODING_AGENT_DIR": os.environ["PI_CODING_AGENT_DIR"],
            "LTM_PORT": str(port),
            **environ,
        }
        self._answers: queue.Queue[bytes] = queue.Queue()

    def __enter__(self) -> Stage:
        self._process = subprocess.Popen(
            self._command,
            env=self._environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        if kind is None:
            self.emit("session_shutdown")
        else:
            self._process.kill()
        errors = self._process.communicate(timeout=ANSWER_TIMEOUT_S)[1]
        self._reader.join(5)
        if kind is None:
            assert (self._process.returncode, errors) == (0, b"")

    def start(self) -> None:
        """Begin a session."""
        self.emit("session_start", reason="startup")

    def emit(self, event: str, *, entries: Sequence[Json] | None = None, **data: object) -> float:
        """Let an event happen; return how long its handler kept Pi, in milliseconds."""
        return float(self._do("emit", event=event, entries=entries, data=data)["tookMs"])

    def turn(self, *messages: Json, leaf: str = "leaf-1") -> float:
        """Let a turn end with these messages; see `emit`."""
        found = self._do("emit", event="agent_end", data={"messages": messages}, leafId=leaf)
        return float(found["tookMs"])

    def tool(self, name: str, **params: object) -> str:
        """Call a tool as the model does; an error's text comes back behind a mark."""
        answer = self._do("tool", name=name, params=params)
        return str(answer.get("text") or f"ERROR {answer['error']}")

    def command(self, name: str, args: str = "") -> Json:
        """Type a slash command and return the notice it shows."""
        return self._do("command", name=name, args=args)

    def look(self) -> Json:
        """Return `status`, `notices`, `active` and `specs` of tools, and `commands`."""
        return self._do("look")

    def _do(self, action: str, **arguments: object) -> Json:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": action, **arguments}).encode() + b"\n")
        self._process.stdin.flush()
        answer: Json = json.loads(self._answers.get(timeout=ANSWER_TIMEOUT_S) or "{}")
        return answer

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._answers.put(line)
