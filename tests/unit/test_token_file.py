"""The token: made once, kept privately, made anew where others could have read it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from ltm_tray.token_file import kept_token, read_token

POSIX_ONLY = pytest.mark.skipif(os.name == "nt", reason="Windows has no file modes")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "ltm-tray.token"


def test_a_token_is_long_random_and_stays_the_same(file: Path) -> None:
    token = kept_token(file)
    assert len(token) >= 43
    assert kept_token(file) == read_token(file) == token
    file.unlink()
    assert kept_token(file) != token


@POSIX_ONLY
def test_only_its_user_can_read_the_file(file: Path) -> None:
    before = os.umask(0)
    try:
        kept_token(file)
    finally:
        os.umask(before)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@POSIX_ONLY
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o666])
def test_a_token_that_others_could_read_or_write_is_replaced(file: Path, mode: int) -> None:
    token = kept_token(file)
    file.chmod(mode)
    assert read_token(file) is None
    assert kept_token(file) != token
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@POSIX_ONLY
def test_a_link_in_its_place_is_replaced_and_what_it_leads_to_stays(
    file: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    token = kept_token(other)
    file.symlink_to(other)
    assert read_token(file) is None
    assert kept_token(file) != token
    assert not file.is_symlink()
    assert read_token(other) == token


@pytest.mark.parametrize("text", ["", "short", "a" * 42, "ü" * 60, "a" * 43 + "\r\nX-Evil: 1"])
def test_what_is_no_token_is_replaced(file: Path, text: str) -> None:
    file.write_text(text, "utf-8")
    file.chmod(0o600)
    assert read_token(file) is None
    assert read_token(file) != kept_token(file)


@POSIX_ONLY
def test_a_pipe_in_its_place_does_not_hold_anybody_up(file: Path) -> None:
    os.mkfifo(file, 0o600)
    assert read_token(file) is None
    assert kept_token(file) == read_token(file)


def test_a_folder_in_its_place_is_an_error(file: Path) -> None:
    (file / "inside").mkdir(parents=True)
    assert read_token(file) is None
    with pytest.raises(OSError, match=file.name):
        kept_token(file)
