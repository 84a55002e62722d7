"""What a person gets: a real Pi saves, recalls, forgets and is observed, within one project."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.app import RunningApp, ltm_tray
from tests.support.fake_llm import FakeLlm, ToolCall
from tests.support.pi import Pi
from tests.support.redaction.pieces import GITHUB
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

FACT = "The project uses PostgreSQL 16 with pgvector."
SAVE = ToolCall("memory_save", {"content": FACT, "type": "architecture", "concepts": ["database"]})
RECALL = ToolCall("memory_recall", {"query": "which database", "limit": 3})
TOOLS = {"memory_save", "memory_recall", "memory_forget"}
EARLIER, LATER = "Remember it.", "Which database?"


@pytest.fixture(autouse=True)
def script(llm: FakeLlm) -> None:
    llm.script = {EARLIER: [SAVE, "Noted."], LATER: [RECALL, "PostgreSQL."]}


def hits(app: RunningApp, pi: Pi, words: str, kinds: str = "memory,observation") -> list[Any]:
    found: list[Any] = app.get("/recall", cwd=str(pi.cwd), q=words, kinds=kinds).json["hits"]
    return found


def test_what_one_session_saves_the_next_recalls_in_the_same_directory_only(
    pi: Pi, app: RunningApp, llm: FakeLlm, tmp_path: Path
) -> None:
    assert pi.says(EARLIER) == "Noted."
    assert pi.says(LATER) == "PostgreSQL."
    assert FACT in llm.asked[-1].results[0]
    assert "architecture" in llm.asked[-1].results[0]

    elsewhere = replace(pi, cwd=tmp_path / "elsewhere")
    assert elsewhere.says(LATER) == "PostgreSQL."
    assert llm.asked[-1].results == ("Nothing in this project's memory fits. Other words may.",)


def test_the_model_is_told_when_to_use_its_memory_and_when_not(
    pi: Pi, app: RunningApp, llm: FakeLlm
) -> None:
    pi.says(EARLIER)
    assert set(llm.asked[0].tools) >= TOOLS
    assert "- memory_save: Save a lasting fact" in llm.asked[0].system
    assert "Do not use memory_save for" in llm.asked[0].system


def test_the_model_is_told_what_was_left_out_of_what_it_saved(
    pi: Pi, app: RunningApp, llm: FakeLlm
) -> None:
    save = ToolCall("memory_save", {"content": f"The CI pushes with {GITHUB}."})
    llm.script["Save it."] = [save, "Saved."]
    assert pi.says("Save it.") == "Saved."
    (result,) = llm.asked[-1].results
    assert result.endswith("Left out, as secrets are never stored: github-token 1.")
    (hit,) = hits(app, pi, "pushes", "memory")
    assert hit["snippet"] == "The CI pushes with [redacted: github-token]."


def test_what_is_forgotten_is_gone(pi: Pi, app: RunningApp, llm: FakeLlm) -> None:
    with pi.rpc() as session:
        session.ask(EARLIER)
        memory_id = hits(app, pi, "PostgreSQL", "memory")[0]["id"]
        forget = ToolCall("memory_forget", {"ids": [memory_id, "mem_unknown"]})
        llm.script["Forget it."] = [forget, "Forgotten."]
        assert session.ask("Forget it.") == "Forgotten."
    assert llm.asked[-1].results[0].startswith("Deleted 1")
    assert hits(app, pi, "PostgreSQL", "memory") == []


def test_a_turn_is_observed(pi: Pi, app: RunningApp) -> None:
    pi.says("Why is the zebra slow?")
    (hit,) = hits(app, pi, "zebra")
    assert (hit["type"], hit["title"]) == ("agent_end", "Why is the zebra slow?")
    assert (
        hit["snippet"] == "User: Why is the zebra slow?\nAssistant: The model has nothing to add."
    )


def test_a_turn_that_failed_at_first_is_observed_once_and_whole(
    pi: Pi, app: RunningApp, llm: FakeLlm
) -> None:
    llm.script["Where is the zebra?"] = [503, "In the yard."]
    assert pi.says("Where is the zebra?") == "In the yard."
    assert llm.failures > 0
    (hit,) = hits(app, pi, "zebra yard")
    assert hit["snippet"] == "User: Where is the zebra?\nAssistant: In the yard."


def test_what_a_compaction_takes_away_is_found_by_a_word_of_it(
    pi: Pi, app: RunningApp, llm: FakeLlm
) -> None:
    llm.script["Tell of zebras."] = ["They have stripes. " + "They eat grass. " * 40]
    with pi.rpc() as session:
        session.ask("Tell of zebras.")
        session.ask("And of horses.")
        session.command("compact")
        wait_until(lambda: hits(app, pi, "stripes"), "the observation is stored")
    kinds = {hit["type"] for hit in hits(app, pi, "zebras stripes")}
    assert kinds == {"agent_end", "pre_compact"}


def test_a_person_sees_hits_and_state_in_pi(pi: Pi, app: RunningApp) -> None:
    with pi.rpc() as session:
        session.wait_for_status("ltm: on")
        session.ask(EARLIER)
        assert FACT in session.notified("/memory database")["message"]
        status = session.notified("/memory-status")["message"]
    assert "Memories: 1" in status
    assert app.published["url"] in status


def test_a_person_sees_that_memory_works(pi: Pi, app: RunningApp) -> None:
    with pi.rpc() as session:
        session.ask(EARLIER)
        session.ask(LATER)
    # The recall log is written a moment after the answer.
    wait_until(lambda: "by pi" in app.page("/recalls"), "the question is in the log")
    stats = app.get("/stats", cwd=str(pi.cwd)).json
    assert stats["lastSavedAt"] < stats["lastRecalledAt"] < stats["lastObservedAt"]


def test_a_directory_with_spaces_and_other_letters_is_one_project_for_all(
    pi: Pi, app: RunningApp, llm: FakeLlm, tmp_path: Path
) -> None:
    elsewhere = replace(pi, cwd=tmp_path / "mein Projekt & ü 日本")
    with elsewhere.rpc() as session:
        session.ask(EARLIER)
        session.ask(LATER)
    assert FACT in llm.asked[-1].results[0]
    ran = ltm_tray("recall", "PostgreSQL", "--cwd", str(elsewhere.cwd))
    assert FACT in ran.stdout


def test_turns_are_not_observed_where_the_settings_say_no(pi: Pi, home: Path, llm: FakeLlm) -> None:
    with RunningApp("serve", LTM_OBSERVE_AGENT_END="false") as app:
        assert pi.says(EARLIER) == "Noted."
        stats = app.get("/stats", cwd=str(pi.cwd)).json
    assert (stats["memoryCount"], stats["observationCount"]) == (1, 0)
