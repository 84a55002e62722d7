"""Backups of a database in use, and the way back to one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ltm_tray.backends.sqlite import SqliteStore, SqliteUpkeep, migrations
from ltm_tray.backends.sqlite.backups import newest_good
from ltm_tray.domain.errors import BackendUnavailable, InvalidInput, NotFound
from ltm_tray.domain.upkeep import BackupKind
from tests.support.builders import a_memory, a_query
from tests.support.clock import TickingClock
from tests.support.ids import CountingIds

NAMES = ("kestrel", "marten", "heron", "otter", "lynx", "badger", "stoat", "wren")


class Kept:
    """A store, its upkeep and where its files are."""

    def __init__(self, folder: Path) -> None:
        self.clock = TickingClock()
        self.file = folder / "memory" / "ltm.sqlite"
        self.folder = self.file.parent / "backups"
        self.store = SqliteStore(self.file, clock=self.clock, new_id=CountingIds())
        self.upkeep = SqliteUpkeep(self.store.database, clock=self.clock)

    def save(self, *texts: str) -> None:
        for text in texts:
            self.store.remember(a_memory(text))

    def found(self, word: str) -> list[str]:
        return [hit.snippet for hit in self.store.recall(a_query(word))]


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    kept = Kept(tmp_path)
    yield kept
    kept.store.close()


def damage(file: Path) -> None:
    """Overwrite the middle of a file with zeros."""
    size = file.stat().st_size
    with file.open("r+b") as stream:
        stream.seek(size // 3)
        stream.write(bytes(size // 3))


def test_a_backup_holds_what_the_store_holds(kept: Kept) -> None:
    kept.save("kestrel nests", "marten hides")
    made = kept.upkeep.back_up(BackupKind.MANUAL)
    with closing(sqlite3.connect(kept.folder / made.name)) as copied:
        texts = [row[0] for row in copied.execute("SELECT content FROM memories ORDER BY number")]
    assert texts == ["kestrel nests", "marten hides"]
    assert kept.upkeep.backups() == [made]


def test_a_backup_is_one_file_that_only_its_user_can_read(kept: Kept) -> None:
    kept.save("kestrel nests")
    made = kept.upkeep.back_up(BackupKind.DAILY)
    assert [file.name for file in kept.folder.iterdir()] == [made.name]
    assert (kept.folder / made.name).stat().st_mode & 0o777 == 0o600
    assert kept.folder.stat().st_mode & 0o777 == 0o700


def test_what_is_saved_while_a_backup_is_made_is_saved_and_not_in_it(kept: Kept) -> None:
    kept.save(*NAMES)
    saved: list[str] = []

    def save_one(_: int, __: int) -> None:
        if not saved:
            saved.append(kept.store.remember(a_memory("ibis arrives")).id)

    made = kept.upkeep.back_up(BackupKind.MANUAL, save_one)
    assert kept.found("ibis") == ["ibis arrives"]
    kept.upkeep.restore(made.name)
    assert (kept.found("ibis"), kept.found("heron")) == ([], ["heron"])


def test_a_backup_that_cannot_be_written_leaves_nothing(kept: Kept) -> None:
    kept.save("kestrel nests")
    kept.folder.write_text("a file where the folder should be")
    with pytest.raises(BackendUnavailable, match="No backup can be made"):
        kept.upkeep.back_up(BackupKind.DAILY)
    assert kept.upkeep.backups() == []


def test_a_backup_that_is_cut_off_leaves_nothing_that_counts_as_one(kept: Kept) -> None:
    kept.save("kestrel nests")

    def fail(_: int, __: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kept.upkeep.back_up(BackupKind.DAILY, fail)
    assert list(kept.folder.iterdir()) == []


def test_the_oldest_daily_backups_make_room_for_new_ones(kept: Kept) -> None:
    kept.save("kestrel nests")
    made = []
    for _ in range(9):
        made.append(kept.upkeep.back_up(BackupKind.DAILY))
        kept.clock.advance(86_400)
    assert {b.name for b in made[-7:]} <= {b.name for b in kept.upkeep.backups()}
    assert len(kept.upkeep.backups()) < 9


def test_a_restore_brings_back_what_was_and_drops_what_came_later(kept: Kept) -> None:
    kept.save("kestrel nests")
    made = kept.upkeep.back_up(BackupKind.MANUAL)
    kept.save("marten hides")
    restored = kept.upkeep.restore(made.name)
    assert (kept.found("kestrel"), kept.found("marten")) == (["kestrel nests"], [])
    assert (restored.memories, restored.observations, restored.set_aside) == (1, 0, None)


def test_a_restore_can_be_undone(kept: Kept) -> None:
    kept.save("kestrel nests")
    made = kept.upkeep.back_up(BackupKind.MANUAL)
    kept.save("marten hides")
    undo = kept.upkeep.restore(made.name).kept
    assert undo is not None
    kept.upkeep.restore(undo.name)
    assert kept.found("marten") == ["marten hides"]


def test_another_connection_sees_the_restored_state_at_once(kept: Kept) -> None:
    kept.save("kestrel nests")
    made = kept.upkeep.back_up(BackupKind.MANUAL)
    kept.save("marten hides")
    other_ids = "{}_other".format
    with closing(SqliteStore(kept.file, clock=kept.clock, new_id=other_ids)) as other:
        assert other.recall(a_query("marten")) != []
        kept.upkeep.restore(made.name)
        assert other.recall(a_query("marten")) == []
        other.remember(a_memory("otter swims"))
    assert kept.found("otter") == ["otter swims"]


def test_a_damaged_backup_is_refused_and_nothing_is_changed(kept: Kept) -> None:
    kept.save(*(f"{name} {number}" for number, name in enumerate(NAMES * 20)))
    made = kept.upkeep.back_up(BackupKind.MANUAL)
    damage(kept.folder / made.name)
    kept.save("ibis arrives")
    with pytest.raises(InvalidInput, match=r"backup"):
        kept.upkeep.restore(made.name)
    assert kept.found("ibis") == ["ibis arrives"]
    assert kept.upkeep.backups() == [made]


def test_a_backup_of_a_newer_version_is_refused(kept: Kept) -> None:
    kept.save("kestrel nests")
    made = kept.upkeep.back_up(BackupKind.MANUAL)
    with closing(sqlite3.connect(kept.folder / made.name)) as copied:
        copied.execute("PRAGMA user_version = 999")
    with pytest.raises(InvalidInput, match="newer LTM Tray"):
        kept.upkeep.restore(made.name)


@pytest.mark.parametrize("name", ["ltm-20200101T000000000Z-daily.sqlite", "../ltm.sqlite", ""])
def test_a_backup_that_is_not_there_is_not_found(kept: Kept, name: str) -> None:
    kept.save("kestrel nests")
    with pytest.raises((NotFound, InvalidInput)):
        kept.upkeep.restore(name)
    assert kept.found("kestrel") == ["kestrel nests"]


def test_a_backup_elsewhere_is_restored_by_its_path(kept: Kept, tmp_path: Path) -> None:
    kept.save("kestrel nests")
    made = kept.upkeep.back_up(BackupKind.MANUAL)
    moved = (kept.folder / made.name).rename(tmp_path / "mine.sqlite")
    kept.save("marten hides")
    kept.upkeep.restore(str(moved))
    assert kept.found("marten") == []


def test_the_newest_good_backup_passes_over_damaged_ones(kept: Kept) -> None:
    kept.save(*NAMES)
    good = kept.upkeep.back_up(BackupKind.DAILY)
    kept.clock.advance(60)
    damage(kept.folder / kept.upkeep.back_up(BackupKind.DAILY).name)
    assert newest_good(kept.folder) == kept.folder / good.name


def test_without_backups_there_is_no_newest_one(kept: Kept) -> None:
    assert newest_good(kept.folder) is None
    assert kept.upkeep.backups() == []


def test_a_store_is_empty_until_something_is_saved(kept: Kept) -> None:
    assert kept.upkeep.is_empty()
    kept.save("kestrel nests")
    assert not kept.upkeep.is_empty()


def updated(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> SqliteStore:
    """Return a store of a version that has one more step."""
    kept.store.close()
    steps = (*migrations.MIGRATIONS, ("CREATE TABLE extra (x)",))
    monkeypatch.setattr(migrations, "MIGRATIONS", steps)
    return SqliteStore(kept.file, clock=kept.clock, new_id="{}_other".format)


def test_before_an_update_the_database_is_backed_up_as_it_was(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.save("kestrel nests")
    with closing(updated(kept, monkeypatch)) as store:
        assert store.health().ok
    (made,) = kept.upkeep.backups()
    assert made.kind is BackupKind.BEFORE_UPDATE
    with closing(sqlite3.connect(kept.folder / made.name)) as copied:
        tables = [row[0] for row in copied.execute("SELECT name FROM sqlite_schema")]
    assert "memories" in tables
    assert "extra" not in tables


def test_a_database_that_cannot_be_backed_up_is_not_updated(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.save("kestrel nests")
    kept.folder.write_text("a file where the folder should be")
    with closing(updated(kept, monkeypatch)) as store:
        health = store.health()
    assert not health.ok
    assert "No backup can be made" in (health.detail or "")
    with closing(sqlite3.connect(kept.file)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == migrations.newest() - 1


def test_a_backup_of_an_older_version_is_brought_up_to_date_when_it_is_restored(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.save("kestrel nests")
    made = kept.upkeep.back_up(BackupKind.MANUAL)
    with closing(updated(kept, monkeypatch)) as store:
        store.remember(a_memory("marten hides"))
        SqliteUpkeep(store.database, clock=kept.clock).restore(made.name)
        assert [hit.snippet for hit in store.recall(a_query("kestrel marten"))] == ["kestrel nests"]
    with closing(sqlite3.connect(kept.file)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == migrations.newest()


def test_a_database_that_cannot_be_read_is_set_aside_when_a_backup_is_restored(
    kept: Kept,
) -> None:
    kept.save(*NAMES)
    made = kept.upkeep.back_up(BackupKind.MANUAL)
    kept.store.close()
    kept.file.write_bytes(b"no database at all" * 1_000)
    with closing(SqliteStore(kept.file, clock=kept.clock, new_id=CountingIds())) as store:
        restored = SqliteUpkeep(store.database, clock=kept.clock).restore(made.name)
        assert [hit.snippet for hit in store.recall(a_query("heron"))] == ["heron"]
    assert restored.set_aside is not None
    assert Path(restored.set_aside).read_bytes().startswith(b"no database")
