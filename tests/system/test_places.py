"""Where the file lies can be wrong or full: each case is told apart, and ends by itself."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ltm_tray.backends.sqlite import SqliteStore, wal
from ltm_tray.desktop import DesktopActions, Places
from ltm_tray.domain.health import StoreState
from ltm_tray.fronts.agent.installer import PiExtension
from ltm_tray.fronts.tray.menu import TrayState
from ltm_tray.service import MemoryService
from tests.support.app import RunningApp
from tests.support.builders import a_memory
from tests.support.clock import TickingClock
from tests.support.damage import findings
from tests.support.switch import FakeSwitch
from tests.support.writer import ROOT, open_store

pytestmark = pytest.mark.skipif(os.name == "nt", reason="rights and limits as POSIX knows them")
NOBODY = 65_534


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memory" / "ltm.sqlite"


@pytest.fixture
def store(file: Path) -> Iterator[SqliteStore]:
    store = open_store(file)
    yield store
    store.close()


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that an unprivileged user can reach; root heeds no rights."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def as_a_user(program: str, *arguments: str) -> str:
    """Run a program without any privilege and return what it prints."""
    started = f"""
import os, resource, sys
from tests.support.builders import a_memory
from tests.support.writer import open_store, text_of
from pathlib import Path
file = Path(sys.argv[1])
if os.geteuid() == 0 and {"setuid" in program}:
    os.setgid({NOBODY})
    os.setuid({NOBODY})
"""
    done = subprocess.run(
        [sys.executable, "-c", started + program, *arguments],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def owned_by_a_user(*parts: Path) -> None:
    if os.geteuid() == 0:
        for part in parts:
            os.chown(part, NOBODY, NOBODY)


@pytest.mark.parametrize("which", ["folder", "file"])
def test_what_cannot_be_written_is_told_and_works_again_once_it_can(
    open_folder: Path, which: str
) -> None:
    file = open_folder / "memory" / "ltm.sqlite"
    store = open_store(file)
    store.remember(a_memory("Use tabs"))
    store.close()
    Path(f"{file}.lock").unlink()
    owned_by_a_user(file.parent, file)
    told = as_a_user(
        f"""
# setuid
closed, mode = {{"folder": (file.parent, 0o500), "file": (file, 0o400)}}[{which!r}]
was = closed.stat().st_mode
closed.chmod(mode)
store = open_store(file)
health = store.health()
print(health.ok, health.state, health.next_step)
closed.chmod(was)
print(store.health().ok, store.remember(a_memory("Use spaces")).id != "")
store.close()
""",
        str(file),
    )
    assert told.splitlines() == [
        "False read_only Make the file and its folder yours and writable; no restart is needed.",
        "True True",
    ]


FILL = """
def health(store):
    told = store.health()
    return told.ok, str(told.state)

store, saved = open_store(file), []
{before}
try:
    for number in range(10_000):
        saved.append(store.remember(a_memory(text_of("a", number) + " long" * 2_000)).id)
except Exception as error:
    print(type(error).__name__, error.state, *health(store))
{after}
print(*health(store), store.remember(a_memory("Use tabs")).id != "")
print(set(saved) <= {{item.id for item in store.items()}})
store.close()
"""


def test_a_file_that_must_not_grow_loses_nothing_and_goes_on_when_it_may(file: Path) -> None:
    limit = "resource.setrlimit(resource.RLIMIT_FSIZE, ({0}, resource.RLIM_INFINITY))"
    program = FILL.format(
        before=limit.format(900_000), after=limit.format("resource.RLIM_INFINITY")
    )
    told = as_a_user(program, str(file)).splitlines()
    assert told[0] in {
        "BackendUnavailable disk_full False disk_full",
        "BackendUnavailable disk_error False disk_error",
    }
    assert told[1:] == ["True ok True", "True"]
    assert findings(file) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of two megabytes."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)]
    if shutil.which("mount") is None or subprocess.run(mount, check=False).returncode:
        pytest.skip("Only root can mount a small disk, and only outside of a container.")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_loses_nothing_and_goes_on_when_there_is_room(small_disk: Path) -> None:
    file = small_disk / "memory" / "ltm.sqlite"
    ballast = f"Path({str(small_disk / 'ballast')!r})"
    program = FILL.format(
        before=f"{ballast}.write_bytes(bytes(800_000))", after=f"{ballast}.unlink()"
    )
    told = as_a_user(program, str(file)).splitlines()
    assert told == ["BackendUnavailable disk_full False disk_full", "True ok True", "True"]
    assert findings(file) == []


def as_a_folder(file: Path) -> None:
    file.mkdir()


def as_a_link(file: Path) -> None:
    (file.parent / "elsewhere").write_text("precious")
    file.symlink_to("elsewhere")


def as_text(file: Path) -> None:
    file.write_text("These are my notes.\n" * 500)


REPLACEMENTS: list[tuple[Callable[[Path], None], StoreState]] = [
    (as_a_folder, StoreState.NOT_A_FILE),
    (as_a_link, StoreState.LINK),
    (as_text, StoreState.NOT_A_DATABASE),
]


@pytest.mark.parametrize(("replace", "state"), REPLACEMENTS, ids=lambda value: str(value))
def test_what_takes_the_place_of_the_file_is_told_left_alone_and_shown_by_the_tray(
    file: Path,
    store: SqliteStore,
    tmp_path: Path,
    replace: Callable[[Path], None],
    state: StoreState,
) -> None:
    store.remember(a_memory("Use tabs"))
    file.unlink()
    replace(file)
    before = sorted((part.name, part.lstat().st_size) for part in file.parent.iterdir())
    health = store.health()
    assert (health.ok, health.state) == (False, state)
    assert str(file) in (health.detail or "")
    tray = shown_by_the_tray(store, tmp_path)
    assert (tray.status, tray.detail) == ("error", f"{health.detail} {health.next_step}")
    after = sorted((part.name, part.lstat().st_size) for part in file.parent.iterdir())
    assert [part for part in before if "sqlite-" not in part[0]] == [
        part for part in after if "sqlite-" not in part[0]
    ]


def shown_by_the_tray(store: SqliteStore, folder: Path) -> TrayState:
    actions = DesktopActions(
        MemoryService(store, switch=FakeSwitch(), clock=TickingClock()),
        places=Places(console_url="http://x", memory_dir=folder, log_file=folder / "log"),
        extension=PiExtension(folder / "agent", folder / "shipped.ts"),
        show=lambda _: None,
        end=lambda: None,
    )
    return actions.state()


def test_a_link_in_place_of_the_log_is_not_followed(file: Path, store: SqliteStore) -> None:
    file.parent.mkdir()
    victim = file.parent / "victim"
    victim.write_text("precious")
    wal.log_of(file).symlink_to(victim)
    assert store.health().state is StoreState.LINK
    assert victim.read_text() == "precious"


def test_the_console_says_what_is_wrong_and_what_to_do() -> None:
    with RunningApp("serve") as app:
        app.post("/remember", cwd="/w/a", content="The build needs Node 22")
        for part in app.memory_dir.glob("ltm.sqlite*"):
            part.unlink()
        (app.memory_dir / "ltm.sqlite").mkdir()
        health = app.get("/health").json
        assert (health["ok"], health["state"]) == (False, "not_a_file")
        answer = app.get("/recall", cwd="/w/a", q="node")
        assert (answer.status, answer.json["error"]) == (503, "backend_unavailable")
        assert health["nextStep"] in app.page("/recalls", status=503)
        assert "What to do" in app.page("/", status=503)
        (app.memory_dir / "ltm.sqlite").rmdir()
        assert app.get("/health").json["ok"] is True
        assert "What to do" not in app.page("/")
        assert app.end() == 0


def test_rights_that_others_have_are_taken_back_at_the_start_and_told() -> None:
    with RunningApp("serve") as app:
        app.post("/remember", cwd="/w/a", content="The build needs Node 22")
        app.patch("/settings", enabled=True)
        app.kill()
        (app.memory_dir / "backups").mkdir(mode=0o755)
        (app.memory_dir / "backups" / "one.sqlite").touch(0o644)
        parts = [app.memory_dir, *app.memory_dir.rglob("*")]
        for part in parts:
            part.chmod(0o755 if part.is_dir() else 0o644)
        app.start()
        health = app.get("/health").json
        assert (health["ok"], health["state"]) == (True, "noted")
        for part in (app.memory_dir, app.memory_dir / "ltm.sqlite", app.memory_dir / "logs"):
            assert f"{part};" in health["detail"]
        parts = [app.memory_dir, *app.memory_dir.rglob("*")]
        assert [part for part in parts if stat.S_IMODE(part.stat().st_mode) & 0o077] == []
        assert app.end() == 0
