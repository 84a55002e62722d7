"""The limits on observations as the settings name them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ltm_tray.domain.errors import SettingsUnusable
from ltm_tray.paths import paths_of
from ltm_tray.ports import RetentionRules
from ltm_tray.settings import SettingsFile
from tests.support.clock import TickingClock


def make(home: Path, section: dict[str, object] | None = None, **environ: str) -> SettingsFile:
    environ = {"HOME": str(home), **environ}
    settings = SettingsFile(paths_of(environ), environ, clock=TickingClock())
    settings.paths.settings_file.parent.mkdir(parents=True, exist_ok=True)
    settings.paths.settings_file.write_text(json.dumps({"ltm": section or {}}))
    return settings


def test_without_a_setting_nothing_is_limited(home: Path) -> None:
    assert make(home).retention() == RetentionRules(max_age_days=0, max_count=0)


def test_the_file_and_the_environment_set_the_limits(home: Path) -> None:
    settings = make(home, {"observationsMaxAgeDays": 90}, LTM_OBSERVATIONS_MAX_COUNT="500")
    assert settings.retention() == RetentionRules(max_age_days=90, max_count=500)


@pytest.mark.parametrize("value", [-1, 36_501, 10**30, "90", 1.5, True, None])
def test_a_limit_that_makes_no_sense_is_reported_and_nothing_is_deleted_by_it(
    home: Path, value: object
) -> None:
    settings = make(home, {"observationsMaxAgeDays": value})
    assert settings.retention().max_age_days == 0
    assert "observationsMaxAgeDays" in settings.problems()[0]


def test_a_limit_of_the_environment_that_makes_no_sense_stops_the_start(home: Path) -> None:
    with pytest.raises(SettingsUnusable, match="must be 0 to"):
        make(home, LTM_OBSERVATIONS_MAX_AGE_DAYS="99999999")
