"""What a purge leaves behind, looked for in the raw bytes of every file."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from ltm_tray.backends.sqlite import connection, purging
from ltm_tray.domain.archive import Purged
from ltm_tray.domain.catalog import RecallLogEntry
from ltm_tray.domain.errors import DatabaseBusy
from ltm_tray.domain.memory import Forget
from ltm_tray.ports import RetentionRules
from tests.support.archives import Whole, a_whole
from tests.support.builders import HERE, a_memory, a_query, an_observation

FORGOTTEN = "The HERON-quokka key opens the stagingVault of Übung 部署脚本 mandragora"
REPLACED = "The deploy host of the whole shop is called kingfisher and nothing else"
REPLACING = "The deploy host of the whole shop is called ptarmigan and nothing else"
SEEN = "User: does the wagtail deployment work?"
TERMS = ("heron", "quokka", "stagingvault", "mandragora", "部署", "kingfisher", "wagtail")
"""What the analyser makes of words that only removed texts hold."""


@pytest.fixture
def whole(tmp_path: Path) -> Iterator[Whole]:
    whole = a_whole(tmp_path / "memory" / "ltm.sqlite")
    yield whole
    whole.store.close()


def fill(whole: Whole) -> None:
    """Save and replace and observe among much else, so that pages and segments split and merge."""
    for number in range(120):
        whole.store.remember(a_memory(f"Note {number} says {number * 7} about topic{number % 9}"))
    whole.store.remember(a_memory(REPLACED))
    whole.store.remember(a_memory(REPLACING))


def save_and_forget(whole: Whole) -> str:
    saved = whole.store.remember(
        a_memory(FORGOTTEN, concepts=("mandragora",), files=("heron.txt",))
    )
    seen = whole.store.observe(an_observation(SEEN, title="wagtail?"))
    for number in range(120, 200):
        whole.store.remember(a_memory(f"Note {number} says {number * 7} about topic{number % 9}"))
    forget = Forget(
        project_id=HERE.id, memory_ids=(saved.id,), observation_ids=(seen.observation_id or "",)
    )
    assert whole.store.forget(forget) == 2
    return saved.id


def traces(whole: Whole) -> set[str]:
    """The terms that the raw bytes of the database and its side files still hold."""
    file = whole.store.database.file
    raw = b"".join(part.read_bytes() for part in file.parent.glob(f"{file.name}*"))
    return {term for term in TERMS if term.encode() in raw.lower()}


def purge(whole: Whole, *, versions: bool = True, backups: bool = False) -> Purged:
    return whole.archive.purge(whole.archive.purge_wish(versions=versions, backups=backups))


def test_after_a_purge_no_file_holds_a_removed_text_or_a_term_of_it(whole: Whole) -> None:
    fill(whole)
    save_and_forget(whole)
    assert traces(whole) == set(TERMS), "otherwise this test shows nothing"
    purged = purge(whole)
    assert traces(whole) == set()
    assert (purged.versions > 0, purged.observations) == (True, 0)
    assert [hit.snippet for hit in whole.store.recall(a_query("deploy host"))] == [REPLACING]
    assert len(whole.store.recall(a_query("topic3", limit=50))) > 10


def test_what_forget_alone_leaves_are_index_terms_and_the_log_and_no_row(whole: Whole) -> None:
    fill(whole)
    save_and_forget(whole)
    file = whole.store.database.file
    with closing(sqlite3.connect(file)) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    raw = file.read_bytes()
    assert FORGOTTEN.encode() not in raw
    assert SEEN.encode() not in raw
    assert b"mandragora" in raw.lower(), "the README says that terms stay"


def test_a_purge_for_the_forgotten_only_keeps_versions(whole: Whole) -> None:
    fill(whole)
    save_and_forget(whole)
    assert purge(whole, versions=False).versions == 0
    assert traces(whole) == {"kingfisher"}
    latest = whole.store.recall(a_query("ptarmigan"))[0]
    assert [m.content for m in whole.store.versions(latest.id)] == [REPLACING, REPLACED]


def test_the_latest_version_becomes_the_first_one(whole: Whole) -> None:
    fill(whole)
    purge(whole)
    latest = whole.store.recall(a_query("ptarmigan"))[0]
    assert whole.store.memory(latest.id).parent_id is None
    assert len(whole.store.versions(latest.id)) == 1
    assert whole.store.stats(HERE.id).version_count == 0


def ask(whole: Whole, query: str, *hits: str) -> None:
    entry = RecallLogEntry(
        project_id=HERE.id, query=query, source="api", session_id=None, hit_ids=hits,
        duration_ms=1.0, asked_at=whole.clock(),
    )  # fmt: skip
    whole.store.record_recall(entry)


def test_questions_that_had_found_what_is_gone_go_and_others_stay(whole: Whole) -> None:
    kept = whole.store.remember(a_memory("We drink tea")).id
    gone = save_and_forget(whole)
    ask(whole, "where is the mandragora", kept, gone)
    ask(whole, "tea", kept)
    ask(whole, "nothing found")
    assert len(whole.store.recalls().entries) == 3
    assert purge(whole).questions == 1
    assert [entry.query for entry in whole.store.recalls().entries] == ["nothing found", "tea"]
    assert traces(whole) == set()


def test_what_a_purge_would_remove_is_what_it_removes(whole: Whole) -> None:
    fill(whole)
    whole.retaining.rules = RetentionRules(max_count=1)
    overdue, *_ = [
        whole.store.observe(an_observation(dedup_key=str(number))).observation_id or ""
        for number in range(3)
    ]
    old = next(m.id for m in whole.store.versions("mem_00000122") if not m.is_latest)
    for hit in (overdue, old, save_and_forget(whole)):
        ask(whole, "?", hit)
    assert len(whole.store.recalls().entries) == 3
    planned = whole.archive.purgeable(whole.archive.purge_wish(versions=True, backups=False))
    assert planned.versions == whole.store.stats(HERE.id).version_count > 0
    assert (planned.observations, planned.questions) == (2, 3)
    assert whole.store.stats(HERE.id).observation_count == 3
    done = purge(whole)
    assert replace(done, bytes_before=0, bytes_after=0) == replace(
        planned, bytes_before=0, bytes_after=0
    )


def test_a_purge_gives_room_back(whole: Whole) -> None:
    ids = [
        whole.store.remember(a_memory(f"{number} " + f"filler{number} " * 2_000)).id
        for number in range(40)
    ]
    whole.store.forget(Forget(project_id=HERE.id, memory_ids=tuple(ids)))
    purged = purge(whole)
    assert purged.bytes_after < purged.bytes_before / 2


def test_older_copies_are_named_and_give_way_to_a_new_backup_only_when_that_is_wished(
    whole: Whole,
) -> None:
    fill(whole)
    folder = whole.store.database.file.parent
    (folder / "backups").mkdir()
    for name in ("backups/ltm-2026-01-01.sqlite", "ltm.sqlite.damaged-2026-01-01", "notes.txt"):
        (folder / name).write_bytes(b"a copy that holds mandragora")
    told = purge(whole)
    assert {copy.name for copy in told.copies} == {
        "backups/ltm-2026-01-01.sqlite",
        "ltm.sqlite.damaged-2026-01-01",
    }
    assert not told.copies_removed
    assert (folder / "backups/ltm-2026-01-01.sqlite").exists()
    assert purge(whole, backups=True).copies_removed
    left = {path.name for path in folder.rglob("*") if path.is_file()}
    own = {"ltm.sqlite", "ltm.sqlite-wal", "ltm.sqlite-shm", "ltm.sqlite.lock"}
    (backup,) = left - {*own, "notes.txt"}
    assert backup.endswith("-daily.sqlite")
    assert b"mandragora" not in (folder / "backups" / backup).read_bytes()
    assert "notes.txt" in left
    assert whole.store.stats(HERE.id).memory_count > 100


def test_others_save_and_recall_while_a_purge_runs(whole: Whole) -> None:
    fill(whole)
    other = a_whole(whole.store.database.file)
    ended = threading.Event()

    def use() -> None:
        number = 0
        while not ended.is_set() or number < 5:
            other.store.observe(an_observation(dedup_key=f"during-{number}"))
            assert other.store.recall(a_query("ptarmigan"))
            number += 1
        saved.append(number)

    saved: list[int] = []
    user = threading.Thread(target=use)
    user.start()
    try:
        for _ in range(3):
            purge(whole)
    finally:
        ended.set()
        user.join()
    assert whole.store.stats(HERE.id).observation_count == saved[0]
    other.store.close()


def test_a_reader_that_does_not_end_is_told_and_a_second_purge_completes_the_first(
    whole: Whole, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (connection, purging):
        monkeypatch.setattr(module, "BUSY_TIMEOUT_S", 0.2)
    fill(whole)
    save_and_forget(whole)
    with closing(sqlite3.connect(whole.store.database.file)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM memories").fetchone()
        with pytest.raises(DatabaseBusy, match="purge again"):
            purge(whole)
    purge(whole)
    assert traces(whole) == set()
