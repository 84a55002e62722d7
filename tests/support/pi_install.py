"""Gets the real Pi agent, and a Node that runs it, from npm into `.cache/pi`."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.support.need import need
from tests.support.npm_package import npm_package

_NODE = "22.23.3"
_OS = {"Linux": "linux", "Darwin": "darwin", "Windows": "win"}
_CPU = {"x86_64": "x64", "AMD64": "x64", "aarch64": "arm64", "arm64": "arm64"}


@dataclass(frozen=True, slots=True)
class PiVersion:
    """One version of Pi as npm has it, and the oldest Node that runs it."""

    version: str
    package: str
    cli: str
    node: tuple[int, int]


@dataclass(frozen=True, slots=True)
class InstalledPi:
    """A Pi that can be started."""

    version: str
    node: Path
    cli: Path
    jiti: Path
    """The module with which it loads extensions."""


PI_VERSIONS = {
    pi.version: pi
    for pi in (
        PiVersion("0.73.1", "@mariozechner/pi-coding-agent", "dist/cli.js", (20, 6)),
        PiVersion("1.6.0", "@earendil-works/pi-coding-agent", "dist/bundle/cli.js", (22, 19)),
    )
}


def installed_pi(version: str) -> InstalledPi:
    """Return an installed Pi; skip the test (or fail, see `need`) where npm has none to give."""
    need("node", "npm")
    wanted = PI_VERSIONS[version]
    root = _installed(f"{wanted.package}@{version}")
    cli = root / wanted.package / wanted.cli
    return InstalledPi(version, _node(wanted.node), cli, root / "jiti" / "lib" / "jiti.mjs")


def _node(oldest: tuple[int, int]) -> Path:
    """Return the machine's Node if it is new enough, else one from npm."""
    there = Path(shutil.which("node") or "node")
    said = subprocess.run([there, "--version"], capture_output=True, text=True, check=True).stdout
    major, minor, *_ = said.strip().removeprefix("v").split(".")
    if (int(major), int(minor)) >= oldest:
        return there
    # The package with the program itself: the one named `node` fetches it by an install script.
    system = f"{_OS.get(platform.system(), '')}-{_CPU.get(platform.machine(), '')}"
    root = _installed(f"node-{system}@{_NODE}")
    program = "node.exe" if os.name == "nt" else "node"
    return root / f"node-{system}" / "bin" / program


def _installed(package: str) -> Path:
    return npm_package(package, "pi")
