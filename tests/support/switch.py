"""A switch without a file behind it."""

from __future__ import annotations

from dataclasses import dataclass, field

from ltm_tray.domain.errors import SettingPinned
from ltm_tray.ports import CaptureRules, Setting


@dataclass
class FakeSwitch:
    """Holds the rules in memory; `pinned_by` makes it immovable."""

    enabled: bool = True
    pinned_by: str | None = None
    observe_agent_end: bool = True
    observe_pre_compact: bool = True
    log_recalls: bool = True
    reported: list[str] = field(default_factory=list)

    def rules(self) -> CaptureRules:
        return CaptureRules(
            enabled=self.enabled,
            observe_agent_end=self.observe_agent_end,
            observe_pre_compact=self.observe_pre_compact,
            log_recalls=self.log_recalls,
        )

    def effective(self) -> list[Setting]:
        origin = "environment" if self.pinned_by else "default"
        return [
            Setting(key="enabled", value=self.enabled, origin=origin, pinned_by=self.pinned_by),
            Setting(key="backend", value="sqlite", origin="default"),
        ]

    def problems(self) -> list[str]:
        return list(self.reported)

    def set_enabled(self, *, enabled: bool) -> None:
        if self.pinned_by:
            raise SettingPinned(f"The environment variable {self.pinned_by} decides.")
        self.enabled = enabled
