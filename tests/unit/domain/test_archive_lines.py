"""The lines of an export: canonical, and each rule told by its field."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ltm_tray.domain.archive import Counts
from ltm_tray.domain.archive_lines import (
    LINE_MAX_BYTES,
    BadRecord,
    header_line,
    line_of,
    promised_by,
    record_of,
)
from ltm_tray.domain.errors import InvalidInput
from ltm_tray.domain.project import project_of
from tests.support.archives import a_memory_line, a_project, an_observation_line

GOOD: list[dict[str, Any]] = [
    a_project(),
    a_project("/work/Übung 部署"),
    a_memory_line(content='"quoted"\u2028\u0085 部署 🚀', concepts=["a", "b"], parentId="mem_0"),
    a_memory_line(updatedAt="0001-01-01T00:00:00.000Z", createdAt="9999-12-31T23:59:59.999Z"),
    an_observation_line(source={"z": [1, 2.5, None, 2**80], "a": {"y": True, "b": "\0"}}),
]
BAD: dict[str, tuple[dict[str, Any], str]] = {
    "a field is missing": (
        {key: value for key, value in a_memory_line().items() if key != "content"},
        "content",
    ),
    "a field nobody knows": (a_memory_line(colour="red"), "colour"),
    "another sort of record": ({"record": "recall", "id": "1"}, "record"),
    "no sort": ({"id": "mem_1"}, "record"),
    "a number for a text": ({**a_memory_line(), "content": 5}, "content"),
    "a text for a list": (a_memory_line(concepts="a"), "concepts"),
    "a word for a truth value": (a_memory_line(isLatest="yes"), "isLatest"),
    "an unknown type": (a_memory_line(type="opinion"), "type"),
    "an unknown kind": (an_observation_line(kind="later"), "kind"),
    "an empty content": (a_memory_line(content=" \n "), "content"),
    "a content too long": (a_memory_line(content="x" * 65_537), "content"),
    "a NUL": (a_memory_line(content="a\0b"), "content"),
    "a title too long": (a_memory_line(title="x" * 1_025), "title"),
    "an empty label": (a_memory_line(files=[""]), "files"),
    "an empty session": (a_memory_line(sessionId=""), "sessionId"),
    "a narrative too long": (an_observation_line(narrative="x" * 4_001), "narrative"),
    "a time of day": (a_memory_line(createdAt="12:00"), "createdAt"),
    "a time without a zone": (a_memory_line(updatedAt="2026-01-02T03:04:05"), "updatedAt"),
    "a time beyond the calendar": (
        a_project(firstSeenAt="0001-01-01T00:00:00+14:00"),
        "firstSeenAt",
    ),
    "an id of another sort": (a_memory_line("obs_1"), "id"),
    "an id with markup": (a_memory_line("mem_<b>"), "id"),
    "a parent that is no id": (a_memory_line(parentId="x"), "parentId"),
    "a project id that is none": (a_memory_line(projectId="here"), "projectId"),
    "a directory of another project": (a_project(cwd="/work/there", id=a_project()["id"]), "id"),
    "a relative directory": ({**a_project(), "cwd": "here"}, "id"),
}


def encoded(value: object) -> bytes:
    return json.dumps(value).encode()


@pytest.mark.parametrize("value", GOOD)
def test_a_record_read_and_written_again_says_the_same(value: dict[str, Any]) -> None:
    line = line_of(record_of(encoded(value)))
    assert json.loads(line) == value
    assert line_of(record_of(line)) == line


def test_a_line_is_canonical_utf_8_with_sorted_keys_down_to_the_source() -> None:
    line = line_of(record_of(encoded(an_observation_line(source={"b": 1, "a": "ü"}))))
    assert '"source":{"a":"ü","b":1}'.encode() in line
    assert list(json.loads(line)) == sorted(json.loads(line))
    assert line.count(b"\n") == 1
    assert line.endswith(b"}\n")


def test_times_of_other_zones_and_finer_ones_become_utc_milliseconds() -> None:
    line = line_of(record_of(encoded(a_memory_line(createdAt="2026-01-02T05:04:05.0069+02:00"))))
    assert json.loads(line)["createdAt"] == "2026-01-02T03:04:05.006Z"


@pytest.mark.parametrize("name", sorted(BAD))
def test_a_broken_rule_is_told_with_its_field(name: str) -> None:
    value, field = BAD[name]
    with pytest.raises(BadRecord, match=field):
        record_of(encoded(value))


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b'{"record":"memory","id":"me',
        b"null",
        b"[]",
        b'"text"',
        b"\xff\xfe",
        b'{"record":"observation","source":NaN}',
        b'{"record":"memory","content":"\\ud800"}',
        b"[" * 100_000,
        b"9" * 10_000,
    ],
)
def test_what_is_no_json_object_is_told_without_a_crash(line: bytes) -> None:
    with pytest.raises(BadRecord):
        record_of(line)


def test_a_line_longer_than_any_record_is_not_read() -> None:
    with pytest.raises(BadRecord, match="8 MiB"):
        record_of(b" " * LINE_MAX_BYTES)


def test_a_directory_of_windows_fits_its_id_on_every_machine() -> None:
    there = project_of("C:\\Work\\Shop", windows=True)
    line = line_of(record_of(encoded({**a_project(), "cwd": there.cwd, "id": there.id})))
    assert json.loads(line)["cwd"] == "C:\\Work\\Shop"


def test_the_first_line_promises_how_many_records_follow() -> None:
    line = header_line(Counts(projects=1, memories=20, observations=300))
    assert promised_by(line) == 321
    assert promised_by(b'{"format":"ltm-tray-export","version":1}') == 0


def test_a_newer_format_is_refused_with_what_to_do() -> None:
    with pytest.raises(InvalidInput, match=r"format 2, this one knows 1.*update"):
        promised_by(b'{"format":"ltm-tray-export","version":2,"more":true}')


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{}",
        b"PK\x03\x04",
        b'{"format":"other","version":1}',
        b'{"format":"ltm-tray-export"}',
        b'{"format":"ltm-tray-export","version":0}',
        b'{"format":"ltm-tray-export","version":"1"}',
        b"[" * 100_000,
    ],
)
def test_what_is_no_export_is_refused(line: bytes) -> None:
    with pytest.raises(InvalidInput, match="ltm-tray-export"):
        promised_by(line)
