"""The settings file: what it says counts, what is unknown stays, what is broken is kept."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ltm_tray.domain.errors import SettingPinned, SettingsUnusable
from ltm_tray.paths import paths_of
from ltm_tray.settings import DEFAULT_PORT, Settings, SettingsFile
from tests.support.clock import TickingClock

POSIX_ONLY = pytest.mark.skipif(os.name == "nt", reason="Windows has no file modes")
BROKEN = ["{", "[]", '"on"', "null", "[" * 100_000, '{"ltm": {"enabled": false}} trailing']


def make(home: Path, **environ: str) -> SettingsFile:
    environ = {"HOME": str(home), **environ}
    return SettingsFile(paths_of(environ), environ, clock=TickingClock())


def write(settings: SettingsFile, text: str) -> None:
    settings.paths.settings_file.parent.mkdir(parents=True, exist_ok=True)
    settings.paths.settings_file.write_bytes(text.encode())


def read(settings: SettingsFile) -> object:
    return json.loads(settings.paths.settings_file.read_text("utf-8"))


def kept_aside(settings: SettingsFile) -> list[str]:
    return [
        file.read_text("utf-8")
        for file in settings.paths.memory_dir.glob("ltm-settings.json.broken-*")
    ]


def test_without_a_file_the_defaults_hold_and_nothing_is_created(home: Path) -> None:
    settings = make(home)
    assert settings.current() == Settings()
    assert settings.current().port == DEFAULT_PORT
    assert settings.problems() == []
    assert list(home.iterdir()) == []


def test_the_agent_directory_is_the_named_one_or_the_one_in_the_home(home: Path) -> None:
    assert paths_of({"HOME": str(home)}).agent_dir == home / ".pi" / "agent"
    named = {"HOME": str(home), "PI_CODING_AGENT_DIR": "~/elsewhere"}
    assert paths_of(named).memory_dir == home / "elsewhere" / "memory"


def test_the_file_goes_before_the_defaults(home: Path) -> None:
    settings = make(home)
    write(settings, '{"ltm": {"enabled": false, "port": 40000, "observeAgentEnd": false}}')
    assert settings.current() == Settings(enabled=False, port=40_000, observe_agent_end=False)


def test_the_environment_goes_before_the_file(home: Path) -> None:
    settings = make(home, LTM_PORT="40001", LTM_ENABLED="off", LTM_DB_PATH="/data/ltm.sqlite")
    write(settings, '{"ltm": {"enabled": true, "port": 40000}}')
    assert settings.current() == Settings(enabled=False, port=40_001, db_path="/data/ltm.sqlite")


def test_an_edited_file_is_read_again(home: Path) -> None:
    settings = make(home)
    assert settings.current().enabled
    write(settings, '{"ltm": {"enabled": false}}')
    assert not settings.current().enabled
    write(settings, '{"ltm": {"enabled": true}}')
    assert settings.current().enabled
    settings.paths.settings_file.unlink()
    assert settings.current() == Settings()


def test_a_file_that_did_not_change_is_not_read_again(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = make(home)
    write(settings, '{"ltm": {"enabled": false}}')
    assert not settings.current().enabled

    def no_reading(*_: object, **__: object) -> str:
        raise AssertionError("the file was read again")

    monkeypatch.setattr(Path, "read_text", no_reading)
    assert not settings.current().enabled


def test_another_process_sees_the_switch(home: Path) -> None:
    first, second = make(home), make(home)
    assert second.current().enabled
    first.set_enabled(enabled=False)
    assert not second.current().enabled


def test_throwing_the_switch_keeps_every_other_key(home: Path) -> None:
    settings = make(home)
    write(settings, '{"other": [1, "é"], "ltm": {"port": 40000, "future": {"a": null}}}')
    settings.set_enabled(enabled=False)
    assert read(settings) == {
        "other": [1, "é"],
        "ltm": {"port": 40_000, "future": {"a": None}, "enabled": False},
    }


def test_a_file_with_a_byte_order_mark_is_read(home: Path) -> None:
    settings = make(home)
    write(settings, '\ufeff{"ltm": {"enabled": false}}')
    assert not settings.current().enabled
    assert settings.problems() == []


def test_an_empty_file_means_the_defaults(home: Path) -> None:
    settings = make(home)
    write(settings, "")
    assert settings.current() == Settings()
    assert settings.problems() == []


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_a_broken_file_is_reported_and_left_alone(home: Path, text: str) -> None:
    settings = make(home)
    write(settings, text)
    assert settings.current() == Settings()
    assert len(settings.problems()) == 1
    assert str(settings.paths.settings_file) in settings.problems()[0]
    assert settings.paths.settings_file.read_text("utf-8") == text


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_the_last_good_values_hold_while_the_file_is_broken(home: Path, text: str) -> None:
    settings = make(home)
    write(settings, '{"ltm": {"enabled": false, "port": 40000}}')
    before = settings.current()
    write(settings, text)
    assert settings.current() == before
    write(settings, "{}")
    assert settings.current() == Settings()
    assert settings.problems() == []


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_a_broken_file_is_kept_aside_before_it_is_written_over(home: Path, text: str) -> None:
    settings = make(home)
    write(settings, '{"ltm": {"port": 40000}}')
    settings.current()
    write(settings, text)
    settings.set_enabled(enabled=False)
    assert kept_aside(settings) == [text]
    assert settings.current() == Settings(enabled=False, port=40_000)


def test_a_file_kept_aside_is_reported_until_it_is_gone(home: Path) -> None:
    settings = make(home)
    write(settings, "{")
    settings.set_enabled(enabled=False)
    later = make(home)
    assert "broken" in " ".join(later.problems())
    for file in settings.paths.memory_dir.glob("*.broken-*"):
        file.unlink()
    assert later.problems() == []


def test_each_broken_file_is_kept_on_its_own(home: Path) -> None:
    settings = make(home)
    for text in ("{", "["):
        write(settings, text)
        settings.set_enabled(enabled=False)
    assert sorted(kept_aside(settings)) == ["[", "{"]


@pytest.mark.parametrize(
    ("section", "key"),
    [
        ('{"enabled": "yes"}', "enabled"),
        ('{"enabled": 1}', "enabled"),
        ('{"port": 0}', "port"),
        ('{"port": 65536}', "port"),
        ('{"port": "31415"}', "port"),
        ('{"port": 1e400}', "port"),
        ('{"backend": null}', "backend"),
    ],
)
def test_an_unusable_value_is_reported_and_its_default_holds(
    home: Path, section: str, key: str
) -> None:
    settings = make(home)
    write(settings, f'{{"ltm": {section}}}')
    assert settings.current() == Settings()
    assert len(settings.problems()) == 1
    assert key in settings.problems()[0]


def test_one_unusable_value_does_not_take_the_others_along(home: Path) -> None:
    settings = make(home)
    write(settings, '{"ltm": {"enabled": false, "port": "x", "logRecalls": false}}')
    assert settings.current() == Settings(enabled=False, log_recalls=False)


def test_a_section_that_is_no_object_is_reported(home: Path) -> None:
    settings = make(home)
    write(settings, '{"ltm": [true]}')
    assert settings.current() == Settings()
    assert "ltm" in settings.problems()[0]


def test_all_unusable_variables_are_named_at_once(home: Path) -> None:
    with pytest.raises(SettingsUnusable) as caught:
        make(home, LTM_PORT="99999", LTM_ENABLED="perhaps", LTM_LOG_RECALLS="no")
    assert "LTM_PORT" in caught.value.message
    assert "LTM_ENABLED" in caught.value.message
    assert "LTM_LOG_RECALLS" not in caught.value.message


def test_an_empty_variable_counts_as_not_set(home: Path) -> None:
    assert make(home, LTM_PORT="", LTM_ENABLED=" ").current() == Settings()


def test_a_pinned_switch_cannot_be_thrown_and_says_by_what(home: Path) -> None:
    settings = make(home, LTM_ENABLED="1")
    with pytest.raises(SettingPinned, match="LTM_ENABLED"):
        settings.set_enabled(enabled=False)
    assert not settings.paths.settings_file.exists()


def test_every_effective_setting_tells_where_it_comes_from(home: Path) -> None:
    settings = make(home, LTM_PORT="40001")
    write(settings, '{"ltm": {"logRecalls": false, "port": 40000}}')
    found = {setting.key: setting for setting in settings.effective()}
    assert list(found)[:3] == ["enabled", "backend", "dbPath"]
    assert (found["enabled"].origin, found["enabled"].pinned_by) == ("default", None)
    assert (found["logRecalls"].value, found["logRecalls"].origin) == (False, "file")
    assert (found["port"].value, found["port"].pinned_by) == (40_001, "LTM_PORT")
    assert found["dbPath"].value == str(settings.paths.default_db_file)


def test_the_database_path_may_start_at_the_home(home: Path) -> None:
    settings = make(home, LTM_DB_PATH="~/mine.sqlite")
    assert settings.db_file() == home / "mine.sqlite"


@POSIX_ONLY
def test_what_is_written_is_readable_by_its_user_only(home: Path) -> None:
    old = os.umask(0o022)
    try:
        settings = make(home)
        settings.set_enabled(enabled=False)
    finally:
        os.umask(old)
    assert stat.S_IMODE(settings.paths.settings_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(settings.paths.memory_dir.stat().st_mode) == 0o700


def test_a_failed_write_leaves_the_old_file_and_no_draft(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = make(home)
    settings.set_enabled(enabled=False)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SettingsUnusable, match="No space left"):
        settings.set_enabled(enabled=True)
    assert not settings.current().enabled
    assert [file.name for file in settings.paths.memory_dir.glob(".*")] == []


def test_threads_that_throw_the_switch_at_once_leave_a_whole_file(home: Path) -> None:
    settings = make(home)
    write(settings, '{"keep": 1}')
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: settings.set_enabled(enabled=n % 2 == 0), range(80)))
    assert read(settings) in (
        {"keep": 1, "ltm": {"enabled": True}},
        {"keep": 1, "ltm": {"enabled": False}},
    )


def test_processes_that_throw_the_switch_at_once_leave_a_whole_file(home: Path) -> None:
    settings = make(home)
    write(settings, '{"keep": 1}')
    program = (
        "from ltm_tray.bootstrap import load_settings\n"
        "settings = load_settings()\n"
        "for n in range(20): settings.set_enabled(enabled=n % 2 == 0)\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(4)]
    assert [writer.wait() for writer in writers] == [0, 0, 0, 0]
    assert read(settings) == {"keep": 1, "ltm": {"enabled": False}}
    assert kept_aside(settings) == []
