"""The shape of the source: short files and functions, told modules, no forbidden words."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "ltm_tray"
SOURCES = sorted(PACKAGE.rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
FILE_LINES_MAX = 300
FUNCTION_LINES_MAX = 40
NAMES_THAT_SAY_NOTHING = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}
NEVER = {
    "text shown unescaped": re.compile(r"\|\s*safe\b|\bMarkup\("),
    "an answer to other sites": re.compile(r"Access-Control"),
    "a way in from the network": re.compile(r"0\.0\.0\.0"),
    "a body of any media type": re.compile(r"force=True"),
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def _name(file: Path) -> str:
    return str(file.relative_to(ROOT))


def _functions(file: Path) -> Iterator[Function]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, Function):
            yield node


def _lines_without_docstring(function: Function) -> int:
    lines = (function.end_lineno or 0) - function.lineno + 1
    first = function.body[0]
    if ast.get_docstring(function) is not None:
        lines -= (first.end_lineno or 0) - first.lineno + 1
    return lines


@pytest.mark.parametrize("file", SOURCES + TESTS, ids=_name)
def test_a_file_can_be_read_in_one_sitting(file: Path) -> None:
    assert len(file.read_text("utf-8").splitlines()) <= FILE_LINES_MAX


@pytest.mark.parametrize("file", SOURCES + TESTS, ids=_name)
def test_a_function_fits_on_a_screen(file: Path) -> None:
    long = [f.name for f in _functions(file) if _lines_without_docstring(f) > FUNCTION_LINES_MAX]
    assert long == []


@pytest.mark.parametrize("file", SOURCES, ids=_name)
def test_a_module_opens_with_one_sentence_about_itself(file: Path) -> None:
    docstring = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
    first_paragraph = " ".join(docstring.split("\n\n")[0].split())
    assert re.fullmatch(r"[^\n]+[.]", first_paragraph), first_paragraph
    assert re.search(r"[.!?] [A-Z]", first_paragraph) is None, "one sentence, then an empty line"


@pytest.mark.parametrize("file", SOURCES + TESTS, ids=_name)
def test_a_module_name_says_what_lives_there(file: Path) -> None:
    parts = set(file.relative_to(ROOT).with_suffix("").parts)
    assert not parts & NAMES_THAT_SAY_NOTHING


def test_every_top_level_module_has_its_place_in_the_layers() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contract = settings["tool"]["importlinter"]["contracts"][0]
    placed = {name.strip() for layer in contract["layers"] for name in layer.split("|")}
    placed |= {name.rsplit(".", 1)[0] for name in placed}
    found = {
        f"ltm_tray.{file.relative_to(PACKAGE).parts[0].removesuffix('.py')}" for file in SOURCES
    }
    assert found - placed - {"ltm_tray.__init__"} == set()


def test_every_front_has_its_place_in_the_layers() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    fronts = [folder.parent.name for folder in PACKAGE.glob("fronts/*/__init__.py")]
    assert fronts != []
    assert [name for name in fronts if f"ltm_tray.fronts.{name}" not in text] == []


@pytest.mark.parametrize("what", NEVER)
def test_the_sources_never_hold(what: str) -> None:
    shipped = SOURCES + [
        file
        for folder in ("templates", "static")
        for file in (ROOT / folder).rglob("*")
        if file.suffix in {".html", ".js", ".css", ".svg"}
    ]
    found = [_name(file) for file in shipped if NEVER[what].search(file.read_text("utf-8"))]
    assert found == []
