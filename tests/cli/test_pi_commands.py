"""Connecting Pi on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ltm_tray.fronts.cli.exits import Exit
from ltm_tray.fronts.cli.main import program


def run(*arguments: str) -> Result:
    return CliRunner().invoke(program, ["pi", *arguments])


def state() -> str:
    return str(json.loads(run("status", "--json").stdout)["state"])


@pytest.fixture
def file(home: Path) -> Path:
    return home / ".pi" / "agent" / "extensions" / "ltm-tray" / "index.ts"


def test_pi_is_connected_and_the_next_step_is_told(file: Path) -> None:
    result = run("install")
    assert result.exit_code == Exit.DONE
    assert str(file) in result.stdout
    assert "/reload" in result.stdout
    assert file.is_file()
    assert state() == "installed"
    assert run("install").stdout.startswith("Installed already")


def test_a_named_agent_directory_is_honoured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(tmp_path / "mein Pi"))
    run("install")
    assert (tmp_path / "mein Pi" / "extensions" / "ltm-tray" / "index.ts").is_file()


def test_a_changed_copy_is_kept_and_told(file: Path) -> None:
    run("install")
    file.write_text(file.read_text("utf-8") + "// mine\n", "utf-8")
    assert state() == "outdated"
    assert "pi install" in run("status").stdout
    answer = json.loads(run("install", "--json").stdout)
    assert answer["changed"] is True
    assert Path(answer["backup"]).read_text("utf-8").endswith("// mine\n")


def test_a_strangers_file_is_an_error_with_a_way_out(file: Path) -> None:
    file.parent.mkdir(parents=True)
    file.write_text("// mine")
    for command in ("install", "uninstall"):
        result = run(command)
        assert result.exit_code == Exit.UNAVAILABLE
        assert "move it away" in result.stderr
    assert file.read_text() == "// mine"
    assert state() == "foreign"


def test_pi_is_disconnected(file: Path) -> None:
    assert state() == "absent"
    assert run("uninstall").stdout.startswith("Nothing to remove")
    run("install")
    assert run("uninstall").stdout.startswith(f"Removed {file}")
    assert not file.exists()
