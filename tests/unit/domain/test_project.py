"""A project's id is what Node computes for the same directory."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path

import pytest

from ltm_tray.domain.errors import InvalidInput
from ltm_tray.domain.project import project_of
from tests.support.need import need

VECTORS = json.loads(Path(__file__).with_name("node_path_vectors.json").read_text("utf-8"))
IN_NODE = """
const path = require('path'), crypto = require('crypto');
const [style, ...paths] = JSON.parse(require('fs').readFileSync(0, 'utf8'));
console.log(JSON.stringify(paths.map(p => {
  const cwd = path[style].resolve(p);
  const key = style === 'win32' ? cwd.toLowerCase() : cwd;
  return [cwd, 'proj_' + crypto.createHash('sha256').update(key).digest('hex').slice(0, 16)];
})));
"""


@pytest.mark.parametrize("style", ["posix", "win32"])
def test_recorded_paths_give_the_ids_node_gave(style: str) -> None:
    for path, cwd, project_id in VECTORS[style]:
        project = project_of(path, windows=style == "win32")
        assert (project.cwd, project.id) == (cwd, project_id)


@pytest.mark.parametrize("style", ["posix", "win32"])
def test_a_thousand_paths_give_the_ids_node_gives_now(style: str) -> None:
    need("node")
    pick = random.Random(20260102)  # noqa: S311 — test data
    roots = ["/", "//", "/"] if style == "posix" else ["C:\\", "d:/", "\\\\srv\\share\\", "//a/b/"]
    parts = ["", ".", "..", "a", "B c", "ä", "Σας", "ΣΑΣ", "日本", "🚀", "x.y", "...", "İ", "ﬁ"]
    seps = ["/", "//"] if style == "posix" else ["/", "\\", "\\\\"]
    paths = [
        pick.choice(roots)
        + "".join(pick.choice(parts) + pick.choice(seps) for _ in range(pick.randrange(8)))
        + pick.choice(parts)
        for _ in range(1_000)
    ]
    answer = subprocess.run(
        ["node", "-e", IN_NODE], input=json.dumps([style, *paths]), capture_output=True, text=True,
        encoding="utf-8", check=True,
    )  # fmt: skip
    ours = [project_of(path, windows=style == "win32") for path in paths]
    assert [[project.cwd, project.id] for project in ours] == json.loads(answer.stdout)


def test_case_makes_one_project_on_windows_and_two_elsewhere() -> None:
    assert project_of("C:\\Users\\U", windows=True).id == project_of("c:/users/u", windows=True).id
    assert project_of("/w/A", windows=False).id != project_of("/w/a", windows=False).id


@pytest.mark.parametrize(
    "cwd", ["", "  ", "relative", "./a", "~", "a/b", "\0", "/w\0", "/w/\ud800"]
)
def test_what_is_no_absolute_directory_is_refused(cwd: str) -> None:
    with pytest.raises(InvalidInput, match="cwd"):
        project_of(cwd, windows=False)


@pytest.mark.parametrize("cwd", ["C:", "C:a", "\\a", "/w/a", "\\\\server", "a\\b"])
def test_a_windows_path_without_its_drive_or_share_is_refused(cwd: str) -> None:
    with pytest.raises(InvalidInput, match="cwd"):
        project_of(cwd, windows=True)
