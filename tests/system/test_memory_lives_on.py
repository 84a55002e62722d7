"""What the agent saves outlives sessions, crashes and mishaps: the success criteria."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.app import RunningApp, ltm_tray
from tests.support.waiting import wait_until


@pytest.fixture
def app() -> Iterator[RunningApp]:
    with RunningApp("serve") as running:
        yield running


def found(app: RunningApp, cwd: str, q: str) -> list[str]:
    answer = app.get("/recall", cwd=cwd, q=q)
    assert answer.status == 200, answer
    return [hit["id"] for hit in answer.json["hits"]]


def test_one_session_saves_and_another_recalls_in_the_same_project_only(app: RunningApp) -> None:
    saved = app.post(
        "/remember", cwd="/w/a", content="The build needs Node 22", sessionId="s1"
    ).json["id"]
    assert found(app, "/w/a", "which node does the build need") == [saved]
    assert found(app, "/w/a/", "node") == [saved]
    assert found(app, "/w/b", "node") == []


def test_a_killed_app_starts_again_and_still_recalls(app: RunningApp) -> None:
    saved = app.post("/remember", cwd="/w/a", content="The build needs Node 22").json["id"]
    app.kill()
    app.start()
    assert found(app, "/w/a", "node") == [saved]


def test_what_a_compaction_summarised_is_found_by_a_key_word(app: RunningApp) -> None:
    messages = [
        {"role": "user", "text": "Why does the heron importer fail?"},
        {"role": "assistant", "text": "Its queue is named marabou-7, not marabou-6."},
    ]
    captured = app.post(
        "/observe", cwd="/w/a", sessionId="s1", kind="pre_compact", messages=messages
    )
    assert captured.status == 200
    assert found(app, "/w/a", "marabou-7") == [captured.json["observationId"]]


def test_what_the_end_of_a_turn_left_is_found(app: RunningApp) -> None:
    captured = app.post(
        "/observe",
        cwd="/w/a",
        sessionId="s1",
        kind="agent_end",
        title="Fixed the importer",
        narrative="The heron importer reads the queue marabou-7 now.",
    )
    assert found(app, "/w/a", "heron importer") == [captured.json["observationId"]]


def test_while_memory_is_off_nothing_is_written(app: RunningApp) -> None:
    app.patch("/settings", enabled=False)
    for path, body in (
        ("/remember", {"content": "The build needs Node 22"}),
        ("/observe", {"sessionId": "s", "kind": "agent_end", "title": "t", "narrative": "n"}),
        ("/forget", {"memoryIds": ["mem_1"]}),
    ):
        answer = app.post(path, cwd="/w/a", **body)
        assert (answer.status, answer.json["error"]) == (503, "ltm_disabled")
    assert app.get("/recall", cwd="/w/a", q="node").json["error"] == "ltm_disabled"
    stats = app.get("/stats", cwd="/w/a").json
    assert (stats["memoryCount"], stats["observationCount"]) == (0, 0)


def test_a_database_deleted_while_the_app_runs_leaves_an_empty_one_and_a_word(
    app: RunningApp,
) -> None:
    app.post("/remember", cwd="/w/a", content="The build needs Node 22")
    for file in app.memory_dir.glob("ltm.sqlite*"):
        file.unlink()
    assert found(app, "/w/a", "node") == []
    health = app.get("/health").json
    assert health["ok"] is True
    assert "deleted" in health["detail"]
    saved = app.post("/remember", cwd="/w/a", content="The build needs Node 24").json["id"]
    assert found(app, "/w/a", "node") == [saved]


def test_the_command_line_and_the_api_share_one_store(app: RunningApp) -> None:
    assert ltm_tray("save", "The build needs Node 22", "--cwd", "/w/a").returncode == 0
    (saved,) = found(app, "/w/a", "node")
    assert saved in ltm_tray("recall", "node", "--cwd", "/w/a").stdout
    assert ltm_tray("forget", saved, "--cwd", "/w/a").returncode == 0
    assert found(app, "/w/a", "node") == []


def test_no_text_of_people_reaches_the_log(app: RunningApp) -> None:
    app.post("/remember", cwd="/w/secretplace", content="The password is HERON-5151")
    found(app, "/w/secretplace", "HERON-5151 password")
    app.get("/recall", cwd="relative", q="HERON-5151")
    app.post("/remember", cwd="/w/secretplace", content="HERON-5151", type="HERON-5151")
    app.end()
    assert wait_until(lambda: "ended" in app.log, "the end is logged")
    assert "HERON" not in app.log + app.output
