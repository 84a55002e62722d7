"""What is shipped: the wheel holds every file the program needs and starts on its own."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from ltm_tray import __version__

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ("templates", "static", "assets")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet"]
    subprocess.run(
        [*pip, "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)],
        check=True,
    )
    (built,) = folder.glob("*.whl")
    return built


@pytest.mark.slow
def test_the_wheel_holds_every_module_and_every_file_it_shows(wheel: Path) -> None:
    packed = set(zipfile.ZipFile(wheel).namelist())
    modules = {str(file.relative_to(ROOT)) for file in (ROOT / "ltm_tray").rglob("*.py")}
    files = {
        f"ltm_tray/_data/{file.relative_to(ROOT)}"
        for folder in SHIPPED
        for file in (ROOT / folder).rglob("*")
        if file.is_file()
    }
    assert {name.replace(os.sep, "/") for name in modules | files} - packed == set()
    assert any(name.startswith("ltm_tray/_data/templates/") for name in packed)


@pytest.mark.slow
def test_the_wheel_holds_nothing_else(wheel: Path) -> None:
    packed = zipfile.ZipFile(wheel).namelist()
    strange = [name for name in packed if not name.startswith(("ltm_tray/", "ltm_tray-"))]
    strange += [name for name in packed if "__pycache__" in name]
    assert strange == []


@pytest.mark.slow
def test_the_wheel_installs_both_programs_and_runs_without_the_checkout(
    wheel: Path, tmp_path: Path
) -> None:
    venv.create(tmp_path / "venv", with_pip=False)
    scripts = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / "python"
    own = Path(
        subprocess.check_output(
            [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True
        ).strip()
    )
    # The dependencies are lent by this environment, so that nothing is downloaded.
    (own / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", str(wheel)], check=True)
    program = scripts / "ltm-tray"
    shown = subprocess.check_output([program, "--version"], text=True, cwd=tmp_path)
    assert shown == f"ltm-tray {__version__}\n"
    found = subprocess.check_output(
        [python, "-c", "from ltm_tray.resources import data_dir as d; print(d('templates'))"],
        text=True,
        cwd=tmp_path,
    )
    assert Path(found.strip()).is_relative_to(own)
    assert (scripts / "ltm-trayw").exists() or (scripts / "ltm-trayw.exe").exists()
