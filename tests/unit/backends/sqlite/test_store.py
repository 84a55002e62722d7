"""What only the SQLite store promises: its file, its index, several processes."""

from __future__ import annotations

import os
import random
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ltm_tray.backends.sqlite import SqliteStore
from ltm_tray.backends.sqlite import store as store_module
from ltm_tray.backends.sqlite.migrations import MIGRATIONS
from ltm_tray.domain.analysis import term_set
from ltm_tray.domain.errors import BackendUnavailable
from ltm_tray.domain.memory import Forget
from ltm_tray.domain.similarity import is_superseded_by, jaccard
from tests.support.builders import HERE, THERE, a_memory, a_query, an_observation
from tests.support.clock import TickingClock
from tests.support.ids import CountingIds


def open_store(file: Path) -> SqliteStore:
    return SqliteStore(file, clock=TickingClock(), new_id=CountingIds())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memory" / "ltm.sqlite"


@pytest.fixture
def store(file: Path) -> Iterator[SqliteStore]:
    store = open_store(file)
    yield store
    store.close()


def rows(file: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(sql).fetchall()


def indexed(file: Path) -> tuple[set[object], set[object]]:
    """The rows that should be found, and those that the three derived tables hold."""
    latest = {row[0] for row in rows(file, "SELECT number FROM memories WHERE is_latest = 1")}
    held = {row[0] for row in rows(file, "SELECT rowid FROM memories_fts")}
    termed = {row[0] for row in rows(file, "SELECT DISTINCT memory FROM memory_terms")}
    assert held == termed
    return latest, held


def test_what_was_taken_out_is_counted_across_runs(file: Path) -> None:
    store = open_store(file)
    store.remember(a_memory(redacted={"password": 2}))
    store.close()
    store = open_store(file)
    assert store.stats(HERE.id).redacted == {"password": 2}
    store.close()


def test_nothing_is_on_disk_before_the_first_use(file: Path) -> None:
    store = open_store(file)
    assert not file.parent.exists()
    store.close()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no file modes.")
def test_the_file_and_its_folder_are_the_users_alone(store: SqliteStore, file: Path) -> None:
    store.remember(a_memory())
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    for part in file.parent.iterdir():
        assert stat.S_IMODE(part.stat().st_mode) == 0o600


@pytest.mark.skipif(os.name == "nt", reason="Links need a privilege on Windows.")
def test_a_link_in_place_of_the_file_is_not_followed(store: SqliteStore, file: Path) -> None:
    victim = file.parent.parent / "victim"
    victim.write_text("precious")
    file.parent.mkdir()
    file.symlink_to(victim)
    with pytest.raises(BackendUnavailable):
        store.remember(a_memory())
    assert victim.read_text() == "precious"


def test_what_was_saved_is_there_after_a_restart(file: Path) -> None:
    first = open_store(file)
    saved = first.remember(a_memory("Use tabs"))
    first.close()
    second = open_store(file)
    assert [hit.id for hit in second.recall(a_query("tabs"))] == [saved.id]
    second.close()


def test_two_stores_share_one_file(file: Path) -> None:
    one, other = open_store(file), SqliteStore(file, clock=TickingClock(), new_id=lambda _: "mem_b")
    one.remember(a_memory("Use tabs"))
    other.remember(a_memory("Never spaces"))
    assert one.stats(HERE.id).memory_count == other.stats(HERE.id).memory_count == 2
    one.close()
    other.close()


def test_a_file_deleted_under_the_running_store_becomes_an_empty_one_and_health_says_so(
    store: SqliteStore, file: Path
) -> None:
    store.remember(a_memory("Use tabs"))
    file.unlink()
    assert store.recall(a_query("tabs")) == []
    saved = store.remember(a_memory("Use spaces"))
    assert [hit.id for hit in store.recall(a_query("spaces"))] == [saved.id]
    assert store.health().ok
    assert "deleted or replaced" in (store.health().detail or "")


def test_a_file_that_is_no_database_is_reported_and_left_alone(
    store: SqliteStore, file: Path
) -> None:
    file.parent.mkdir()
    file.write_bytes(b"not a database at all, only some text " * 200)
    before = file.read_bytes()
    with pytest.raises(BackendUnavailable, match="not an SQLite database"):
        store.remember(a_memory())
    assert not store.health().ok
    assert file.read_bytes() == before


def test_a_database_of_a_newer_version_is_not_touched(file: Path) -> None:
    first = open_store(file)
    first.remember(a_memory())
    first.close()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    second = open_store(file)
    with pytest.raises(BackendUnavailable, match="newer LTM Tray"):
        second.recall(a_query("tea"))
    second.close()


def test_an_unwritable_path_is_reported_in_words(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("a file, not a folder")
    store = open_store(tmp_path / "plain" / "ltm.sqlite")
    with pytest.raises(BackendUnavailable, match="cannot be used"):
        store.remember(a_memory())
    store.close()


def test_a_failed_write_leaves_nothing_behind(
    store: SqliteStore, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.remember(a_memory("Use tabs"))

    def fail(*_: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr("ltm_tray.backends.sqlite.index.add_memory", fail)
    with pytest.raises(BackendUnavailable):
        store.remember(a_memory("Use spaces"))
    monkeypatch.undo()
    latest, held = indexed(file)
    assert latest == held
    assert len(latest) == 1


def test_the_index_equals_the_tables_after_any_sequence(store: SqliteStore, file: Path) -> None:
    pick = random.Random(7)  # noqa: S311 — test data
    words = [f"w{n}" for n in range(12)]
    ids: list[str] = []
    for step in range(120):
        if ids and step % 5 == 4:
            store.forget(Forget(project_id=HERE.id, memory_ids=(pick.choice(ids),)))
        content = " ".join(pick.sample(words, pick.randrange(3, 9)))
        saved = store.remember(a_memory(content, concepts=(pick.choice(words),)))
        ids.append(saved.id)
    latest, held = indexed(file)
    assert latest == held
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("INSERT INTO memories_fts (memories_fts) VALUES ('integrity-check')")


def test_a_new_text_retires_exactly_what_a_scan_of_all_texts_would(tmp_path: Path) -> None:
    common = st.sampled_from(["a1", "b2", "c3", "d4", "e5", "f6", "g7", "h8", "i9", "j10"])
    rare = st.integers(0, 400).map("rare{}".format)
    chinese = st.text("数据库连接池配置", min_size=1, max_size=1)
    text = st.lists(common | rare | chinese, min_size=1, max_size=12).map(" ".join)

    @settings(max_examples=40, deadline=None)
    @given(st.lists(text, min_size=1, max_size=30))
    def check(texts: list[str]) -> None:
        store = open_store(Path(mkdtemp(dir=tmp_path)) / "ltm.sqlite")
        latest: dict[str, tuple[int, str]] = {}
        for number, content in enumerate(texts):
            new = term_set(content)
            near = [
                (jaccard(term_set(old), new), at, id_)
                for id_, (at, old) in latest.items()
                if is_superseded_by(term_set(old), new)
            ]
            saved = store.remember(a_memory(content))
            if not saved.deduplicated:
                assert saved.supersedes == (max(near)[2] if near else None)
                latest.pop(saved.supersedes or "", None)
                latest[saved.id] = (number, content)
        store.close()

    check()


def test_other_projects_terms_are_never_read(store: SqliteStore) -> None:
    store.remember(a_memory("Use tabs"))
    store.remember(a_memory("1xtabs 2xtabs", project_id=THERE.id, cwd=THERE.cwd))
    assert len(store.recall(a_query("tabs"))) == 1
    assert store.recall(a_query("1xtabs")) == []


def test_observations_survive_beside_memories(store: SqliteStore, file: Path) -> None:
    seen = store.observe(an_observation("User: tabs"))
    store.forget(Forget(project_id=HERE.id, observation_ids=(seen.observation_id or "",)))
    assert rows(file, "SELECT count(*) FROM observations_fts") == [(0,)]


def test_an_export_in_many_batches_holds_every_item_once_and_none_forgotten_meanwhile(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "_BATCH_PLACES", 7)
    monkeypatch.setattr(store_module, "_BATCH_ITEMS", 3)
    ids = [store.remember(a_memory(f"note{n} of topic{n}")).id for n in range(23)]
    exported = store.items()
    first = next(exported)
    store.forget(Forget(project_id=HERE.id, memory_ids=(ids[5],)))
    left = [id_ for id_ in reversed(ids) if id_ != ids[5]]
    assert [first.id, *(item.id for item in exported)] == left
