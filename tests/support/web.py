"""The web app over a real store, asked through Flask's client or over a real socket."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from ltm_tray.backends.sqlite import SqliteStore
from ltm_tray.domain.upkeep import Backup
from ltm_tray.fronts.agent.tools import tool_specs
from ltm_tray.fronts.web.app import AppInfo, create_app
from ltm_tray.fronts.web.gate import Gate
from ltm_tray.fronts.web.server import LocalServer, bind_loopback
from ltm_tray.ports import Store
from ltm_tray.service import MemoryService
from tests.support.clock import TickingClock
from tests.support.ids import CountingIds
from tests.support.switch import FakeSwitch

PORT = 31_415
HERE = "/work/here"
THERE = "/work/there"


class LocalClient(FlaskClient):
    """Asks the host that the app is told to be."""

    def open(self, *args: Any, **options: Any) -> TestResponse:
        chosen = {"base_url": f"http://127.0.0.1:{PORT}", "buffered": True, **options}
        return super().open(*args, **chosen)


@dataclass
class Web:
    """One app with all its parts; paths are those below `/api/memory`."""

    app: Flask
    service: MemoryService
    switch: FakeSwitch
    clock: TickingClock
    store: Store

    @property
    def client(self) -> FlaskClient:
        """A client that names the right host and no origin, as programs do."""
        return self.app.test_client()

    def get(self, path: str, **query: str) -> TestResponse:
        return self.client.get(f"/api/memory{path}", query_string=query)

    def post(self, path: str, body: dict[str, Any]) -> TestResponse:
        return self.client.post(f"/api/memory{path}", json=body)

    def send(self, path: str, raw: bytes, media_type: str = "application/json") -> TestResponse:
        return self.client.post(f"/api/memory{path}", data=raw, content_type=media_type)

    def remember(self, content: str, **more: Any) -> str:
        answer = self.post("/remember", {"cwd": HERE, "content": content, **more})
        assert answer.status_code == 200, answer.text
        return str(answer.get_json()["id"])

    def observe(self, title: str, **more: Any) -> str:
        body = {"cwd": HERE, "sessionId": "s-1", "kind": "agent_end", "title": title}
        answer = self.post("/observe", {**body, "narrative": f"User: {title}", **more})
        assert answer.status_code == 200, answer.text
        return str(answer.get_json()["observationId"])

    def counts(self, cwd: str = HERE) -> tuple[int, int]:
        """How many memories and observations the project holds."""
        stats = self.service.stats(cwd)
        return stats.memory_count, stats.observation_count


def a_web(
    folder: Path,
    *,
    store: Store | None = None,
    port: int = PORT,
    switch: FakeSwitch | None = None,
    pi_state: str = "absent",
    gate: Gate | None = None,
    overdue: int | None = None,
    backups: Sequence[Backup] = (),
) -> Web:
    clock = TickingClock()
    switch = switch or FakeSwitch()
    store = store or SqliteStore(folder / "ltm.sqlite", clock=clock, new_id=CountingIds())
    service = MemoryService(store, switch=switch, clock=clock)
    info = AppInfo(
        pi_state=lambda: pi_state,
        overdue=lambda: overdue,
        backups=lambda: backups,
        version="9.9.9",
        port=port,
        db_path=folder / "ltm.sqlite",
        memory_dir=folder,
        log_path=folder / "ltm-tray.log",
    )
    app = create_app(service, info=info, tools=tool_specs, gate=gate)
    app.test_client_class = LocalClient
    return Web(app=app, service=service, switch=switch, clock=clock, store=store)


@contextmanager
def served(
    folder: Path,
    *,
    store: Store | None = None,
    switch: FakeSwitch | None = None,
    gate: Gate | None = None,
) -> Iterator[tuple[Web, LocalServer]]:
    """Serve such an app on a free port until the block ends."""
    listener = bind_loopback(0)
    port = listener.getsockname()[1]
    web = a_web(folder, store=store, switch=switch, port=port, gate=gate)
    server = LocalServer(web.app, listener)
    server.start()
    try:
        yield web, server
    finally:
        server.stop()
        web.service.close()


def problem_of(answer: TestResponse) -> tuple[int, str, list[str]]:
    """The status, the error code and the fields of an error answer."""
    body = answer.get_json()
    assert body["status"] == answer.status_code
    return answer.status_code, body["error"], [detail["field"] for detail in body["details"]]
