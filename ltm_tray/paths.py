"""Where the files of one user's memory live."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SETTINGS_FILE_NAME = "ltm-settings.json"


@dataclass(frozen=True, slots=True)
class Paths:
    """Where the files of one user's memory live."""

    agent_dir: Path
    memory_dir: Path
    settings_file: Path
    lock_file: Path
    discovery_file: Path
    token_file: Path
    log_file: Path
    default_db_file: Path


def paths_of(environ: Mapping[str, str]) -> Paths:
    """Return the paths for `$PI_CODING_AGENT_DIR`, else `~/.pi/agent`; nothing is created."""
    home = environ.get("HOME") or environ.get("USERPROFILE") or str(Path.home())
    named = environ.get("PI_CODING_AGENT_DIR", "")
    if named == "~" or named.startswith(("~/", "~\\")):
        named = home + named[1:]
    agent_dir = Path(named).absolute() if named else Path(home) / ".pi" / "agent"
    memory = agent_dir / "memory"
    return Paths(
        agent_dir=agent_dir,
        memory_dir=memory,
        settings_file=memory / SETTINGS_FILE_NAME,
        lock_file=memory / "ltm-tray.lock",
        discovery_file=memory / "ltm-tray.json",
        token_file=memory / "ltm-tray.token",
        log_file=memory / "logs" / "ltm-tray.log",
        default_db_file=memory / "ltm.sqlite",
    )
