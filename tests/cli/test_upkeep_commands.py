"""`ltm-tray backup` and `ltm-tray restore`, as people type them."""

from __future__ import annotations

import json
from typing import Any

from click.testing import CliRunner, Result

from ltm_tray.fronts.cli.main import program


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(program, arguments, input=stdin)


def answer(*arguments: str) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def save(text: str) -> None:
    assert run("save", text, "--cwd", "/w/a").exit_code == 0


def found(text: str) -> list[str]:
    return [hit["snippet"] for hit in answer("recall", text, "--cwd", "/w/a")["hits"]]


def test_a_backup_is_listed_and_restored_by_its_name() -> None:
    save("kestrel nests")
    made = answer("backup")
    save("marten hides")
    assert answer("backup", "--list") == {"backups": [made]}
    restored = answer("restore", made["name"], "--yes")
    assert (restored["memories"], restored["kept"]["kind"]) == (1, "before-restore")
    assert (found("kestrel"), found("marten")) == (["kestrel nests"], [])


def test_a_restore_without_a_name_takes_the_newest_backup() -> None:
    save("kestrel nests")
    run("backup")
    save("marten hides")
    run("backup")
    save("otter swims")
    assert run("restore", "--yes").exit_code == 0
    assert (found("marten"), found("otter")) == (["marten hides"], [])


def test_a_restore_asks_first_and_a_no_changes_nothing() -> None:
    save("kestrel nests")
    run("backup")
    save("marten hides")
    result = run("restore", stdin="n\n")
    assert result.exit_code == 2
    assert "Nothing was changed." in result.stderr
    assert found("marten") == ["marten hides"]


def test_the_answer_to_a_restore_says_how_to_undo_it() -> None:
    save("kestrel nests")
    run("backup")
    save("marten hides")
    said = run("restore", "--yes").stdout
    undo = said.split("ltm-tray restore ")[1].split()[0]
    assert run("restore", undo, "--yes").exit_code == 0
    assert found("marten") == ["marten hides"]


def test_without_a_backup_a_restore_says_how_to_make_one() -> None:
    result = run("restore", "--yes")
    assert result.exit_code == 2
    assert "ltm-tray backup" in result.stderr


def test_without_a_backup_the_list_says_so() -> None:
    assert run("backup", "--list").stdout == "No backup yet.\n"


def test_status_tells_nothing_of_a_backup_that_is_not_there() -> None:
    assert "lastBackupAt" not in run("status", "--json").stdout
