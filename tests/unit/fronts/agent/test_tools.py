"""The agent's tools: what a model is told, the same wherever it is told."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ltm_tray.domain.errors import InvalidInput
from ltm_tray.domain.memory import RECALL_LIMIT_MAX, HitKind, MemoryType
from ltm_tray.domain.payload import FENCE
from ltm_tray.fronts.agent.tools import tool_specs
from ltm_tray.resources import data_dir

EXTENSION = (data_dir("assets") / "pi-extension" / "index.ts").read_text("utf-8")


def spec(name: str) -> dict[str, Any]:
    return next(found for found in tool_specs("main") if found["name"] == name)


def test_the_extension_holds_the_same_tools_for_when_the_app_is_down() -> None:
    written = json.dumps(tool_specs("main"), indent=2, ensure_ascii=False)
    block = EXTENSION.split("// tools: begin\n")[1].split("// tools: end")[0]
    assert block == f"const BUILT_IN_TOOLS: ToolSpec[] = {written};\n"


def test_the_extension_encloses_stored_text_in_the_marks_that_are_dropped_again() -> None:
    assert f'const FENCE = "{FENCE}";' in EXTENSION


def test_an_agent_saves_recalls_and_forgets() -> None:
    takes = {found["name"]: list(found["parameters"]["properties"]) for found in tool_specs(None)}
    assert takes == {
        "memory_save": ["content", "type", "concepts", "files"],
        "memory_recall": ["query", "limit", "kinds"],
        "memory_forget": ["ids"],
    }


def test_an_agent_of_an_agent_only_recalls() -> None:
    assert [found["name"] for found in tool_specs("sub")] == ["memory_recall"]


def test_an_unknown_role_is_refused() -> None:
    with pytest.raises(InvalidInput, match="main, sub"):
        tool_specs("boss")


@pytest.mark.parametrize("name", ["memory_save", "memory_recall", "memory_forget"])
def test_a_tool_says_when_to_use_it_and_when_not(name: str) -> None:
    guidelines = spec(name)["promptGuidelines"]
    assert any(text.startswith(f"Use {name} ") for text in guidelines)
    assert any(text.startswith(f"Do not use {name} ") for text in guidelines)
    # They stand in one list with those of other tools, so each must say what it is about.
    assert all(name in text for text in guidelines)


def test_the_parameters_allow_what_the_service_takes() -> None:
    save, recall = (
        spec(name)["parameters"]["properties"] for name in ("memory_save", "memory_recall")
    )
    assert save["type"]["enum"] == list(MemoryType)
    assert recall["kinds"]["items"]["enum"] == list(HitKind)
    assert recall["limit"]["maximum"] == RECALL_LIMIT_MAX
