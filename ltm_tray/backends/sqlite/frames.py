"""Reads a write-ahead log without SQLite: which numbers its versions of the first page carry.

The format is the one of https://www.sqlite.org/fileformat2.html#walformat.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

NUMBER_OFFSET = 68
"""Where the first page holds the application id."""
HEADER_BYTES = 32

_HEADER = struct.Struct(">8I")
_FRAME = struct.Struct(">6I")
_LITTLE, _BIG = 0x377F0682, 0x377F0683
_WORD = 0xFFFFFFFF
_START_BYTES = 100


class _Log(NamedTuple):
    """What all frames have that were written since the log was last emptied."""

    page_bytes: int
    salts: tuple[int, int]
    words: str
    """How the words of a checksum are to be unpacked."""
    sums: tuple[int, int]


def header_of(file: Path) -> bytes:
    """Return the log's header, which changes whenever it is begun anew; empty without one."""
    try:
        with file.open("rb") as stream:
            return stream.read(HEADER_BYTES)
    except OSError:
        return b""


def numbers_in(file: Path, *, committed: bool) -> list[int]:
    """Return the numbers in the order they were written; empty for what is no log.

    A glimpse at all frames is quick; `committed` reads all of the log, and counts only what
    SQLite would play in: whole frames, up to the last end of a transaction.
    """
    try:
        with file.open("rb") as stream:
            log = _log(stream.read(HEADER_BYTES))
            if log is None:
                return []
            return _committed(stream, log) if committed else list(_glimpsed(stream, log))
    except OSError:
        return []


def number_of(page_start: bytes) -> int:
    """Return the number that a first page carries."""
    return int.from_bytes(page_start[NUMBER_OFFSET : NUMBER_OFFSET + 4], "big")


def _log(header: bytes) -> _Log | None:
    if len(header) < HEADER_BYTES:
        return None
    magic, _, page_bytes, _, *salts, sum0, sum1 = _HEADER.unpack(header)
    if magic not in (_LITTLE, _BIG) or not 512 <= page_bytes <= 65_536:
        return None
    words = "<" if magic == _LITTLE else ">"
    return _Log(page_bytes, (salts[0], salts[1]), words, (sum0, sum1))


def _glimpsed(stream: BinaryIO, log: _Log) -> Iterator[int]:
    at = HEADER_BYTES
    while header := _frame(stream, log):
        if header[0] == 1:
            yield number_of(stream.read(_START_BYTES))
        at += _FRAME.size + log.page_bytes
        stream.seek(at)


def _committed(stream: BinaryIO, log: _Log) -> list[int]:
    found: list[int] = []
    ended = 0
    sums = log.sums
    while header := _frame(stream, log):
        page = stream.read(log.page_bytes)
        if len(page) < log.page_bytes:
            break
        sums = _added(sums, _FRAME.pack(*header)[:8] + page, log.words)
        if sums != header[4:6]:
            break
        if header[0] == 1:
            found.append(number_of(page))
        if header[1]:  # the size of the database is told where a transaction ends
            ended = len(found)
    return found[:ended]


def _frame(stream: BinaryIO, log: _Log) -> tuple[int, ...] | None:
    """Return the next frame's header; None for one of an earlier time, or the end."""
    header = stream.read(_FRAME.size)
    if len(header) < _FRAME.size:
        return None
    fields = _FRAME.unpack(header)
    return fields if fields[2:4] == log.salts else None


def _added(sums: tuple[int, int], data: bytes, words: str) -> tuple[int, int]:
    first, second = sums
    for one, other in struct.iter_unpack(f"{words}II", data):
        first = (first + one + second) & _WORD
        second = (second + other + first) & _WORD
    return first, second
