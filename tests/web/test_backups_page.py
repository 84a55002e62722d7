"""The console shows which backups there are."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from ltm_tray.domain.upkeep import Backup, BackupKind
from tests.support.web import Web, a_web

NAME = "ltm-20260102T030405000Z-before-update.sqlite"
BACKUP = Backup(
    name=NAME,
    kind=BackupKind.BEFORE_UPDATE,
    made_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    size_bytes=2_048,
)


def test_without_a_backup_the_page_says_when_the_first_is_made(web: Web) -> None:
    assert "No backup yet." in web.client.get("/backups").text
    assert "none yet" in web.client.get("/settings").text


def test_the_page_lists_the_backups_and_says_how_to_go_back(tmp_path: Path) -> None:
    web = a_web(tmp_path, backups=[BACKUP])
    page = web.client.get("/backups").text
    assert all(told in page for told in (NAME, "before an update", "2.0 kB", "ltm-tray restore"))
    web.service.close()


def test_the_settings_page_tells_when_the_last_backup_was_made(tmp_path: Path) -> None:
    web = a_web(tmp_path, backups=[BACKUP])
    page = web.client.get("/settings").text
    assert 'datetime="2026-01-02T03:04:05.000Z"' in page
    assert 'href="/backups"' in page
    web.service.close()
