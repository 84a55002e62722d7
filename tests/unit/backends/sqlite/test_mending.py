"""A damaged file is put right: what can be read stays, a backup fills the gaps, all is told."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from ltm_tray.backends.sqlite import SqliteStore
from ltm_tray.domain.errors import BackendUnavailable
from ltm_tray.domain.health import StoreState
from ltm_tray.domain.memory import Forget
from tests.support.asking import found
from tests.support.builders import HERE, a_memory, an_observation
from tests.support.clock import TickingClock
from tests.support.damage import execute, findings, leaf_pages_of, zero_pages
from tests.support.ids import CountingIds

SAVED = 60
Opened = Callable[[], SqliteStore]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memory" / "ltm.sqlite"


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    """Where a test may put a backup."""
    return tmp_path / "good.sqlite"


@pytest.fixture
def opened(file: Path, backup: Path) -> Iterator[Opened]:
    """Opens the store; what is open is closed at the end."""
    stores: list[SqliteStore] = []

    def open_store() -> SqliteStore:
        store = SqliteStore(
            file,
            clock=TickingClock(),
            new_id=CountingIds(),
            find_backup=lambda _: backup if backup.exists() else None,
        )
        stores.append(store)
        return store

    yield open_store
    for store in stores:
        store.close()


@pytest.fixture
def filled(opened: Opened, file: Path) -> list[str]:
    """The ids of memories that the closed file holds, each on its own subject."""
    store = opened()
    ids = [store.remember(a_memory(text_of(n))).id for n in range(SAVED)]
    store.observe(an_observation("User: why is the heron slow?"))
    store.close()
    return ids


def text_of(number: int) -> str:
    """A text of about a kilobyte that no other one supersedes."""
    return f"subject{number} " + " ".join(f"word{number}x{n}" for n in range(90))


def back_up(file: Path, backup: Path) -> None:
    with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(backup)) as copy:
        source.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")


def kept_files(file: Path) -> list[str]:
    return sorted(part.name for part in file.parent.glob("*.damaged-*"))


def saved_ids(store: SqliteStore) -> set[str]:
    return {item.id for item in store.items() if item.id.startswith("mem_")}


def test_zeros_in_the_middle_cost_only_the_rows_they_hit(
    opened: Opened, file: Path, filled: list[str]
) -> None:
    leaves = leaf_pages_of(file, "memories")
    zero_pages(file, leaves[3:6])
    store = opened()
    left = saved_ids(store)
    assert SAVED - 15 < len(left) < SAVED
    assert left < set(filled)
    health = store.health()
    assert (health.ok, health.state) == (True, StoreState.RECOVERED)
    assert f"{len(left)} memories with their versions were read" in (health.detail or "")
    assert f"{SAVED - len(left)} are lost" in (health.detail or "")
    store.close()
    assert findings(file) == []


def test_a_backup_gives_back_what_the_damaged_part_held(
    opened: Opened, file: Path, backup: Path, filled: list[str]
) -> None:
    back_up(file, backup)
    zero_pages(file, leaf_pages_of(file, "memories")[3:6])
    store = opened()
    assert saved_ids(store) == set(filled)
    assert found(store, "subject17") == [filled[17]]
    detail = store.health().detail or ""
    assert "came from the backup good.sqlite, 0 are lost" in detail
    store.close()
    assert findings(file) == []


def test_what_was_forgotten_after_the_backup_does_not_come_back(
    opened: Opened, file: Path, backup: Path, filled: list[str]
) -> None:
    back_up(file, backup)
    store = opened()
    store.forget(Forget(project_id=HERE.id, memory_ids=(filled[16], filled[40])))
    store.close()
    zero_pages(file, leaf_pages_of(file, "memories")[3:6])
    again = opened()
    assert saved_ids(again) == set(filled) - {filled[16], filled[40]}


def test_what_was_superseded_after_the_backup_stays_a_version_of_the_past(
    opened: Opened, file: Path, backup: Path, filled: list[str]
) -> None:
    back_up(file, backup)
    store = SqliteStore(file, clock=TickingClock(), new_id=lambda _: "mem_newer")
    assert store.remember(a_memory(f"{text_of(16)} more")).supersedes == filled[16]
    store.close()
    zero_pages(file, leaf_pages_of(file, "memories")[3:6])
    again = opened()
    assert found(again, "subject16") == ["mem_newer"]
    assert [version.id for version in again.versions("mem_newer")] == ["mem_newer", filled[16]]


def test_the_damaged_file_is_kept_as_it_was_and_only_the_user_can_read_it(
    opened: Opened, file: Path, filled: list[str]
) -> None:
    zero_pages(file, leaf_pages_of(file, "memories")[3:6])
    damaged = file.read_bytes()
    opened().health()
    kept, report = (file.with_name(name) for name in kept_files(file))
    assert kept.read_bytes() == damaged
    assert "are lost" in report.read_text()
    if os.name != "nt":
        assert {stat.S_IMODE(part.stat().st_mode) for part in (kept, report)} == {0o600}


def test_text_that_was_overwritten_where_it_lies_is_not_passed_off_as_saved(
    opened: Opened, file: Path, backup: Path
) -> None:
    store = opened()
    long = store.remember(a_memory("begin " + "heron " * 5_000 + "end"))
    store.close()
    back_up(file, backup)
    data = file.read_bytes()
    at = data.index(b"heron heron heron", len(data) // 8)
    page = at // 4096 + 1
    with file.open("r+b") as stream:
        stream.seek(page * 4096 - 512)
        stream.write(bytes(512))
    zero_pages(file, leaf_pages_of(file, "observations"))
    again = opened()
    assert again.memory(long.id).content == "begin " + "heron " * 5_000 + "end"


def test_a_truncated_file_keeps_what_is_before_the_cut_and_a_backup_gives_the_rest(
    opened: Opened, file: Path, backup: Path, filled: list[str]
) -> None:
    back_up(file, backup)
    os.truncate(file, file.stat().st_size // 2)
    store = opened()
    assert saved_ids(store) == set(filled)
    assert store.health().state is StoreState.RECOVERED


@pytest.mark.parametrize("size", [0, 512, 4096], ids=["emptied", "part of a page", "a page"])
def test_a_file_of_which_nothing_is_left_is_restored_from_the_backup(
    opened: Opened, file: Path, backup: Path, filled: list[str], size: int
) -> None:
    back_up(file, backup)
    os.truncate(file, 0)
    os.truncate(file, size)
    store = opened()
    assert saved_ids(store) == set(filled)
    assert store.health().state is StoreState.RECOVERED


def test_without_a_backup_an_emptied_file_is_told_and_saving_goes_on(
    opened: Opened, file: Path, filled: list[str]
) -> None:
    os.truncate(file, 0)
    store = opened()
    assert saved_ids(store) == set()
    assert "how many are lost cannot be told" in (store.health().detail or "")
    saved = store.remember(a_memory("Use tabs"))
    assert found(store, "tabs") == [saved.id]


def test_damage_that_a_question_meets_is_mended_before_the_next_one(
    opened: Opened, file: Path, filled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ltm_tray.backends.sqlite.mending.SMALL_BYTES", 0)
    zero_pages(file, leaf_pages_of(file, "memories")[3:6])
    store = opened()
    with pytest.raises(BackendUnavailable) as raised:
        saved_ids(store)
    assert raised.value.state is StoreState.DAMAGED
    assert saved_ids(store) < set(filled)
    assert store.health().state is StoreState.RECOVERED


def test_a_recovery_is_told_for_a_week(file: Path, filled: list[str]) -> None:
    zero_pages(file, leaf_pages_of(file, "memories")[3:6])
    clock = TickingClock()
    store = SqliteStore(file, clock=clock, new_id=CountingIds())
    assert store.health().state is StoreState.RECOVERED
    store.close()
    again = SqliteStore(file, clock=clock, new_id=CountingIds())
    assert again.health().state is StoreState.RECOVERED
    clock.advance(8 * 24 * 3600)
    assert again.health().state is StoreState.OK
    again.close()


def test_where_mending_fails_the_damaged_file_stays_and_it_is_not_tried_at_once_again(
    opened: Opened, file: Path, filled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    zero_pages(file, leaf_pages_of(file, "memories")[3:6])
    damaged = file.read_bytes()
    tried: list[int] = []

    def fail(*_: object) -> None:
        tried.append(1)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ltm_tray.backends.sqlite.mending.salvage", fail)
    store = opened()
    for _ in range(3):
        assert store.health().state is StoreState.DISK_FULL
    assert len(tried) == 1
    assert file.read_bytes() == damaged
    assert kept_files(file) == []
    assert not list(file.parent.glob("*.draft*"))


def test_another_programs_database_is_left_as_it_is(opened: Opened, file: Path) -> None:
    file.parent.mkdir()
    execute(file, "CREATE TABLE bookmarks (url TEXT)")
    before = file.read_bytes()
    store = opened()
    assert store.health().state is StoreState.OTHER_PROGRAM
    with suppress(BackendUnavailable):
        store.remember(a_memory())
    store.close()
    assert file.read_bytes() == before
