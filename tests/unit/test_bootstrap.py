"""The clock and the ids that only bootstrap knows."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import UTC

import pytest

from ltm_tray.bootstrap import load_settings, new_id, open_services, utc_now
from ltm_tray.domain.errors import NotSupported, SettingsUnusable
from tests.support.app import free_port


def test_the_clock_is_aware_utc_and_cut_to_milliseconds() -> None:
    times = [utc_now() for _ in range(50)]
    assert {time.tzinfo for time in times} == {UTC}
    assert {time.microsecond % 1000 for time in times} == {0}


def test_ids_tell_their_kind_and_time_and_never_repeat() -> None:
    ids = [new_id("mem") for _ in range(5_000)]
    assert len(set(ids)) == 5_000
    assert all(re.fullmatch(r"mem_\d{13}_[0-9a-f]{12}", id_) for id_ in ids)


def test_a_command_loads_no_web_server_no_tray_and_no_http_client() -> None:
    program = (
        "import sys\n"
        "from ltm_tray.fronts.cli.main import program\n"
        "program(['save', 'Use pnpm', '--cwd', '/w/a'], standalone_mode=False)\n"
        "costly = ('flask', 'waitress', 'pystray', 'PIL', 'httpx')\n"
        "print([name for name in costly if name in sys.modules])\n"
    )
    shown = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert shown.stdout.splitlines()[-1] == "[]"


def test_the_backend_is_the_one_that_the_settings_name(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("sqlite", "agentmemory"):
        monkeypatch.setenv("LTM_BACKEND", name)
        monkeypatch.setenv("LTM_AGENTMEMORY_URL", f"http://127.0.0.1:{free_port()}")
        services = open_services(load_settings())
        assert services.memory.health().backend == name
        services.close()


def test_an_unknown_backend_is_named_with_those_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LTM_BACKEND", "stone")
    with pytest.raises(NotSupported, match=r'no backend "stone".*sqlite, agentmemory'):
        open_services(load_settings())


def test_an_address_that_cannot_be_used_is_told_at_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LTM_BACKEND", "agentmemory")
    monkeypatch.setenv("LTM_AGENTMEMORY_URL", "127.0.0.1")
    with pytest.raises(SettingsUnusable, match="agentmemoryUrl"):
        open_services(load_settings())
