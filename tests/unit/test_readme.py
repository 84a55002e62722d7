"""The README tells every command, exit code, and setting there is."""

from __future__ import annotations

import re
from pathlib import Path

from ltm_tray.bootstrap import load_settings
from ltm_tray.fronts.cli.exits import Exit
from ltm_tray.fronts.cli.main import program
from ltm_tray.settings import Settings

README = (Path(__file__).resolve().parents[2] / "README.md").read_text("utf-8")


def test_it_tells_every_command() -> None:
    assert [name for name in program.commands if f"`ltm-tray {name}" not in README] == []


def test_it_tells_every_exit_code() -> None:
    assert [code for code in Exit if f"\n| {code.value} | " not in README] == []


def test_it_tells_every_setting_with_its_variable() -> None:
    keys = [setting.key for setting in load_settings().effective()]
    variables = ["LTM_" + re.sub("([A-Z])", r"_\1", key).upper() for key in keys]
    told = [f"| `{key}` | `{name}` |" for key, name in zip(keys, variables, strict=True)]
    assert [line for line in told if line not in README] == []
    assert f"`{Settings().port}`" in README
