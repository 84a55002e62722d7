"""Imports from files as they come, and what the app deletes by its limits."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from ltm_tray.archive import OVERDUE_AT_A_TIME
from ltm_tray.domain.archive_lines import LINE_MAX_BYTES
from ltm_tray.domain.errors import InvalidInput, LtmDisabled
from ltm_tray.domain.memory import RecallHit
from ltm_tray.ports import RetentionRules
from ltm_tray.tidying import Tidying
from tests.support.archives import (
    Whole,
    a_memory_line,
    a_project,
    a_whole,
    an_export,
    as_lines,
)
from tests.support.builders import HERE, THERE, a_query, an_observation
from tests.support.redaction.pieces import GITHUB
from tests.support.waiting import wait_until

DAY_S = 86_400


@pytest.fixture
def whole(tmp_path: Path) -> Iterator[Whole]:
    whole = a_whole(tmp_path / "ltm.sqlite")
    yield whole
    whole.store.close()


def observe(whole: Whole, count: int, project: str = HERE.id) -> None:
    cwd = HERE.cwd if project == HERE.id else THERE.cwd
    for number in range(count):
        whole.store.observe(
            an_observation(
                f"User: question {number}",
                project_id=project,
                cwd=cwd,
                session_id=project,
                dedup_key=str(number),
            )
        )


def found(whole: Whole) -> list[RecallHit]:
    return whole.store.recall(a_query("tabs"))


def test_bad_lines_are_skipped_and_told_by_number_and_reason(whole: Whole) -> None:
    lines = [
        an_export(a_project()),
        b"{not json\n",
        as_lines([a_memory_line("mem_1", type="opinion")]),
        b"\n",
        as_lines([a_memory_line("mem_2", parentId="mem_9")]),
        as_lines([a_memory_line("mem_3")]),
    ]
    report = whole.take_in(b"".join(lines))
    assert [bad.number for bad in report.bad_lines] == [3, 4, 6]
    assert [bad.reason.split(" ")[0] for bad in report.bad_lines] == ["it", "Invalid", "parentId:"]
    assert (report.bad, report.new.memories) == (3, 1)
    assert [hit.id for hit in found(whole)] == ["mem_3"]


def test_what_an_import_brings_is_redacted_as_what_is_saved_here(whole: Whole) -> None:
    line = a_memory_line("mem_1", content=f"tabs and {GITHUB}", title=f"tabs and {GITHUB[:20]}")
    hidden = a_memory_line("mem_2", content="<private>all of it</private>")
    report = whole.take_in(an_export(a_project(), line, hidden))
    assert [hit.snippet for hit in found(whole)] == ["tabs and [redacted: github-token]"]
    assert whole.store.memory("mem_1").title == "tabs and [redacted: github-token]"
    assert [bad.reason for bad in report.bad_lines] == [
        "content: holds nothing but secrets or private passages"
    ]


def test_a_text_that_redaction_made_longer_comes_in_again(whole: Whole) -> None:
    content = ("password=[redacted: password] " * 4_000)[:65_600].strip()
    whole.take_in(an_export(a_project(), a_memory_line("mem_1", content=content)))
    assert whole.store.memory("mem_1").content == content


def test_a_torn_file_gives_what_is_whole_and_tells_how_much_is_missing(whole: Whole) -> None:
    data = an_export(a_project(), a_memory_line("mem_1"), counts={"memories": 3, "projects": 1})
    report = whole.take_in(data + as_lines([a_memory_line("mem_2", "Never tabs")])[:50])
    assert (report.new.memories, report.bad, report.missing) == (1, 1, 1)
    assert report.bad_lines[0].number == 4


def test_a_byte_order_mark_and_line_ends_of_windows_do_no_harm(whole: Whole) -> None:
    data = an_export(a_project(), a_memory_line()).replace(b"\n", b"\r\n")
    report = whole.take_in(b"\xef\xbb\xbf" + data)
    assert (report.new.memories, report.bad) == (1, 0)


def test_a_line_of_any_length_is_one_bad_line(whole: Whole) -> None:
    huge = b'"' + b"x" * (2 * LINE_MAX_BYTES) + b'"\n'
    report = whole.take_in(an_export(a_project()) + huge + as_lines([a_memory_line()]))
    assert [(bad.number, bad.reason) for bad in report.bad_lines] == [
        (3, "it is longer than 8 MiB")
    ]
    assert report.new.memories == 1


def test_a_line_separator_within_a_text_does_not_split_a_line(whole: Whole) -> None:
    text = "tabs\u2028and\u0085spaces\x1cand all"
    whole.take_in(an_export(a_project(), a_memory_line(content=text)))
    again = a_whole(whole.store.database.file.with_name("again.sqlite"))
    assert again.take_in(whole.exported()).bad == 0
    assert again.store.memory("mem_1").content == text
    again.store.close()


def test_many_bad_lines_are_counted_and_the_first_thousand_told(whole: Whole) -> None:
    report = whole.take_in(an_export() + b"{}\n" * 2_500)
    assert (report.bad, len(report.bad_lines)) == (2_500, 1_000)


def test_while_memory_is_off_only_the_import_is_refused(whole: Whole) -> None:
    whole.switch.enabled = False
    with pytest.raises(LtmDisabled):
        whole.take_in(an_export(a_project()))
    assert whole.take_in(an_export(a_project()), dry_run=True).new.projects == 1
    assert whole.exported().count(b"\n") == 1


@pytest.mark.parametrize("data", [b"", b"a,b,c\n", b'{"hits":[]}\n'])
def test_a_file_that_is_no_export_is_refused_whole(whole: Whole, data: bytes) -> None:
    with pytest.raises(InvalidInput):
        whole.take_in(data + as_lines([a_project()]))
    assert whole.exported().count(b"\n") == 1


def test_an_import_holds_no_transaction_longer_than_a_few_records(whole: Whole) -> None:
    seen: list[int] = []
    records = [a_memory_line(f"mem_{n}", f"Note {n} of {n * n}") for n in range(450)]
    other = a_whole(whole.store.database.file)

    def look(done: int, _: int) -> None:
        seen.append(other.store.stats(HERE.id).memory_count)
        other.store.observe(an_observation(dedup_key=str(done)))

    data = io.BytesIO(an_export(a_project(), *records))
    whole.archive.take_in(data, dry_run=False, progress=look)
    assert seen == [199, 399, 450]
    other.store.close()


def test_without_limits_nothing_is_overdue(whole: Whole) -> None:
    observe(whole, 3)
    whole.clock.advance(10_000 * DAY_S)
    assert whole.archive.overdue() is None
    assert not whole.archive.delete_some_overdue()
    assert whole.store.stats(HERE.id).observation_count == 3


def test_the_age_limit_counts_from_when_a_turn_was_captured(whole: Whole) -> None:
    whole.retaining.rules = RetentionRules(max_age_days=30)
    observe(whole, 2)
    whole.clock.advance(29 * DAY_S)
    observe(whole, 3)
    assert whole.archive.overdue() == 0
    whole.clock.advance(2 * DAY_S)
    assert whole.archive.overdue() == 2
    assert whole.archive.delete_some_overdue()
    assert whole.store.stats(HERE.id).observation_count == 3
    assert not whole.archive.delete_some_overdue()


def test_the_count_limit_keeps_the_newest_of_each_project(whole: Whole) -> None:
    whole.retaining.rules = RetentionRules(max_count=2)
    observe(whole, 5)
    observe(whole, 1, THERE.id)
    assert whole.archive.overdue() == 3
    whole.archive.delete_some_overdue()
    kept = whole.store.newest().items
    assert [item.project_id for item in kept].count(THERE.id) == 1
    assert {item.text for item in kept} >= {"User: question 3", "User: question 4"}
    assert len(kept) == 3


def test_one_step_deletes_few_so_that_nobody_waits(whole: Whole) -> None:
    whole.retaining.rules = RetentionRules(max_count=1)
    observe(whole, OVERDUE_AT_A_TIME + 10)
    assert whole.archive.delete_some_overdue()
    assert whole.archive.overdue() == 9


def test_nothing_is_deleted_while_memory_is_off(whole: Whole) -> None:
    whole.retaining.rules = RetentionRules(max_count=1)
    observe(whole, 3)
    whole.switch.enabled = False
    assert not whole.archive.delete_some_overdue()
    assert whole.archive.overdue() == 2


def test_the_running_app_keeps_to_the_limits_by_itself_and_ends_at_once(whole: Whole) -> None:
    whole.retaining.rules = RetentionRules(max_count=1)
    observe(whole, OVERDUE_AT_A_TIME * 2)
    tidying = Tidying(whole.archive, first_look_s=0.01, look_every_s=60, pause_s=0.01)
    tidying.start()
    wait_until(lambda: whole.archive.overdue() == 0, "all but one are gone")
    tidying.stop()
    assert "tidying" not in [thread.name for thread in threading.enumerate()]
    assert whole.store.stats(HERE.id).observation_count == 1


def test_the_last_look_of_a_limit_is_that_of_the_settings(whole: Whole) -> None:
    observe(whole, 3)
    wish = whole.archive.purge_wish(versions=True, backups=False)
    assert wish.limits.created_before is None
    whole.retaining.rules = RetentionRules(max_age_days=1, max_count=7)
    limits = whole.archive.purge_wish(versions=True, backups=False).limits
    assert limits.most_of_project == 7
    assert limits.created_before is not None
    assert limits.created_before < whole.clock() - timedelta(hours=23)
