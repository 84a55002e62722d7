"""The switch, the state and the ways a command ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ltm_tray import __version__
from ltm_tray.bootstrap import load_settings
from ltm_tray.domain import errors
from ltm_tray.fronts.cli.exits import Exit, exit_of
from ltm_tray.fronts.cli.main import program
from tests.support.app import PROGRAM, ltm_tray


def run(*arguments: str) -> Result:
    return CliRunner().invoke(program, arguments)


def test_the_version_is_told() -> None:
    assert run("--version").stdout == f"ltm-tray {__version__}\n"


def test_help_tells_every_exit_code() -> None:
    shown = run("--help").stdout
    assert [code for code in Exit if f"  {code.value}  " not in shown] == []


def test_help_needs_neither_settings_nor_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LTM_PORT", "no number")
    assert run("--help").exit_code == 0
    assert run("save", "--help").exit_code == 0


@pytest.mark.parametrize("command", ["save", "recall", "forget"])
def test_while_memory_is_off_the_verbs_say_so(command: str) -> None:
    assert run("disable").stdout == "Long-term memory is off.\n"
    result = run(command, "mem_1", "--cwd", "/w/a")
    assert result.exit_code == Exit.SWITCHED_OFF
    assert "switched off" in result.stderr
    assert run("stats", "--cwd", "/w/a").exit_code == 0


def test_enable_and_disable_throw_the_switch_in_the_file(home: Path) -> None:
    file = home / ".pi" / "agent" / "memory" / "ltm-settings.json"
    assert json.loads(run("disable", "--json").stdout) == {"enabled": False}
    assert json.loads(file.read_text("utf-8"))["ltm"]["enabled"] is False
    assert json.loads(run("enable", "--json").stdout) == {"enabled": True}
    assert json.loads(file.read_text("utf-8"))["ltm"]["enabled"] is True


def test_a_pinned_switch_says_what_pins_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LTM_ENABLED", "false")
    result = run("enable")
    assert result.exit_code == Exit.UNAVAILABLE
    assert "LTM_ENABLED" in result.stderr
    shown = json.loads(run("status", "--json").stdout)
    assert (shown["enabled"], shown["pinnedBy"]) == (False, "LTM_ENABLED")


def test_status_tells_the_state_while_no_app_runs() -> None:
    result = run("status", "--json")
    state = json.loads(result.stdout)
    assert result.exit_code == Exit.NOT_RUNNING
    assert (state["running"], state["url"], state["enabled"], state["ok"]) == (
        False,
        None,
        True,
        True,
    )
    assert "not running" in run("status").stdout


def test_open_without_a_running_app_says_how_to_start_it() -> None:
    result = run("open")
    assert result.exit_code == Exit.NOT_RUNNING
    assert "ltm-tray" in result.stderr


def test_a_file_left_by_an_app_that_is_gone_is_not_believed() -> None:
    paths = load_settings().paths
    paths.memory_dir.mkdir(parents=True)
    paths.lock_file.touch()
    paths.discovery_file.write_text('{"url": "http://127.0.0.1:1", "pid": 1, "version": "0"}')
    assert run("status").exit_code == Exit.NOT_RUNNING


def test_unusable_variables_end_every_command_with_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LTM_PORT", "no number")
    for arguments in (["stats"], ["recall", "x"], ["serve"], ["status"], []):
        result = run(*arguments)
        assert result.exit_code == Exit.UNAVAILABLE
        assert "LTM_PORT" in result.stderr
        assert result.stderr.count("\n") == 1


def test_a_backend_this_version_lacks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LTM_BACKEND", "papyrus")
    result = run("recall", "x", "--cwd", "/w/a")
    assert result.exit_code == Exit.UNAVAILABLE
    assert "papyrus" in result.stderr


def test_a_file_that_is_no_database_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = home / "notes.sqlite"
    file.write_text("these are my notes, not a database\n" * 100)
    monkeypatch.setenv("LTM_DB_PATH", str(file))
    result = run("recall", "x", "--cwd", "/w/a")
    assert result.exit_code == Exit.UNAVAILABLE
    assert str(file) in result.stderr
    state = run("status", "--json")
    assert state.exit_code == Exit.UNAVAILABLE
    assert json.loads(state.stdout)["ok"] is False
    assert file.read_text().startswith("these are my notes")


def test_a_broken_settings_file_is_told_and_the_command_goes_on() -> None:
    paths = load_settings().paths
    paths.memory_dir.mkdir(parents=True)
    paths.settings_file.write_text("{")
    result = run("stats", "--cwd", "/w/a", "--json")
    assert result.exit_code == 0
    assert str(paths.settings_file) in result.stderr
    assert json.loads(result.stdout)["memoryCount"] == 0


def test_a_memory_folder_that_cannot_be_made_is_told(home: Path) -> None:
    (home / ".pi").write_text("in the way")
    for arguments in (["recall", "x", "--cwd", "/w/a"], ["serve"]):
        result = run(*arguments)
        assert result.exit_code == Exit.UNAVAILABLE
        assert str(home / ".pi") in result.stderr


def test_every_error_has_its_exit_code() -> None:
    kinds: list[type[errors.LtmError]] = [errors.LtmError, *errors.LtmError.__subclasses__()]
    codes = {kind.__name__: exit_of(kind("x")) for kind in kinds if kind is not errors.InvalidInput}
    assert exit_of(errors.invalid("cwd", "required", "is missing")) == Exit.WRONG_INPUT
    assert codes["LtmDisabled"] == Exit.SWITCHED_OFF
    assert codes["DatabaseBusy"] == Exit.UNAVAILABLE
    assert Exit.DONE not in codes.values()


def test_a_terminal_that_cannot_show_a_character_gets_an_escape(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ltm_tray("save", "Grüße aus 東京", "--cwd", "/w/a")
    monkeypatch.setenv("PYTHONIOENCODING", "iso8859-5")
    shown = ltm_tray("recall", "東京", "--cwd", "/w/a")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert r"Gr\xfc\xdfe aus \u6771\u4eac" in shown.stdout


def test_commands_run_at_once_share_the_store() -> None:
    savers = [
        subprocess.Popen(
            [*PROGRAM, "save", f"Host number{n} is called name{n}", "--cwd", "/w/a"],
            stdout=subprocess.DEVNULL,
        )
        for n in range(6)
    ]
    assert [saver.wait(60) for saver in savers] == [0] * 6
    assert json.loads(run("stats", "--cwd", "/w/a", "--json").stdout)["memoryCount"] == 6


@pytest.mark.skipif(os.name == "nt", reason="Windows has no file modes")
def test_what_a_command_writes_is_readable_by_its_user_only(home: Path) -> None:
    ltm_tray("save", "Use pnpm", "--cwd", "/w/a")
    ltm_tray("disable")
    written = list((home / ".pi").rglob("*"))
    assert len(written) > 3
    assert [file for file in written if file.stat().st_mode & 0o077] == []


def test_the_module_is_the_program_too() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "ltm_tray", "--version"], capture_output=True, text=True, check=True
    )
    assert shown.stdout == f"ltm-tray {__version__}\n"
