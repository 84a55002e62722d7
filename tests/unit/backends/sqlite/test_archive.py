"""What goes out comes in again: round trips, merges, and what a snapshot is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ltm_tray.backends.sqlite import SqliteArchive
from ltm_tray.domain.memory import Forget
from tests.support.archives import (
    Whole,
    a_memory_line,
    a_project,
    a_whole,
    an_export,
    an_observation_line,
)
from tests.support.builders import HERE, THERE, a_memory, a_query, an_observation

LATER = "2026-02-02T03:04:05.006Z"


@pytest.fixture
def whole(tmp_path: Path) -> Iterator[Whole]:
    whole = a_whole(tmp_path / "ltm.sqlite")
    yield whole
    whole.store.close()


def memories(whole: Whole) -> dict[str, dict[str, Any]]:
    """The memories of an export by id."""
    lines = map(json.loads, whole.exported().splitlines()[1:])
    return {line["id"]: line for line in lines if line["record"] == "memory"}


def test_what_was_taken_in_is_found_at_once(whole: Whole) -> None:
    whole.take_in(an_export(a_project(), a_memory_line(content="Kestrel listens on 9090")))
    assert [hit.id for hit in whole.store.recall(a_query("kestrel port 9090"))] == ["mem_1"]


def test_a_new_text_replaces_an_imported_one_that_says_nearly_the_same(whole: Whole) -> None:
    whole.take_in(
        an_export(a_project(), a_memory_line(content="The deploy host of the shop is blue"))
    )
    saved = whole.store.remember(a_memory("The deploy host of the shop is now blue"))
    assert saved.supersedes == "mem_1"


def test_an_export_of_one_project_holds_nothing_of_another(whole: Whole) -> None:
    whole.store.remember(a_memory("Here we use tabs"))
    whole.store.observe(an_observation())
    whole.store.remember(a_memory("There is a secret", project_id=THERE.id, cwd=THERE.cwd))
    lines = whole.exported(HERE.cwd)
    assert b"There" not in lines
    assert b'"counts":{"memories":1,"observations":1,"projects":1}' in lines
    assert len(lines.splitlines()) == 4


def test_an_export_is_one_state_whatever_is_saved_meanwhile(whole: Whole) -> None:
    for number in range(30):
        whole.store.remember(a_memory(f"Note {number} about something"))
    archive = SqliteArchive(whole.store.database, clock=whole.clock)
    with archive.snapshot() as snapshot:
        first = next(snapshot.records)
        whole.store.remember(a_memory("Saved while the export runs"))
        forgotten = whole.store.forget(Forget(project_id=HERE.id, memory_ids=("mem_00000005",)))
        rest = list(snapshot.records)
    assert forgotten == 1
    assert len([first, *rest]) == snapshot.counts.total == 31


def test_an_export_that_is_given_up_lends_its_connection_back(whole: Whole) -> None:
    whole.store.remember(a_memory())

    def full(_: bytes) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        whole.archive.export(full, cwd=None, progress=lambda *_: None)
    assert whole.store.recall(a_query("tea"))


def test_of_two_memories_with_one_id_the_one_saved_again_last_counts(whole: Whole) -> None:
    whole.take_in(an_export(a_project(), a_memory_line(concepts=["old"])))
    newer = an_export(a_project(), a_memory_line(concepts=["new"], updatedAt=LATER))
    assert whole.take_in(newer).changed == 1
    assert memories(whole)["mem_1"]["concepts"] == ["new"]
    older = an_export(a_project(), a_memory_line(concepts=["old"]))
    assert whole.take_in(older).known == 2
    assert memories(whole)["mem_1"]["concepts"] == ["new"]


def test_a_memory_replaced_in_either_store_stays_replaced(whole: Whole) -> None:
    first, second = a_memory_line(), a_memory_line("mem_2", "Use two tabs", parentId="mem_1")
    whole.take_in(an_export(a_project(), first))
    assert whole.take_in(an_export(a_project(), {**first, "isLatest": False}, second)).changed == 1
    assert [hit.id for hit in whole.store.recall(a_query("tabs"))] == ["mem_2"]
    whole.take_in(an_export(a_project(), first))
    assert [hit.id for hit in whole.store.recall(a_query("tabs"))] == ["mem_2"]
    assert [m.id for m in whole.store.versions("mem_1")] == ["mem_2", "mem_1"]


def test_what_has_a_newer_version_is_not_found_even_if_its_record_calls_it_the_latest(
    whole: Whole,
) -> None:
    lines = an_export(
        a_project(), a_memory_line(), a_memory_line("mem_2", "Use spaces", parentId="mem_1")
    )
    whole.take_in(lines)
    assert whole.store.recall(a_query("tabs")) == []


def test_a_text_the_project_has_under_another_id_adds_its_labels_and_versions(whole: Whole) -> None:
    mine = whole.store.remember(a_memory("Use  tabs", concepts=("style",)))
    theirs = an_export(
        a_project(),
        a_memory_line("mem_7", "Use tab", isLatest=False),
        a_memory_line("mem_8", "Use tabs", concepts=["make"], parentId="mem_7", updatedAt=LATER),
    )
    assert whole.take_in(theirs).changed == 2  # the project's times are wider too
    held = memories(whole)
    assert set(held) == {mine.id, "mem_7"}
    assert held[mine.id]["concepts"] == ["style", "make"]
    assert [m.id for m in whole.store.versions(mine.id)] == [mine.id, "mem_7"]
    assert whole.take_in(theirs).known == 3
    assert whole.store.forget(Forget(project_id=HERE.id, memory_ids=(mine.id,))) == 2


def test_a_projects_times_grow_to_hold_both(whole: Whole) -> None:
    whole.take_in(an_export(a_project()))
    early = "2020-01-01T00:00:00.000Z"
    assert whole.take_in(an_export(a_project(firstSeenAt=early, lastSeenAt=LATER))).changed == 1
    found = json.loads(whole.exported().splitlines()[1])
    assert (found["firstSeenAt"], found["lastSeenAt"]) == (early, LATER)
    assert whole.take_in(an_export(a_project())).known == 1


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (a_memory_line(projectId=THERE.id), "projectId"),
        (an_observation_line(projectId=THERE.id), "projectId"),
        (a_memory_line(parentId="mem_9"), "parentId"),
        (a_memory_line(parentId="mem_1"), "parentId"),
        (a_memory_line("mem_x", projectId=THERE.id), "projectId"),
        (an_observation_line("obs_x", narrative="Another"), "id"),
    ],
)
def test_a_record_that_fits_nothing_here_is_bad_and_changes_nothing(
    whole: Whole, record: dict[str, Any], reason: str
) -> None:
    whole.take_in(
        an_export(a_project(), a_memory_line("mem_x", "Use spaces"), an_observation_line("obs_x"))
    )
    before = whole.exported()
    report = whole.take_in(an_export(record))
    assert [(bad.number, bad.reason.split(":")[0]) for bad in report.bad_lines] == [(2, reason)]
    assert whole.exported() == before


def test_an_id_of_another_project_is_bad(whole: Whole) -> None:
    there = a_project("/work/there")
    whole.take_in(an_export(a_project(), there, a_memory_line()))
    report = whole.take_in(an_export(a_memory_line(projectId=there["id"])))
    assert report.bad_lines[0].reason == "id: another project has it"


def test_a_dry_run_tells_what_the_import_does_and_does_nothing(whole: Whole) -> None:
    saved = whole.store.remember(a_memory("Use tabs"))
    before = whole.exported()
    lines = an_export(
        a_project(firstSeenAt="2020-01-01T00:00:00.000Z"),
        a_memory_line("mem_7", "Use spaces"),
        a_memory_line("mem_8", "Never both", parentId="mem_7"),
        a_memory_line("mem_9", "Use tabs for all", parentId=saved.id),
        an_observation_line(),
    )
    dry = whole.take_in(lines, dry_run=True)
    assert dry.dry_run
    assert whole.exported() == before
    real = whole.take_in(lines)
    assert (dry.new, dry.known, dry.changed, dry.bad_lines) == (
        real.new,
        real.known,
        real.changed,
        real.bad_lines,
    )
    assert (real.new.memories, real.new.observations, real.changed, real.bad) == (3, 1, 1, 0)
