"""What the command line tells of what it left out."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ltm_tray.fronts.cli.main import program
from tests.support.redaction.pieces import GITHUB


def run(*arguments: str) -> Result:
    return CliRunner().invoke(program, [*arguments, "--cwd", "/w/a"])


def test_save_tells_what_it_left_out() -> None:
    saved = run("save", f"CI pushes with {GITHUB} and password=hunter2!")
    assert saved.exit_code == 0
    assert saved.stdout.endswith(" (fact). Left out: github-token 1, password 1.\n")
    again = run("save", f"CI pushes with {GITHUB} and password=hunter2!", "--json")
    assert json.loads(again.stdout)["redacted"] == {"github-token": 1, "password": 1}
    assert "Left out          github-token 1, password 1" in run("stats").stdout


def test_save_says_nothing_where_nothing_was_left_out() -> None:
    assert "Left out" not in run("save", "Set OPENAI_API_KEY in .env").stdout
    assert "redacted" not in json.loads(run("save", "Tea at four", "--json").stdout)
    assert "Left out          nothing" in run("stats").stdout


def test_a_text_of_nothing_but_secrets_is_refused() -> None:
    refused = run("save", "<private>all of it</private>")
    assert refused.exit_code == 2
    assert "content: holds nothing but secrets or private passages" in refused.output


def test_no_file_of_the_app_holds_what_was_left_out(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    run("save", f"CI pushes with {GITHUB}", "--concept", f"x {GITHUB}", "--file", f"y {GITHUB}")
    run("recall", f"CI {GITHUB}")
    files = [file for file in home.rglob("*") if file.is_file()]
    assert any(file.name == "ltm.sqlite" for file in files)
    assert [file for file in files if GITHUB.encode() in file.read_bytes()] == []
    assert GITHUB not in caplog.text
