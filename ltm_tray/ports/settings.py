"""The settings as the service and the fronts see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One effective setting: its file key, its value, and where the value comes from.

    `origin` is `default`, `file` or `environment`; `pinned_by` names the environment
    variable that decides, and is None where the file does.
    """

    key: str
    value: object
    origin: str
    pinned_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureRules:
    """The settings the service obeys, as they are at this moment."""

    enabled: bool = True
    observe_agent_end: bool = True
    observe_pre_compact: bool = True
    log_recalls: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionRules:
    """How long and how many observations are kept; 0 means without a limit.

    `max_age_days` counts from when one was captured, `max_count` holds for each project.
    """

    max_age_days: int = 0
    max_count: int = 0


class Retaining(Protocol):
    """The settings about what is kept."""

    def retention(self) -> RetentionRules:
        """Return what holds now; cheap enough to ask at every call."""


class Switch(Protocol):
    """The settings as fronts and service see them; the file behind is the truth."""

    def rules(self) -> CaptureRules:
        """Return what holds now; cheap enough to ask at every call."""

    def effective(self) -> list[Setting]:
        """Return every setting with its origin, in the order of the documentation."""

    def problems(self) -> list[str]:
        """Return sentences about settings that could not be used; empty when all is well."""

    def set_enabled(self, *, enabled: bool) -> None:
        """Switch long-term memory on or off for every process.

        Raises:
            SettingPinned: An environment variable decides.
            SettingsUnusable: The file cannot be written.
        """
