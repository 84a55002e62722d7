"""The agent's tools are complete, and each role gets its own."""

from __future__ import annotations

import json

import pytest

from ltm_tray.domain.errors import InvalidInput
from ltm_tray.domain.memory import HitKind, MemoryType
from ltm_tray.domain.payload import FENCE
from ltm_tray.fronts.agent.tools import tool_specs
from ltm_tray.resources import data_dir

EXTENSION = (data_dir("assets") / "pi-extension" / "index.ts").read_text("utf-8")
EVERY = {tool["name"]: tool for tool in tool_specs(None)}


def test_the_main_agent_may_save_recall_and_forget() -> None:
    assert list(EVERY) == ["memory_save", "memory_recall", "memory_forget"]
    assert tool_specs("main") == tool_specs(None)


def test_an_agent_started_by_another_may_only_recall() -> None:
    assert [tool["name"] for tool in tool_specs("sub")] == ["memory_recall"]


def test_an_unknown_role_is_refused() -> None:
    with pytest.raises(InvalidInput, match="role"):
        tool_specs("boss")


@pytest.mark.parametrize("name", EVERY)
def test_every_tool_tells_all_that_the_agent_shows(name: str) -> None:
    tool = EVERY[name]
    assert {"label", "description", "promptSnippet", "promptGuidelines"} < set(tool)


@pytest.mark.parametrize("name", EVERY)
def test_every_tool_says_when_not_to_use_it(name: str) -> None:
    assert any(f"Do not use {name}" in line for line in EVERY[name]["promptGuidelines"])


@pytest.mark.parametrize(
    ("name", "required", "optional"),
    [
        ("memory_save", ["content"], {"type", "concepts", "files"}),
        ("memory_recall", ["query"], {"limit", "kinds"}),
        ("memory_forget", ["ids"], set()),
    ],
)
def test_every_tool_has_the_agreed_parameters(
    name: str, required: list[str], optional: set[str]
) -> None:
    schema = EVERY[name]["parameters"]
    assert schema["required"] == required
    assert set(schema["properties"]) == set(required) | optional
    assert all(property_["description"] for property_ in schema["properties"].values())


def test_the_choices_are_those_of_the_domain() -> None:
    save, recall = EVERY["memory_save"], EVERY["memory_recall"]
    assert save["parameters"]["properties"]["type"]["enum"] == list(MemoryType)
    assert recall["parameters"]["properties"]["kinds"]["items"]["enum"] == list(HitKind)


def test_a_caller_may_change_its_copy() -> None:
    tool_specs(None)[0]["name"] = "changed"
    assert tool_specs(None)[0]["name"] == "memory_save"


@pytest.mark.parametrize("name", EVERY)
def test_every_guideline_says_what_it_is_about(name: str) -> None:
    # They stand in one list with those of other tools.
    assert all(name in line for line in EVERY[name]["promptGuidelines"])


def test_the_extension_holds_the_same_tools_for_when_the_app_is_down() -> None:
    written = json.dumps(tool_specs("main"), indent=2, ensure_ascii=False)
    block = EXTENSION.split("// tools: begin\n")[1].split("// tools: end")[0]
    assert block == f"const BUILT_IN_TOOLS: ToolSpec[] = {written};\n"


def test_the_extension_encloses_stored_text_in_the_marks_that_are_dropped_again() -> None:
    assert f'const FENCE = "{FENCE}";' in EXTENSION
