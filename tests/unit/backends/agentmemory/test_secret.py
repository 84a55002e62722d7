"""Where the secret of an agentmemory server is looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from ltm_tray.backends.agentmemory import find_secret


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / ".agentmemory"
    folder.mkdir()
    return folder


def test_without_any_there_is_none(tmp_path: Path) -> None:
    assert find_secret({}, tmp_path) is None


def test_the_variable_goes_before_the_file_and_that_before_the_one_made_by_the_server(
    tmp_path: Path, folder: Path
) -> None:
    (folder / "secret").write_text("of-server\n")
    assert find_secret({}, tmp_path) == "of-server"
    (folder / ".env").write_text('# mine\nOTHER=1\nexport AGENTMEMORY_SECRET="of-file"\n')
    assert find_secret({}, tmp_path) == "of-file"
    assert find_secret({"AGENTMEMORY_SECRET": " of-variable "}, tmp_path) == "of-variable"


@pytest.mark.parametrize(
    "content", [b"", b"  \n", b"two\nlines", b"\xff\xfe", "schlüssel".encode()]
)
def test_what_cannot_be_sent_is_no_secret(tmp_path: Path, folder: Path, content: bytes) -> None:
    (folder / "secret").write_bytes(content)
    assert find_secret({"AGENTMEMORY_SECRET": " "}, tmp_path) is None


def test_a_folder_in_its_place_is_no_secret(tmp_path: Path, folder: Path) -> None:
    (folder / "secret").mkdir()
    assert find_secret({}, tmp_path) is None
