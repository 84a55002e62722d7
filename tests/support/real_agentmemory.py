"""The real agentmemory worker from npm, behind an engine that stands in for its own."""

from __future__ import annotations

import contextlib
import os
import subprocess
from pathlib import Path
from types import TracebackType

import httpx

from tests.support.app import free_port
from tests.support.need import need
from tests.support.npm_package import npm_package
from tests.support.waiting import wait_until

VERSION = "0.9.29"
_ENGINE = Path(__file__).with_name("iii_engine.mjs")


def installed_agentmemory() -> Path:
    """Return the `node_modules` with the worker; see `npm_package` for where there is none."""
    need("node", "npm")
    return npm_package(f"@agentmemory/agentmemory@{VERSION}", "agentmemory", "--omit=optional")


class RealAgentMemory:
    """A worker and its engine, until the block ends. The home is a folder of the test's."""

    def __init__(self, node_modules: Path, home: Path, **environ: str) -> None:
        self._modules = node_modules
        self._port = free_port()
        self._output = home / "output.txt"
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
        self._environ = {**kept, "HOME": str(home), "USERPROFILE": str(home), **environ}
        self._worker: subprocess.Popen[bytes] | None = None
        self.url = f"http://127.0.0.1:{self._port}"

    def __enter__(self) -> RealAgentMemory:
        self._engine = subprocess.Popen(
            ["node", str(_ENGINE), str(self._port), str(self._modules)],
            env=self._environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._engine.stdout is not None
        self._socket_port = self._engine.stdout.readline().strip()
        try:
            assert self._socket_port, "the engine did not start"
            self.start_worker()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        self._end()

    def _end(self) -> None:
        self.end_worker()  # first: without its engine it does not end
        self._engine.kill()
        self._engine.wait(20)
        assert self._engine.stdout is not None
        self._engine.stdout.close()

    def start_worker(self) -> None:
        """Start the worker and wait until it answers."""
        program = self._modules / "@agentmemory" / "agentmemory" / "dist" / "index.mjs"
        places = {
            "III_REST_PORT": str(self._port),
            "III_ENGINE_URL": f"ws://127.0.0.1:{self._socket_port}",
        }
        with self._output.open("ab") as output:
            self._worker = subprocess.Popen(
                ["node", str(program)],
                cwd=self._output.parent,
                env=self._environ | places,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        wait_until(self._answers, "agentmemory answers")

    def end_worker(self) -> None:
        """End the worker; its engine goes on without it."""
        if self._worker is None:
            return
        self._worker.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._worker.wait(3)
        self._worker.kill()
        self._worker.wait(20)

    def _answers(self) -> bool:
        assert self._worker is not None
        assert self._worker.poll() is None, self._output.read_text("utf-8")
        with contextlib.suppress(httpx.HTTPError):
            return httpx.get(f"{self.url}/agentmemory/livez", trust_env=False).status_code == 200
        return False


class OwnProjects(httpx.BaseTransport):
    """Reaches a server that stays up from test to test, and gives each test projects of its own."""

    def __init__(self, network: httpx.BaseTransport) -> None:
        self._network = network
        self._salt = os.urandom(6).hex().encode()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request with the ids of projects made unique, and make them plain again."""
        salted = b"proj_" + self._salt
        url = str(request.url).replace("proj_", salted.decode())
        headers = {k: v for k, v in request.headers.items() if k != "content-length"}
        answer = self._network.handle_request(
            httpx.Request(
                request.method,
                url,
                headers=headers,
                content=request.read().replace(b"proj_", salted),
                extensions=request.extensions,
            )
        )
        content = answer.read().replace(salted, b"proj_")
        answer.close()
        return httpx.Response(answer.status_code, content=content)
