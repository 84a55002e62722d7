"""Breaks database files in the ways that disks, people and crashes do."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

PAGE_BYTES = 4096


def zero_pages(file: Path, pages: list[int]) -> None:
    """Overwrite pages, counted from 1, with zeros."""
    with file.open("r+b") as stream:
        for page in pages:
            stream.seek((page - 1) * PAGE_BYTES)
            stream.write(bytes(PAGE_BYTES))


def leaf_pages_of(file: Path, table: str) -> list[int]:
    """Return the pages that hold rows of a table or entries of an index, in their order."""
    with closing(sqlite3.connect(file)) as connection:
        (root,) = connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)
        ).fetchone()
    data = file.read_bytes()
    return _leaves(data, root)


def _leaves(data: bytes, page: int) -> list[int]:
    start = (page - 1) * PAGE_BYTES
    header = start + (100 if page == 1 else 0)
    if data[header] in (0x0D, 0x0A):
        return [page]
    cells = int.from_bytes(data[header + 3 : header + 5], "big")
    places = (header + 12 + 2 * n for n in range(cells))
    offsets = [start + int.from_bytes(data[place : place + 2], "big") for place in places]
    children = [int.from_bytes(data[at : at + 4], "big") for at in offsets]
    last = int.from_bytes(data[header + 8 : header + 12], "big")
    return [leaf for child in (*children, last) for leaf in _leaves(data, child)]


def execute(file: Path, *statements: str) -> None:
    """Change a database behind the program's back."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def findings(file: Path) -> list[str]:
    """Return what the program's own full check finds in a file that nobody uses."""
    from ltm_tray.backends.sqlite import integrity

    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        found = integrity.full_check(connection, lambda done, total: None)
        connection.execute("ROLLBACK")
        return [finding.sentence for finding in found]
