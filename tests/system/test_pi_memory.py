"""What a person gets: Pi saves, recalls and forgets, within one project."""

from __future__ import annotations

import pytest

from tests.support.app import RunningApp
from tests.support.fake_llm import FakeLlm, ToolCall
from tests.support.pi import Pi

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

FACT = "The project uses PostgreSQL 16 with pgvector."
SAVE = ToolCall("memory_save", {"content": FACT, "type": "architecture", "concepts": ["database"]})
RECALL = ToolCall("memory_recall", {"query": "which database", "limit": 3})


def test_what_one_session_saves_the_next_recalls(pi: Pi, app: RunningApp, llm: FakeLlm) -> None:
    llm.script = {"Remember it.": [SAVE, "Noted."], "Which database?": [RECALL, "PostgreSQL."]}

    assert pi.says("Remember it.") == "Noted."
    assert pi.says("Which database?") == "PostgreSQL."

    assert FACT in llm.asked[-1].results[0]
    assert "architecture" in llm.asked[-1].results[0]
