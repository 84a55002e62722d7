"""The real program as a process of its own, and a client that talks to it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import urlencode, urlsplit

from tests.support.waiting import wait_until

PROGRAM = (sys.executable, "-m", "ltm_tray")


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer: its status and its JSON."""

    status: int
    json: Any


def free_port() -> int:
    """Return a port nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def ltm_tray(*arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command of the program to its end."""
    return subprocess.run(
        [*PROGRAM, *arguments],
        input=text,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


class RunningApp:
    """The app, started in the home of the test's environment; ended with the block.

    Without `display` it sees none. `environ` is added to the test's environment.
    """

    def __init__(self, *arguments: str, display: str | None = None, **environ: str) -> None:
        self.agent_dir = Path(os.environ["PI_CODING_AGENT_DIR"])
        self.memory_dir = self.agent_dir / "memory"
        self.port = int(environ.get("LTM_PORT") or free_port())
        self._arguments = arguments
        self._environ = {
            name: value
            for name, value in os.environ.items()
            if name not in {"DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"}
        }
        self._environ |= {"LTM_PORT": str(self.port), "PYTHONUNBUFFERED": "1", **environ}
        if display:
            self._environ |= {"DISPLAY": display, "PYSTRAY_BACKEND": "xorg"}
        self.headers = {"Content-Type": "application/json"}
        self._output = self.agent_dir.parent / f"output-{self.port}.txt"
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> RunningApp:
        self.start()
        return self

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        self.kill()

    def start(self) -> None:
        """Start the process and wait until it answers."""
        self.launch()
        wait_until(self._answers, "the app answers")

    def launch(self) -> None:
        """Start the process and return at once."""
        self._output.parent.mkdir(parents=True, exist_ok=True)
        with self._output.open("ab") as output:
            self.process = subprocess.Popen(
                [*PROGRAM, *self._arguments],
                env=self._environ,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )

    def kill(self) -> None:
        """End the process at once, as a crash would."""
        if self.process and self.process.poll() is None:
            self.process.kill()
        if self.process:
            self.process.wait(20)

    def end(self, number: int = signal.SIGTERM) -> int:
        """Ask the process to end with a signal and return its exit code."""
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(20)

    @property
    def output(self) -> str:
        """What the process has said so far."""
        return self._output.read_text("utf-8")

    @property
    def log(self) -> str:
        """What the process has logged so far."""
        return (self.memory_dir / "logs" / "ltm-tray.log").read_text("utf-8")

    @property
    def published(self) -> dict[str, Any]:
        """What the discovery file says; empty without one."""
        try:
            found: dict[str, Any] = json.loads((self.memory_dir / "ltm-tray.json").read_text())
        except FileNotFoundError:
            return {}
        return found

    def get(self, path: str, **query: str) -> Answer:
        """Ask a GET route below `/api/memory`."""
        return self._ask("GET", f"{path}?{urlencode(query)}" if query else path)

    def post(self, path: str, **body: object) -> Answer:
        """Send JSON to a POST route below `/api/memory`."""
        return self._ask("POST", path, json.dumps(body))

    def patch(self, path: str, **body: object) -> Answer:
        """Send JSON to a PATCH route below `/api/memory`."""
        return self._ask("PATCH", path, json.dumps(body))

    def page(self, path: str, *, status: int = 200) -> str:
        """Return a page of the console, which must have that status."""
        found, body = self._get(path)
        assert found == status
        return body.decode()

    def status_of(self, path: str) -> int:
        """Return the status of a page of the console."""
        return self._get(path)[0]

    def _get(self, path: str) -> tuple[int, bytes]:
        address = urlsplit(self.published["url"])
        connection = HTTPConnection(address.hostname or "", address.port, timeout=20)
        with contextlib.closing(connection):
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read()

    def _ask(self, method: str, path: str, body: str | None = None) -> Answer:
        address = urlsplit(self.published["url"])
        connection = HTTPConnection(address.hostname or "", address.port, timeout=20)
        with contextlib.closing(connection):
            connection.request(method, f"/api/memory{path}", body, self.headers)
            response = connection.getresponse()
            return Answer(response.status, json.loads(response.read()))

    def _answers(self) -> bool:
        assert self.process is not None
        ended = self.process.poll()
        assert ended is None, f"the app ended with {ended}: {self.output}"
        if self.published.get("pid") != self.process.pid:
            return False
        with contextlib.suppress(OSError):
            return bool(self.get("/health").status == 200)
        return False
