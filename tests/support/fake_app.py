"""A program on loopback that answers where the app would: wrongly, with errors, or never."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

HEALTH = {"ok": True, "service": "ltm_tray", "version": "0", "enabled": True, "backend": "fake"}


class _Server(ThreadingHTTPServer):
    request_queue_size = 128


@dataclass
class FakeApp:
    """Answers every route alike; ended with the block.

    `health` is the answer of the health route, or None to hang there; `status` is that
    of all other routes, or None to hang there. `shown` holds what came as `Authorization`.
    """

    health: dict[str, Any] | None = field(default_factory=lambda: dict(HEALTH))
    status: int | None = 500
    answer: dict[str, Any] = field(default_factory=lambda: {"error": "internal", "message": "Oh."})
    asked: list[str] = field(default_factory=list)
    shown: list[str | None] = field(default_factory=list)

    def __enter__(self) -> FakeApp:
        self._over = threading.Event()
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        app = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.partition("?")[0].removeprefix("/api/memory")
                app.shown.append(self.headers["Authorization"])
                app.asked.append(f"{self.command} {path}")
                about_health = path == "/health"
                if (app.health if about_health else app.status) is None:
                    app._over.wait()
                    self.close_connection = True
                elif about_health:
                    self._answer(200, app.health)
                else:
                    self._answer(app.status or 500, app.answer)

            do_POST = do_GET

            def _answer(self, status: int, value: object) -> None:
                body = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler
