"""Exporting, importing and purging from the command line."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest
from click.testing import CliRunner, Result

from ltm_tray.fronts.cli.main import program
from tests.support.app import PROGRAM, RunningApp
from tests.support.archives import a_memory_line, a_project, an_export
from tests.support.nobody import without_privileges
from tests.support.waiting import wait_until

POSIX_ONLY = pytest.mark.skipif(os.name == "nt", reason="Windows has no file modes")


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(program, arguments, input=stdin)


def memory_dir() -> Path:
    return Path(os.environ["PI_CODING_AGENT_DIR"]) / "memory"


def save(text: str, cwd: str = "/w/a") -> str:
    result = run("save", text, "--cwd", cwd, "--json")
    return str(json.loads(result.stdout)["id"])


def start_empty(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(folder))


def test_a_memory_moves_to_another_machine_byte_for_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save("Übung: 部署脚本 🚀")
    save("The deploy host of the shop is blue", "/w/b")
    save("The deploy host of the shop is green", "/w/b")
    file = tmp_path / "memory.jsonl"
    assert run("export", str(file)).stdout == (
        f"Exported 3 memories, 0 observations, 2 projects to {file}\n"
    )
    start_empty(monkeypatch, tmp_path / "elsewhere")
    taken = run("import", str(file))
    assert taken.exit_code == 0, taken.output
    assert run("export").stdout_bytes == file.read_bytes()
    assert "green" in run("recall", "deploy host", "--cwd", "/w/b").stdout


def test_one_project_alone_can_be_exported() -> None:
    save("Here", "/w/a")
    save("There", "/w/b")
    assert len(run("export", "--cwd", "/w/a").stdout.splitlines()) == 3
    assert "There" not in run("export", "--cwd", "/w/a").stdout
    assert run("export", "--cwd", "").exit_code == 2


def test_a_forgotten_memory_is_in_no_export() -> None:
    forgotten = save("The heron key opens staging")
    save("We drink tea")
    run("forget", forgotten, "--cwd", "/w/a")
    exported = run("export").stdout
    assert "heron" not in exported
    assert "We drink tea" in exported


@POSIX_ONLY
def test_an_export_is_the_users_alone_and_replaces_an_older_one(tmp_path: Path) -> None:
    file = tmp_path / "memory.jsonl"
    run("export", str(file))
    file.chmod(0o644)
    save("New")
    run("export", str(file))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert '"New"' in file.read_text("utf-8")
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["memory.jsonl"]


def test_a_file_that_is_no_export_is_not_written_over(tmp_path: Path) -> None:
    database = memory_dir() / "ltm.sqlite"
    save("Precious")
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear")
    for target in (database, letter, tmp_path, tmp_path / "no" / "such" / "folder"):
        result = run("export", str(target))
        assert result.exit_code == 2, target
        assert "FILE" in result.stderr
    assert letter.read_text() == "Dear"
    assert "Precious" in run("export").stdout


def test_bad_lines_are_told_on_standard_error_with_an_exit_code_of_their_own() -> None:
    data = an_export(a_project(), a_memory_line("mem_1", type="\x1b[31m"), a_memory_line("mem_2"))
    result = run("import", "-", stdin=data)
    assert result.exit_code == 6
    assert "Line 3: " in result.stderr
    assert "\x1b" not in result.stderr
    assert "1 memory" in result.stdout
    told = json.loads(run("import", "-", "--json", stdin=data).stdout)
    assert (told["bad"], told["known"], told["badLines"][0]["line"]) == (1, 2, 3)


def test_a_dry_run_imports_nothing() -> None:
    data = an_export(a_project(), a_memory_line())
    assert "Would be new" in run("import", "-", "--dry-run", stdin=data).stdout
    assert run("export").stdout.count("\n") == 1


def test_what_is_no_export_or_not_there_is_one_sentence(tmp_path: Path) -> None:
    for arguments, stdin in ((("import", "-"), b"PK"), (("import", str(tmp_path / "none")), None)):
        result = run(*arguments, stdin=stdin)
        assert result.exit_code == 2
        assert "Traceback" not in result.output


def test_while_memory_is_off_an_import_is_refused_and_an_export_works() -> None:
    save("Kept")
    run("disable")
    assert run("import", "-", stdin=an_export(a_project())).exit_code == 3
    assert "Kept" in run("export").stdout


@pytest.fixture
def read_only() -> Iterator[Path]:
    """An agent directory that an ordinary user can be kept from writing to."""
    folder = Path(mkdtemp(prefix="ltm-test-"))
    yield folder
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            path.chmod(0o700)
    shutil.rmtree(folder)


@POSIX_ONLY
def test_an_export_works_where_nothing_may_be_written(
    read_only: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_empty(monkeypatch, read_only)
    with RunningApp("serve") as app:  # killed at the end: its last saves stand in the log alone
        app.post("/remember", cwd="/w/a", content="Saved just before the end")
    before = run("export", "--cwd", "/w/a")
    held = {path: path.read_bytes() for path in memory_dir().glob("ltm.sqlite*")}
    with without_privileges(read_only):
        for path in held:
            path.chmod(0o400)
        memory_dir().chmod(0o500)
        result = run("export", "--cwd", "/w/a")
        rehearsed = run("import", "-", "--dry-run", stdin=result.stdout_bytes)
    assert result.exit_code == 0, result.output
    assert result.stdout_bytes == before.stdout_bytes
    assert "Saved just before the end" in result.stdout
    assert "Known already     2" in rehearsed.stdout
    assert {path: path.read_bytes() for path in memory_dir().glob("ltm.sqlite*")} == held


@POSIX_ONLY
def test_an_import_that_was_killed_is_completed_by_a_second_one(tmp_path: Path) -> None:
    records = [a_memory_line(f"mem_{n}", f"Note {n} says {n * n}") for n in range(4_000)]
    file = tmp_path / "memory.jsonl"
    file.write_bytes(an_export(a_project(), *records))
    process = subprocess.Popen([*PROGRAM, "import", str(file)], stdout=subprocess.DEVNULL)
    wait_until(lambda: run("export").stdout.count("\n") > 300, "some of it is in")
    process.kill()
    process.wait()
    after_kill = run("export").stdout.splitlines()
    assert 300 < len(after_kill) < 4_002
    assert [json.loads(line)["id"] for line in after_kill[2:]] == [
        f"mem_{n}" for n in range(len(after_kill) - 2)
    ]
    assert run("import", str(file)).exit_code == 0
    assert run("export").stdout.count("\n") == 4_002


def test_a_purge_asks_first_and_takes_silence_for_no() -> None:
    save("The deploy host of the shop is blue")
    save("The deploy host of the shop is green")
    for answer in ("n\n", ""):
        result = run("purge", stdin=answer)
        assert result.exit_code == 2
        assert "Earlier versions                       1" in result.stderr
        assert "Nothing was removed" in result.stderr
    assert "blue" in run("export").stdout
    assert run("purge", stdin="y\n").exit_code == 0
    assert "blue" not in run("export").stdout


def test_a_dry_run_of_a_purge_tells_what_the_settings_would_delete(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    save("The deploy host of the shop is blue")
    save("The deploy host of the shop is green")
    plan = json.loads(run("purge", "--dry-run", "--json").stdout)
    assert (plan["dryRun"], plan["versions"], plan["observations"]) == (True, 1, 0)
    kept = json.loads(run("purge", "--dry-run", "--json", "--forgotten-only").stdout)
    assert kept["versions"] == 0
    monkeypatch.setenv("LTM_OBSERVATIONS_MAX_COUNT", "1")
    assert "Observations beyond the limits         0" in run("purge", "--dry-run").stdout
    assert "blue" in run("export").stdout


def test_backups_are_named_by_a_purge_and_removed_by_its_option() -> None:
    save("Something")
    backup = memory_dir() / "backups" / "ltm-2026-01-01.sqlite"
    backup.parent.mkdir()
    backup.write_bytes(b"what it held")
    told = run("purge", "--yes")
    assert "1 older copy of the database" in told.stdout
    assert "backups/ltm-2026-01-01.sqlite" in told.stdout
    assert backup.exists()
    assert run("purge", "--yes", "--backups").exit_code == 0
    assert not backup.exists()


def test_a_purge_cleans_up_under_the_running_app_which_then_goes_on() -> None:
    with RunningApp("serve") as app:
        secret = app.post("/remember", cwd="/w/a", content="The mandragora opens staging").json
        app.post("/forget", cwd="/w/a", memoryIds=[secret["id"]])
        assert b"mandragora" in b"".join(f.read_bytes() for f in memory_dir().glob("ltm.sqlite*"))
        assert run("purge", "--yes").exit_code == 0
        for file in memory_dir().rglob("*"):
            assert not file.is_file() or b"mandragora" not in file.read_bytes(), file
        saved = app.post("/remember", cwd="/w/a", content="We drink tea").json
        hits = app.get("/recall", cwd="/w/a", q="tea").json["hits"]
        assert [hit["id"] for hit in hits] == [saved["id"]]
