"""`ltm-tray doctor` looks at an installation, says what to do, and does what is safe."""

from __future__ import annotations

import json
import socket
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ltm_tray.bootstrap import load_settings
from ltm_tray.fronts.cli.main import program
from tests.support.app import RunningApp


def run(*arguments: str) -> Result:
    return CliRunner().invoke(program, arguments)


def save(text: str) -> None:
    assert run("save", text, "--cwd", "/w/a").exit_code == 0


def findings(*options: str) -> dict[str, dict[str, Any]]:
    """What each check found, by its name."""
    answer = json.loads(run("doctor", "--json", *options).stdout)
    return {finding["check"]: finding for finding in answer["findings"]}


def database() -> Path:
    return load_settings().db_file()


def unindex() -> None:
    """Take a part of the search index away that no start looks at, behind the store's back."""
    with closing(sqlite3.connect(database())) as connection:
        connection.execute("DELETE FROM term_holders")
        connection.commit()


def test_a_store_in_good_order_has_no_problem() -> None:
    save("kestrel nests")
    result = run("doctor")
    assert result.exit_code == 0
    assert "PROBLEM" not in result.stdout
    assert findings()["integrity"]["status"] == "ok"


def test_the_full_look_finds_a_store_in_good_order_whole_too() -> None:
    save("kestrel nests")
    assert findings("--full")["integrity"]["status"] == "ok"


def test_every_check_is_told_even_before_anything_was_saved() -> None:
    assert list(findings()) == [
        "settings",
        "permissions",
        "disk space",
        "store",
        "integrity",
        "write-ahead log",
        "backups",
        "kept aside",
        "app",
        "port",
        "Pi",
    ]


def test_an_index_that_does_not_fit_is_a_problem_that_can_be_fixed() -> None:
    save("kestrel nests")
    unindex()
    assert run("doctor").exit_code == 7
    found = findings("--fix")["integrity"]
    assert (found["status"], found["fixed"]) == ("problem", "Made the search index anew.")
    assert findings()["integrity"]["status"] == "ok"
    assert "kestrel nests" in run("recall", "kestrel", "--cwd", "/w/a").stdout


def test_only_the_full_look_finds_a_memory_that_is_indexed_under_other_words() -> None:
    save("kestrel nests")
    with closing(sqlite3.connect(database())) as connection:
        connection.execute("UPDATE memories_fts SET content = '1xheron'")
        connection.commit()
    assert findings()["integrity"]["status"] == "ok"
    assert findings("--full", "--fix")["integrity"]["fixed"] == "Made the search index anew."
    assert findings("--full")["integrity"]["status"] == "ok"


def test_a_damaged_file_leads_to_the_newest_backup() -> None:
    save("kestrel nests")
    made = json.loads(run("backup", "--json").stdout)
    database().write_bytes(b"no database at all" * 1_000)
    found = findings()
    assert found["store"]["status"] == "problem"
    assert made["name"] in found["store"]["advice"]
    assert run("doctor").exit_code == 7


def test_a_folder_that_others_can_read_is_closed_by_a_fix() -> None:
    save("kestrel nests")
    folder = load_settings().paths.memory_dir
    folder.chmod(0o755)
    assert findings()["permissions"]["status"] == "warning"
    assert findings("--fix")["permissions"]["fixed"]
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_missing_backup_is_made_by_a_fix() -> None:
    save("kestrel nests")
    assert findings()["backups"]["status"] == "warning"
    assert "Made ltm-" in findings("--fix")["backups"]["fixed"]
    assert findings()["backups"]["status"] == "ok"


def test_what_a_killed_app_left_is_removed_by_a_fix() -> None:
    with RunningApp("serve") as app:
        app.kill()
    left = load_settings().paths.discovery_file
    assert left.exists()
    assert "killed" in findings()["app"]["found"]
    assert findings("--fix")["app"]["fixed"]
    assert not left.exists()


def test_a_running_app_is_found() -> None:
    with RunningApp("serve") as app:
        found = findings()
        assert str(app.port) in found["app"]["found"]
        assert (found["app"]["status"], found["port"]["status"]) == ("ok", "ok")


def test_another_program_on_the_port_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as stranger:
        port = stranger.getsockname()[1]
        monkeypatch.setenv("LTM_PORT", str(port))
        found = findings()["port"]
    assert (found["status"], str(port) in found["found"]) == ("warning", True)


def test_settings_that_cannot_be_used_are_told() -> None:
    file = load_settings().paths.settings_file
    file.parent.mkdir(parents=True)
    file.write_text("{ broken")
    assert findings()["settings"]["status"] == "warning"


def test_a_file_kept_aside_is_named() -> None:
    save("kestrel nests")
    aside = database().with_name("ltm.sqlite.damaged-20260101T000000")
    aside.write_bytes(b"")
    aside.chmod(0o600)
    assert aside.name in findings()["kept aside"]["found"]


def test_without_the_pi_extension_the_next_step_is_told() -> None:
    assert "ltm-tray pi install" in findings()["Pi"]["advice"]
    run("pi", "install")
    assert findings()["Pi"]["status"] == "ok"


def test_nothing_is_changed_without_a_fix() -> None:
    save("kestrel nests")
    folder = load_settings().paths.memory_dir
    folder.chmod(0o755)
    before = sorted(folder.iterdir())
    run("doctor")
    assert sorted(folder.iterdir()) == before
    assert folder.stat().st_mode & 0o777 == 0o755
