"""Saving, recalling, forgetting and counting from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ltm_tray.bootstrap import load_settings, open_services
from ltm_tray.domain.requests import ObserveRequest
from ltm_tray.fronts.cli.main import program


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(program, arguments, input=stdin)


def answer(*arguments: str, stdin: str | bytes | None = None) -> Any:
    result = run(*arguments, "--json", stdin=stdin)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def observe(cwd: str, title: str) -> str:
    service = open_services(load_settings()).memory
    saved = service.observe(
        ObserveRequest(cwd=cwd, session_id="s1", kind="agent_end", title=title, narrative=title)
    )
    service.close()
    return saved.observation_id or ""


def test_what_is_saved_is_recalled_in_the_same_directory() -> None:
    saved = answer("save", "The build needs Node 22", "--cwd", "/w/a")
    (hit,) = answer("recall", "which node", "--cwd", "/w/a")["hits"]
    assert (hit["id"], hit["snippet"], hit["kind"], hit["type"]) == (
        saved["id"],
        "The build needs Node 22",
        "memory",
        "fact",
    )
    assert answer("recall", "which node", "--cwd", "/w/b") == {"hits": []}


def test_the_project_is_the_current_directory_where_none_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer("save", "Kestrel listens on 9090")
    assert len(answer("recall", "kestrel", "--cwd", str(tmp_path))["hits"]) == 1
    assert len(answer("recall", "kestrel", "--cwd", ".")["hits"]) == 1


def test_a_relative_directory_is_made_absolute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert answer("stats", "--cwd", "inner")["cwd"] == str(tmp_path / "inner")


def test_an_empty_directory_name_is_refused_and_nothing_is_saved() -> None:
    result = run("save", "Kestrel listens on 9090", "--cwd", "")
    assert result.exit_code == 2
    assert "cwd" in result.stderr


def test_several_words_need_no_quotes() -> None:
    answer("save", "Use", "pnpm", "here", "--cwd", "/w/a")
    (hit,) = answer("recall", "pnpm", "please", "--cwd", "/w/a")["hits"]
    assert hit["title"] == "Use pnpm here"


def test_a_dash_reads_the_text_from_standard_input() -> None:
    answer("save", "-", "--cwd", "/w/a", stdin="Первая строка\nsecond line\n")
    (hit,) = answer("recall", "second", "--cwd", "/w/a")["hits"]
    assert hit["snippet"] == "Первая строка\nsecond line"


def test_standard_input_that_is_not_utf_8_is_refused() -> None:
    result = run("save", "-", "--cwd", "/w/a", stdin=b"\xff\xfe\xfd")
    assert result.exit_code == 2
    assert "UTF-8" in result.stderr


def test_type_concepts_and_files_are_saved_along() -> None:
    about = ("--type", "bug", "--concept", "locks", "--concept", "os", "--file", "src/a.py")
    saved = answer("save", "The lock is not freed", *about, "--cwd", "/w/a")
    service = open_services(load_settings()).memory
    memory = service.memory(saved["id"])
    service.close()
    assert (memory.type, memory.concepts, memory.files) == ("bug", ("locks", "os"), ("src/a.py",))


def test_the_same_text_is_known_already() -> None:
    first = answer("save", "Use pnpm", "--cwd", "/w/a")
    again = answer("save", "Use  pnpm", "--cwd", "/w/a")
    assert again == {"id": first["id"], "type": "fact", "deduplicated": True}
    assert "Known already" in run("save", "Use pnpm", "--cwd", "/w/a").stdout


def test_a_new_version_names_the_one_it_replaces() -> None:
    old = "The deploy host of the staging cluster is called blue"
    first = answer("save", old, "--cwd", "/w/a")
    second = answer("save", f"{old} today", "--cwd", "/w/a")
    assert second["supersedes"] == first["id"]


def test_limit_and_kinds_narrow_what_is_recalled() -> None:
    for text in ("Kestrel listens on 9090", "Restart kestrel by hand", "Kestrel is written in Go"):
        answer("save", text, "--cwd", "/w/a")
    observe("/w/a", "Kestrel restarted")
    assert len(answer("recall", "kestrel", "--cwd", "/w/a")["hits"]) == 4
    assert len(answer("recall", "kestrel", "--limit", "2", "--cwd", "/w/a")["hits"]) == 2
    only = answer("recall", "kestrel", "--kinds", "observation", "--cwd", "/w/a")["hits"]
    assert [hit["kind"] for hit in only] == ["observation"]
    both = answer("recall", "kestrel", "--kinds", "memory, observation", "--cwd", "/w/a")["hits"]
    assert len(both) == 4


def test_a_recall_is_noted_as_asked_from_the_command_line() -> None:
    answer("recall", "anything", "--cwd", "/w/a")
    service = open_services(load_settings()).memory
    (entry,) = service.recalls().entries
    service.close()
    assert (entry.query, entry.source) == ("anything", "cli")


def test_nothing_found_is_a_plain_answer_and_no_failure() -> None:
    result = run("recall", "nothing here", "--cwd", "/w/a")
    assert (result.exit_code, result.stdout) == (0, "Nothing found in this project.\n")


def test_forgotten_items_are_gone() -> None:
    memory = answer("save", "HERON-5151 is the key", "--cwd", "/w/a")["id"]
    observation = observe("/w/a", "HERON-5151 came up")
    assert answer("forget", memory, observation, "--cwd", "/w/a") == {"deleted": 2}
    assert answer("recall", "HERON-5151", "--cwd", "/w/a") == {"hits": []}


def test_ids_of_another_project_are_not_forgotten() -> None:
    memory = answer("save", "HERON-5151 is the key", "--cwd", "/w/a")["id"]
    assert answer("forget", memory, "--cwd", "/w/b") == {"deleted": 0}
    assert "Nothing deleted" in run("forget", memory, "--cwd", "/w/b").stdout
    assert len(answer("recall", "HERON-5151", "--cwd", "/w/a")["hits"]) == 1


def test_what_is_no_id_is_refused() -> None:
    result = run("forget", "everything", "--cwd", "/w/a")
    assert result.exit_code == 2
    assert "mem_" in result.stderr


def test_stats_count_what_a_project_holds() -> None:
    answer("save", "Use pnpm", "--cwd", "/w/a")
    observe("/w/a", "Kestrel restarted")
    stats = answer("stats", "--cwd", "/w/a/")
    assert (stats["memoryCount"], stats["observationCount"], stats["cwd"]) == (1, 1, "/w/a")
    assert stats["lastSavedAt"].endswith("Z")
    assert stats["lastRecalledAt"] is None
    assert "Memories" in run("stats", "--cwd", "/w/a").stdout


def test_stored_control_characters_reach_no_terminal() -> None:
    answer("save", "red \x1b[31malert\x1b[0m \x9b2J", "--cwd", "/w/a")
    shown = run("recall", "red", "--cwd", "/w/a").stdout
    assert "\x1b" not in shown
    assert "\x9b" not in shown
    assert r"\x1b[31malert" in shown


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (("save", " ", "--cwd", "/w/a"), "content"),
        (("save", "x" * 65_537, "--cwd", "/w/a"), "content"),
        (("save", "text", "--type", "opinion", "--cwd", "/w/a"), "type"),
        (("save", "text \udcff", "--cwd", "/w/a"), "content"),
        (("recall", "x", "--limit", "0", "--cwd", "/w/a"), "limit"),
        (("recall", "x", "--limit", str(10**19), "--cwd", "/w/a"), "limit"),
        (("recall", "x", "--kinds", "session", "--cwd", "/w/a"), "kinds"),
    ],
)
def test_input_that_breaks_a_rule_is_told_in_one_line(
    arguments: tuple[str, ...], field: str
) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"ltm-tray: {field}: ")
    assert result.stderr.count("\n") == 1
