"""No text that people save, ask or name reaches the log or the terminal, whatever fails."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.support.app import RunningApp, ltm_tray
from tests.support.damage import zero_pages

CANARY = "HERON5151"
CWD = f"/w/{CANARY}"
VALUES: list[Any] = [CANARY, "", None, 7, [CANARY], {CANARY: CANARY}, "x" * 70_000 + CANARY]
BODIES: dict[str, dict[str, Any]] = {
    "/remember": {
        "content": f"The password is {CANARY}",
        "type": "fact",
        "concepts": [CANARY],
        "files": [f"{CANARY}.py"],
        "sessionId": CANARY,
        "sourceObservationIds": [CANARY],
    },
    "/observe": {
        "sessionId": CANARY,
        "kind": "agent_end",
        "title": CANARY,
        "narrative": f"User: {CANARY}",
        "source": {CANARY: CANARY},
        "leafId": CANARY,
    },
    "/forget": {"memoryIds": [CANARY], "observationIds": [CANARY]},
}
QUERIES = {
    "/recall": {"q": CANARY, "limit": "5", "kinds": "memory", "types": "fact", "sessionId": CANARY},
    "/stats": {},
    f"/memories/{CANARY}": {},
    f"/observations/{CANARY}": {},
    "/tools": {"role": CANARY},
    f"/{CANARY}": {CANARY: CANARY},
}
PAGES = [
    f"/?q={CANARY}",
    f"/?q={CANARY}&type={CANARY}&project={CANARY}",
    f"/memories/{CANARY}",
    f"/observations/{CANARY}",
    f"/recalls?q={CANARY}",
    f"/recalls/{CANARY}",
    f"/projects/{CANARY}",
    f"/export.json?q={CANARY}",
    f"/export.csv?q={CANARY}",
    f"/static/{CANARY}",
    f"/{CANARY}",
    "/stats",
    "/settings",
]


@pytest.fixture
def app(home: Path) -> Iterator[RunningApp]:
    with RunningApp("serve") as running:
        yield running


def ask_everything(app: RunningApp) -> set[int]:
    """Send the text in every place, in ways that are right and that are wrong."""
    statuses = set()
    for path, body in BODIES.items():
        for wrong in ({}, *({name: value} for name in body for value in VALUES)):
            statuses.add(app.post(path, **{"cwd": CWD, **body, **wrong}).status)
        statuses.add(app.post(path, **{**body, "cwd": CANARY}).status)
    for path, query in QUERIES.items():
        for wrong in ({}, *({name: f"{CANARY}\0"} for name in query)):
            statuses.add(app.get(path, **{"cwd": CWD, **query, **wrong}).status)
    statuses.add(app.patch("/settings", enabled=CANARY).status)
    statuses |= {app.status_of(page) for page in PAGES}
    return statuses


def said(app: RunningApp) -> str:
    return app.log + app.output


def test_nothing_of_what_is_asked_or_refused_is_logged(app: RunningApp) -> None:
    assert ask_everything(app) >= {200, 400, 404}
    assert app.end() == 0
    assert "ended" in app.log
    assert CANARY not in said(app)


def test_nothing_is_logged_when_what_was_saved_cannot_be_read(app: RunningApp) -> None:
    app.post("/remember", cwd=CWD, content=CANARY)
    file = app.memory_dir / "ltm.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE memories SET type = ?, created_at = ?", (CANARY, CANARY))
        connection.commit()
    assert 500 in ask_everything(app)
    assert "failed" in app.log
    app.kill()
    zero_pages(file, list(range(4, 30)))
    app.start()
    ask_everything(app)
    assert app.get("/health").json["state"] == "recovered"
    assert app.end() == 0
    assert CANARY not in said(app)


def test_nothing_is_logged_where_the_command_line_fails() -> None:
    told = [
        ltm_tray("save", CANARY, "--cwd", CWD, "--type", CANARY),
        ltm_tray("forget", CANARY, "--cwd", CWD),
    ]
    log = Path(RunningApp("serve").memory_dir / "logs" / "ltm-tray.log")
    assert [done.returncode for done in told] != [0, 0]
    assert not log.exists() or CANARY not in log.read_text()
