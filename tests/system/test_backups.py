"""Backups and restores beside the running app."""

from __future__ import annotations

import json

from tests.support.app import RunningApp, ltm_tray


def found(app: RunningApp, q: str) -> list[str]:
    answer = app.get("/recall", cwd="/w/a", q=q)
    assert answer.status == 200, answer
    return [hit["snippet"] for hit in answer.json["hits"]]


def save(app: RunningApp, content: str) -> None:
    assert app.post("/remember", cwd="/w/a", content=content).status == 200


def test_the_running_app_answers_from_what_was_restored_beside_it() -> None:
    with RunningApp("serve") as app:
        save(app, "kestrel nests")
        made = json.loads(ltm_tray("backup", "--json").stdout)
        save(app, "marten hides")
        assert ltm_tray("restore", made["name"], "--yes").returncode == 0
        assert (found(app, "kestrel"), found(app, "marten")) == (["kestrel nests"], [])
        save(app, "otter swims")
        assert found(app, "otter") == ["otter swims"]


def test_the_running_app_tells_when_the_last_backup_was_made() -> None:
    with RunningApp("serve") as app:
        save(app, "kestrel nests")
        made = json.loads(ltm_tray("backup", "--json").stdout)
        assert app.get("/health").json["facts"]["lastBackupAt"] == made["madeAt"]
