"""Whatever happens to the memory, a real Pi's turn ends well with the right answer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.app import RunningApp
from tests.support.fake_app import HEALTH, FakeApp
from tests.support.fake_llm import FakeLlm, ToolCall
from tests.support.pi import Pi
from tests.support.stage import EXTENSION
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

SAVE = ToolCall("memory_save", {"content": "Tea is at four."})
RECALL = ToolCall("memory_recall", {"query": "tea"})
TOOLS = {"memory_save", "memory_recall", "memory_forget"}
PROMPT = "Remember the tea."

OTHER_EXTENSION = """
export default function (pi) {
	pi.registerTool({
		name: "memory_save", label: "Other", description: "Another memory.",
		parameters: { type: "object", properties: { content: { type: "string" } } },
		execute: async () => ({ content: [{ type: "text", text: "Saved elsewhere." }] }),
	});
}
"""


@pytest.fixture(autouse=True)
def script(llm: FakeLlm) -> None:
    llm.script = {PROMPT: [SAVE, RECALL, "Done."]}


def observed(app: RunningApp, pi: Pi) -> int:
    return int(app.get("/stats", cwd=str(pi.cwd)).json["observationCount"])


@pytest.fixture(params=["down", "hanging", "answering 500"])
def trouble(request: pytest.FixtureRequest, pi: Pi) -> Iterator[str]:
    if request.param == "down":
        yield request.param
        return
    with FakeApp(health=None if request.param == "hanging" else HEALTH) as app:
        pi.port = app.port
        yield request.param


def test_a_turn_ends_well_in_print_mode(pi: Pi, llm: FakeLlm, trouble: str) -> None:
    assert pi.says(PROMPT) == "Done."
    assert len(llm.asked[-1].results) == 2
    assert all("Go on without it." in result for result in llm.asked[-1].results)


def test_turns_and_compactions_end_well_over_rpc(pi: Pi, llm: FakeLlm, trouble: str) -> None:
    llm.script["Tell of tea."] = ["It is a leaf. " * 60]
    with pi.rpc() as session:
        assert session.ask("Tell of tea.").startswith("It is a leaf.")
        assert session.ask(PROMPT) == "Done."
        session.command("compact")


def test_while_memory_is_off_the_model_is_offered_none_and_later_it_is(
    pi: Pi, app: RunningApp, llm: FakeLlm
) -> None:
    app.patch("/settings", enabled=False)
    with pi.rpc() as session:
        session.wait_for_status("ltm: off")
        assert session.ask(PROMPT) == "Done."
        assert not TOOLS & set(llm.asked[-1].tools)
        assert "memory_save" not in llm.asked[-1].system
        app.patch("/settings", enabled=True)
        session.wait_for_status("ltm: on")
        assert session.ask(PROMPT) == "Done."
        assert set(llm.asked[-1].tools) >= TOOLS
        assert "Tea is at four." in llm.asked[-1].results[1]
        wait_until(lambda: observed(app, pi) == 1, "the turn is observed")
        app.patch("/settings", enabled=False)
        session.wait_for_status("ltm: off")
        session.ask("And now?")
        assert not TOOLS & set(llm.asked[-1].tools)
    assert observed(app, pi) == 1


def test_a_session_left_while_memory_was_off_has_its_tools_when_resumed(
    pi: Pi, app: RunningApp, llm: FakeLlm
) -> None:
    pi.says(PROMPT)
    app.patch("/settings", enabled=False)
    pi.says("Go on.", "--continue")
    assert not TOOLS & set(llm.asked[-1].tools)
    app.patch("/settings", enabled=True)
    pi.says("Go on.", "--continue")
    assert set(llm.asked[-1].tools) >= TOOLS


def test_an_app_that_starts_later_is_used_without_restarting_pi(pi: Pi, llm: FakeLlm) -> None:
    with pi.rpc() as session:
        session.wait_for_status("ltm: offline")
        session.ask(PROMPT)
        assert "unavailable" in llm.asked[-1].results[0]
        with RunningApp("serve"):
            session.ask(PROMPT)
            assert "Tea is at four." in llm.asked[-1].results[1]


def test_a_tool_of_another_extension_stays_with_it(pi: Pi, app: RunningApp, llm: FakeLlm) -> None:
    pi.add_extension("other.ts", OTHER_EXTENSION)
    with pi.rpc() as session:
        notice = session.wait(lambda event: event.get("method") == "notify")
        assert session.ask(PROMPT) == "Done."
    assert "does not add memory_save" in notice["message"]
    assert "other.ts" in notice["message"]
    assert llm.asked[-1].results[0] == "Saved elsewhere."
    assert "Nothing in this project" in llm.asked[-1].results[1]


def test_of_two_copies_one_serves(pi: Pi, app: RunningApp, llm: FakeLlm) -> None:
    pi.add_extension("a-copy.ts", EXTENSION.read_text("utf-8"))
    pi.add_extension("z-copy/index.ts", EXTENSION.read_text("utf-8"))
    with pi.rpc() as session:
        assert session.ask(PROMPT) == "Done."
        assert "Tea is at four." in session.notified("/memory tea")["message"]
    assert not [event for event in session.events if "does not add" in event.get("message", "")]
    assert sorted(set(llm.asked[-1].tools) & TOOLS) == sorted(TOOLS)
    assert observed(app, pi) == 1


def test_a_reloaded_extension_serves_on(pi: Pi, app: RunningApp, llm: FakeLlm) -> None:
    with pi.rpc() as session:
        session.ask(PROMPT)
        session.command("new_session")
        session.ask(PROMPT)
    assert "Tea is at four." in llm.asked[-1].results[1]
    assert observed(app, pi) == 2
