"""Gets a package from npm into a folder of `.cache`, once, for tests of the real thing."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from filelock import FileLock

# As it was before any test hid the real home, which npm needs.
_ENVIRON = dict(os.environ)
CACHE = Path(__file__).resolve().parents[2] / ".cache"


def npm_package(package: str, shelf: str, *options: str) -> Path:
    """Return the `node_modules` that holds a package, installed below `.cache/<shelf>`.

    It skips the test (or fails, see `need`) where npm has none to give.
    """
    folder = CACHE / shelf / package.replace("/", "-")
    done = folder / "complete"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not done.exists():
            _install(package, folder, options)
            done.touch()
    return folder / "node_modules"


def _install(package: str, folder: Path, options: tuple[str, ...]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "package.json").write_text('{"private": true}')
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", *options]
    npm = shutil.which("npm") or "npm"
    ran = subprocess.run(
        [npm, "install", *quiet, package],
        cwd=folder,
        env=_ENVIRON,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        sentence = f"npm cannot install {package}: {ran.stderr.strip()[-500:]}"
        if os.environ.get("LTM_REQUIRE_ALL") == "1":
            pytest.fail(sentence)
        pytest.skip(sentence)
