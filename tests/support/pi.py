"""Drives a real Pi against a scripted model, in print mode and over RPC."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.support.app import ltm_tray
from tests.support.fake_llm import FakeLlm
from tests.support.pi_install import InstalledPi

EVENT_TIMEOUT_S = 30
MODEL = "fakellm/fake-1"
_SETTINGS = {
    "defaultProvider": "fakellm",
    "defaultModel": "fake-1",
    "quietStartup": True,
    # Small enough that two short turns can be compacted.
    "compaction": {"enabled": True, "reserveTokens": 16384, "keepRecentTokens": 20},
    "retry": {"enabled": True, "maxRetries": 3, "baseDelayMs": 10},
}

Event = dict[str, Any]


@dataclass
class Pi:
    """A Pi in the home of the test's environment. `port` is where it looks for an app last."""

    installed: InstalledPi
    llm: FakeLlm
    cwd: Path
    port: int
    environ: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.agent_dir = Path(os.environ["PI_CODING_AGENT_DIR"])
        self.agent_dir.mkdir(parents=True, exist_ok=True)
        self.cwd.mkdir(parents=True, exist_ok=True)
        provider = {
            "baseUrl": self.llm.url,
            "api": "openai-completions",
            "apiKey": "none",
            "compat": {"supportsDeveloperRole": False, "supportsReasoningEffort": False},
            "models": [{"id": "fake-1", "contextWindow": 128_000, "maxTokens": 4096}],
        }
        _write(self.agent_dir / "models.json", {"providers": {"fakellm": provider}})
        _write(self.agent_dir / "settings.json", _SETTINGS)

    def install_extension(self) -> None:
        """Install ours as a person does."""
        ran = ltm_tray("pi", "install")
        assert ran.returncode == 0, ran.stderr

    def add_extension(self, name: str, source: str) -> None:
        """Put another extension beside ours."""
        file = self.agent_dir / "extensions" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source, "utf-8")

    def says(self, prompt: str, *arguments: str) -> str:
        """Return Pi's answer to a prompt in print mode; it must end well and print nothing else."""
        ran = subprocess.run(
            [*self._command(), *arguments, "-p", prompt],
            cwd=self.cwd,
            env=self._environ(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        assert (ran.returncode, ran.stderr) == (0, ""), ran.stderr + ran.stdout
        return ran.stdout.strip()

    def rpc(self, *arguments: str) -> PiRpc:
        """Return a Pi that listens to commands."""
        return PiRpc([*self._command(), *arguments, "--mode", "rpc"], self.cwd, self._environ())

    def _command(self) -> list[str]:
        return [str(self.installed.node), str(self.installed.cli), "--model", MODEL]

    def _environ(self) -> dict[str, str]:
        return {
            "PATH": os.pathsep.join([str(self.installed.node.parent), "/usr/bin", "/bin"]),
            "HOME": os.environ["HOME"],
            "USERPROFILE": os.environ["HOME"],
            "PI_CODING_AGENT_DIR": str(self.agent_dir),
            "LTM_PORT": str(self.port),
            "TERM": "dumb",
            "LANG": "C.UTF-8",
            "PI_OFFLINE": "1",
            "PI_SKIP_VERSION_CHECK": "1",
            "PI_TELEMETRY": "0",
            **self.environ,
        }


class PiRpc:
    """A Pi in RPC mode; it ends with the block, and must end well."""

    def __init__(self, command: list[str], cwd: Path, environ: dict[str, str]) -> None:
        self._command, self._cwd, self._environ = command, cwd, environ
        self._lines: queue.Queue[Event] = queue.Queue()
        self._ids = 0
        self._status = ""
        self.events: list[Event] = []

    def __enter__(self) -> PiRpc:
        self._process = subprocess.Popen(
            self._command,
            cwd=self._cwd,
            env=self._environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._errors: list[bytes] = []
        self._readers = [
            threading.Thread(target=self._read_events, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        assert self._process.stdin
        assert self._process.stdout
        assert self._process.stderr
        self._process.stdin.close()  # ends it as its user would
        try:
            code = self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait(20)
        for reader in self._readers:
            reader.join(5)
        self._process.stdout.close()
        self._process.stderr.close()
        if kind is None:
            assert (code, self.errors) == (0, "")

    @property
    def errors(self) -> str:
        """What it wrote to its standard error."""
        return b"".join(self._errors).decode()

    def ask(self, prompt: str) -> str:
        """Send a prompt, wait until the agent rests, and return its last answer."""
        self.command("prompt", message=prompt)
        self.wait(lambda event: event.get("type") == "agent_end" and not event.get("willRetry"))
        while self.command("get_state")["data"]["isStreaming"]:
            pass
        return str(self.command("get_last_assistant_text")["data"]["text"])

    def notified(self, command: str) -> Event:
        """Run a slash command and return the notice it shows."""
        before = len(self.events)
        self.command("prompt", message=command)
        shown = [event for event in self.events[before:] if event.get("method") == "notify"]
        return shown[0] if shown else self.wait(lambda event: event.get("method") == "notify")

    def wait_for_status(self, text: str) -> None:
        """Wait until the status line says so."""
        if self._status != text:
            self.wait(lambda _: self._status == text)

    def command(self, kind: str, **fields: object) -> Event:
        """Send a command and return its answer, which must be a success."""
        assert self._process.stdin is not None
        self._ids += 1
        command = {"id": str(self._ids), "type": kind, **fields}
        self._process.stdin.write(json.dumps(command).encode() + b"\n")
        self._process.stdin.flush()
        answer = self.wait(
            lambda event: event.get("type") == "response" and event.get("id") == command["id"]
        )
        assert answer["success"], answer
        return answer

    def wait(self, wanted: Callable[[Event], bool]) -> Event:
        """Return the next event of a kind; those before it are kept in `events`."""
        while True:
            try:
                event = self._lines.get(timeout=EVENT_TIMEOUT_S)
            except queue.Empty:
                raise AssertionError(f"no such event; {self.errors}") from None
            self.events.append(event)
            if event.get("method") == "setStatus":
                self._status = event["statusText"]
            assert event.get("type") != "ended", f"Pi ended early: {self.errors}"
            if wanted(event):
                return event

    def _read_events(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(json.loads(line))
        self._lines.put({"type": "ended"})

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        self._errors.extend(self._process.stderr)


def _write(file: Path, value: object) -> None:
    file.write_text(json.dumps(value), "utf-8")
