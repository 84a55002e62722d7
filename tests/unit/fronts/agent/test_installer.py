"""Installing Pi's extension: never over a stranger's file, never losing a changed copy."""

from __future__ import annotations

from pathlib import Path

import pytest

from ltm_tray import __version__
from ltm_tray.domain.errors import PiExtensionError
from ltm_tray.fronts.agent.installer import ExtensionState, PiExtension
from ltm_tray.resources import data_dir

NEW = b"// ltm-tray pi extension, version 2.0\r\nexport default () => {}; // \xc3\xbc\n"
OLD = b"// ltm-tray pi extension, version 1.0\nexport default () => {};\n"
FOREIGN = b"// My own extension\nexport default () => {};\n"


@pytest.fixture
def agent_dir(tmp_path: Path) -> Path:
    return tmp_path / "agent"


@pytest.fixture
def file(agent_dir: Path) -> Path:
    return agent_dir / "extensions" / "ltm-tray" / "index.ts"


@pytest.fixture
def extension(agent_dir: Path, tmp_path: Path) -> PiExtension:
    shipped = tmp_path / "shipped.ts"
    shipped.write_bytes(NEW)
    return PiExtension(agent_dir, shipped)


def put(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)


def test_it_is_installed_byte_for_byte_where_pi_looks(extension: PiExtension, file: Path) -> None:
    change = extension.install()
    assert (change.changed, change.file, change.backup) == (True, file, None)
    assert file.read_bytes() == NEW
    assert [found.name for found in file.parent.iterdir()] == ["index.ts"]


def test_installing_again_touches_nothing(extension: PiExtension, file: Path) -> None:
    extension.install()
    before = file.stat()
    change = extension.install()
    assert not change.changed
    assert file.stat() == before


def test_a_changed_copy_is_kept_beside_the_new_one(extension: PiExtension, file: Path) -> None:
    put(file, OLD + b"// my change\n")
    change = extension.install()
    assert file.read_bytes() == NEW
    assert change.backup is not None
    assert change.backup.read_bytes() == OLD + b"// my change\n"
    assert change.backup.parent == file.parent
    assert change.backup.suffix not in {".ts", ".js"}


def test_no_backup_overwrites_another(extension: PiExtension, file: Path) -> None:
    backups = []
    for content in (OLD, OLD + b"// one\n", OLD + b"// two\n", OLD):
        put(file, content)
        backups.append(extension.install().backup)
    assert len(set(backups)) == 3
    assert backups[0] == backups[3]


@pytest.mark.parametrize("content", [FOREIGN, b"", b"\xff\xfe\x00", b"\n" + NEW])
def test_a_strangers_file_is_left_alone(extension: PiExtension, file: Path, content: bytes) -> None:
    put(file, content)
    for act in (extension.install, extension.uninstall):
        with pytest.raises(PiExtensionError, match="left alone"):
            act()
    assert file.read_bytes() == content
    assert extension.status().state is ExtensionState.FOREIGN


@pytest.mark.parametrize(
    ("content", "state", "version"),
    [
        (NEW, ExtensionState.INSTALLED, "2.0"),
        (b"\xef\xbb\xbf" + NEW, ExtensionState.OUTDATED, "2.0"),
        (NEW + b"// change", ExtensionState.OUTDATED, "2.0"),
        (OLD, ExtensionState.OUTDATED, "1.0"),
    ],
)
def test_status_tells_what_is_there(
    extension: PiExtension, file: Path, content: bytes, state: ExtensionState, version: str
) -> None:
    put(file, content)
    found = extension.status()
    assert (found.state, found.version, found.file) == (state, version, file)


def test_status_of_an_empty_machine_creates_nothing(
    extension: PiExtension, agent_dir: Path
) -> None:
    assert extension.status().state is ExtensionState.ABSENT
    assert not agent_dir.exists()


def test_uninstalling_leaves_no_trace(extension: PiExtension, file: Path) -> None:
    extension.install()
    assert extension.uninstall().changed
    assert not file.parent.exists()
    assert not extension.uninstall().changed


def test_uninstalling_keeps_a_changed_copy(extension: PiExtension, file: Path) -> None:
    put(file, OLD)
    change = extension.uninstall()
    assert change.backup is not None
    assert change.backup.read_bytes() == OLD
    assert not file.exists()


def test_a_folder_that_cannot_be_used_is_told(extension: PiExtension, agent_dir: Path) -> None:
    agent_dir.mkdir()
    (agent_dir / "extensions").write_text("a file where a folder belongs")
    for act in (extension.install, extension.uninstall, extension.status):
        with pytest.raises(PiExtensionError, match="cannot be used"):
            act()


def test_the_extension_carries_the_version_of_the_program() -> None:
    source = data_dir("assets") / "pi-extension" / "index.ts"
    first_line = source.read_text("utf-8").splitlines()[0]
    assert first_line == f"// ltm-tray pi extension, version {__version__}"
