"""The settings: the only reader and writer of the settings file and of the environment.

The file is the truth for every process. It is read again when it changes, and a
value from the environment goes before the file's.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from filelock import FileLock, Timeout

from ltm_tray.domain.errors import SettingPinned, SettingsUnusable
from ltm_tray.files import make_private_dir, write_private_file
from ltm_tray.paths import SETTINGS_FILE_NAME, Paths
from ltm_tray.ports import CaptureRules, Clock, RetentionRules, Setting

DEFAULT_PORT = 31_415
_WRITE_TIMEOUT_S = 5.0
_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting, as the file keys name it in camelCase."""

    enabled: bool = True
    """The switch: off stops all saving and recall."""
    backend: str = "sqlite"
    """Where memories live."""
    db_path: str = ""
    """The database file; empty means `ltm.sqlite` in the memory folder."""
    observe_agent_end: bool = True
    """Whether the end of a turn is captured."""
    observe_pre_compact: bool = True
    """Whether what a compaction is about to summarise is captured."""
    agentmemory_url: str = "http://127.0.0.1:3111"
    """Where an agentmemory server answers."""
    port: int = DEFAULT_PORT
    """The first port to try, 1 to 65535; a taken one is passed over."""
    require_token: bool = False
    """Whether programs must show a token, and browsers come through a link of the app."""
    log_recalls: bool = True
    """Whether the console can show what was asked."""
    observations_max_age_days: int = 0
    """How many days an observation is kept; 0 means for good."""
    observations_max_count: int = 0
    """How many observations each project keeps, the newest ones; 0 means all."""
    inject_context: bool = False
    """Whether anything may be put into a prompt; nothing is, so far."""


_KEYS = {
    "enabled": ("enabled", "LTM_ENABLED"),
    "backend": ("backend", "LTM_BACKEND"),
    "db_path": ("dbPath", "LTM_DB_PATH"),
    "observe_agent_end": ("observeAgentEnd", "LTM_OBSERVE_AGENT_END"),
    "observe_pre_compact": ("observePreCompact", "LTM_OBSERVE_PRE_COMPACT"),
    "agentmemory_url": ("agentmemoryUrl", "LTM_AGENTMEMORY_URL"),
    "port": ("port", "LTM_PORT"),
    "require_token": ("requireToken", "LTM_REQUIRE_TOKEN"),
    "log_recalls": ("logRecalls", "LTM_LOG_RECALLS"),
    "observations_max_age_days": ("observationsMaxAgeDays", "LTM_OBSERVATIONS_MAX_AGE_DAYS"),
    "observations_max_count": ("observationsMaxCount", "LTM_OBSERVATIONS_MAX_COUNT"),
    "inject_context": ("injectContext", "LTM_INJECT_CONTEXT"),
}
"""Attribute to file key and environment variable, in the order of the documentation."""

_RANGES = {
    "port": (1, 65_535),
    "observations_max_age_days": (0, 36_500),
    "observations_max_count": (0, 1_000_000_000),
}
_TYPES: dict[str, type] = {
    name: type(getattr(Settings(), name))
    for name in _KEYS  # every default has its field's type
}


def load_environment() -> dict[str, str]:
    """Return a copy of the process environment; the one place it is read."""
    return dict(os.environ)


class SettingsFile:
    """The settings of one user, read from file and environment. Safe to use from any thread.

    A file that cannot be read keeps the last good values (at start: the defaults) and
    is reported by `problems`; it is set aside under another name before it would be
    written over.
    """

    def __init__(self, paths: Paths, environ: Mapping[str, str], *, clock: Clock) -> None:
        """Read the environment now.

        Raises:
            SettingsUnusable: Lists every variable that cannot be used.
        """
        self.paths = paths
        self._clock = clock
        self._pinned = _from_environment(environ)
        self._guard = threading.Lock()
        self._seen: tuple[int, ...] | None = ()
        self._from_file: dict[str, Any] = {}
        self._problems: list[str] = []

    def current(self) -> Settings:
        """Return the effective settings; one `stat` when nothing changed."""
        with self._guard:
            self._refresh()
            return Settings(**{**self._from_file, **self._pinned})

    def db_file(self) -> Path:
        """Return the path of the database file."""
        named = self.current().db_path
        return Path(named).expanduser().absolute() if named else self.paths.default_db_file

    def rules(self) -> CaptureRules:
        """See `Switch.rules`."""
        now = self.current()
        return CaptureRules(
            enabled=now.enabled,
            observe_agent_end=now.observe_agent_end,
            observe_pre_compact=now.observe_pre_compact,
            log_recalls=now.log_recalls,
        )

    def retention(self) -> RetentionRules:
        """See `Retaining.retention`."""
        now = self.current()
        return RetentionRules(
            max_age_days=now.observations_max_age_days, max_count=now.observations_max_count
        )

    def effective(self) -> list[Setting]:
        """See `Switch.effective`."""
        now = self.current()
        return [self._setting(name, getattr(now, name)) for name in _KEYS]

    def problems(self) -> list[str]:
        """See `Switch.problems`."""
        with self._guard:
            self._refresh()
            kept = sorted(self.paths.memory_dir.glob(f"{SETTINGS_FILE_NAME}.broken-*"))
            return self._problems + [
                f"A settings file that could not be read is kept as {file.name}; take from it "
                "what you need and delete it."
                for file in kept
            ]

    def set_enabled(self, *, enabled: bool) -> None:
        """See `Switch.set_enabled`."""
        if "enabled" in self._pinned:
            raise SettingPinned(
                "The environment variable LTM_ENABLED decides; unset it to use the switch."
            )
        try:
            self._write("enabled", enabled)
        except (OSError, Timeout) as error:
            raise SettingsUnusable(
                f"The settings file {self.paths.settings_file} cannot be written: {error}"
            ) from error

    def _setting(self, name: str, value: object) -> Setting:
        key, variable = _KEYS[name]
        if name in self._pinned:
            return Setting(key=key, value=value, origin="environment", pinned_by=variable)
        origin = "file" if name in self._from_file else "default"
        if name == "db_path" and not value:
            value = str(self.paths.default_db_file)
        return Setting(key=key, value=value, origin=origin)

    def _refresh(self) -> None:
        seen = self._fingerprint()
        if seen == self._seen:
            return
        self._seen = seen
        if seen is None:
            self._from_file, self._problems = {}, []
            return
        try:
            document = _read_document(self.paths.settings_file)
        except (OSError, ValueError) as error:
            self._problems = [
                f"The settings file {self.paths.settings_file} cannot be read ({error}); "
                "the last good settings hold until it is mended."
            ]
            return
        self._from_file, self._problems = _from_document(document)

    def _fingerprint(self) -> tuple[int, ...] | None:
        try:
            found = self.paths.settings_file.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino

    def _write(self, name: str, value: object) -> None:
        """Change one key and keep all others, whichever process writes at the same time."""
        file = self.paths.settings_file
        make_private_dir(file.parent)
        with FileLock(f"{file}.lock", timeout=_WRITE_TIMEOUT_S, mode=0o600):
            document = self._document_to_change(file)
            section = document.get("ltm")
            if not isinstance(section, dict):
                section = document["ltm"] = {}
            section[_KEYS[name][0]] = value
            write_private_file(file, json.dumps(document, indent=2, ensure_ascii=False) + "\n")

    def _document_to_change(self, file: Path) -> dict[str, Any]:
        if not file.exists():
            return {}
        try:
            return _read_document(file)
        except ValueError:
            file.replace(file.with_name(f"{file.name}.broken-{self._clock():%Y%m%dT%H%M%S%f}"))
            return {"ltm": {_KEYS[name][0]: value for name, value in self._from_file.items()}}


def _read_document(file: Path) -> dict[str, Any]:
    """Return the JSON object of a file, of an empty file an empty one; else ValueError."""
    try:
        document = json.loads(file.read_text("utf-8-sig") or "{}")
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(document, dict):
        raise ValueError("it must hold a JSON object")  # noqa: TRY004 - one kind of error to catch
    return document


def _from_document(document: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    section = document.get("ltm", {})
    if not isinstance(section, dict):
        return {}, ['In the settings file "ltm" must be an object; the defaults hold.']
    values: dict[str, Any] = {}
    problems: list[str] = []
    for name, (key, _) in _KEYS.items():
        if key in section:
            try:
                values[name] = _checked(name, msgspec.convert(section[key], _TYPES[name]))
            except (msgspec.ValidationError, ValueError) as error:
                problems.append(f"The setting {key} cannot be used ({error}); its default holds.")
    return values, problems


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    problems: list[str] = []
    for name, (_, variable) in _KEYS.items():
        text = environ.get(variable)
        if text is None or not text.strip():
            continue
        try:
            values[name] = _checked(name, _parsed(text.strip(), _TYPES[name]))
        except ValueError as error:
            problems.append(f"{variable}: {error}")
    if problems:
        raise SettingsUnusable("These environment variables cannot be used: " + "; ".join(problems))
    return values


def _parsed(text: str, kind: type) -> object:
    if kind is bool:
        if text.lower() in _TRUE | _FALSE:
            return text.lower() in _TRUE
        raise ValueError("must be true or false")
    if kind is int:
        if text.isascii() and text.isdigit():
            return int(text)
        raise ValueError("must be a whole number")
    return text


def _checked(name: str, value: Any) -> Any:
    least, most = _RANGES.get(name, (value, value))
    if not least <= value <= most:
        raise ValueError(f"must be {least} to {most}")
    return value
