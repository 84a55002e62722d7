"""Starting, starting twice, and ending: what a person and a script meet."""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.support.app import RunningApp, free_port, ltm_tray
from tests.support.waiting import wait_until

POSIX_ONLY = pytest.mark.skipif(os.name == "nt", reason="signals as POSIX knows them")


def test_a_running_app_publishes_where_it_answers() -> None:
    with RunningApp("serve") as app:
        assert app.process is not None
        assert app.published == {
            "url": f"http://127.0.0.1:{app.port}",
            "pid": app.process.pid,
            "version": app.get("/health").json["version"],
        }
        assert app.published["url"] in app.output


def test_a_second_start_opens_the_console_and_ends_well(browser: Path) -> None:
    with RunningApp("serve") as app:
        for arguments in ([], ["serve"]):
            second = ltm_tray(*arguments)
            assert (second.returncode, second.stderr) == (0, "")
            assert app.published["url"] in second.stdout
        assert browser.read_text().split() == [app.published["url"]] * 2
        assert app.get("/health").status == 200


def test_open_and_status_find_the_running_app(browser: Path) -> None:
    with RunningApp("serve") as app:
        assert ltm_tray("open").returncode == 0
        assert browser.read_text().split() == [app.published["url"]]
        status = ltm_tray("status", "--json")
        assert status.returncode == 0
        state = json.loads(status.stdout)
        assert (state["running"], state["url"]) == (True, app.published["url"])
        assert state["pid"] == app.published["pid"]


def test_a_killed_app_leaves_nothing_that_hinders_the_next() -> None:
    with RunningApp("serve") as app:
        app.kill()
        assert app.published != {}
        assert ltm_tray("status").returncode == 5
        app.start()
        assert app.get("/health").status == 200


@pytest.mark.parametrize("answers", [False, True], ids=["silent", "another web server"])
def test_a_port_taken_by_another_program_is_passed_over(answers: bool) -> None:
    port = free_port()
    with socket.create_server(("127.0.0.1", port)) as other:
        if answers:
            threading.Thread(target=_answer_once, args=(other,), daemon=True).start()
        with RunningApp("serve", LTM_PORT=str(port)) as app:
            assert app.published["url"] != f"http://127.0.0.1:{port}"
            assert app.published["url"] in app.output
            assert app.get("/health").json["service"] == "ltm_tray"


def _answer_once(server: socket.socket) -> None:
    connection, _ = server.accept()
    with connection:
        connection.sendall(b"HTTP/1.0 200 OK\r\n\r\nhello")


@POSIX_ONLY
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_a_signal_ends_the_app_well_and_takes_back_what_it_published(name: str) -> None:
    with RunningApp("serve") as app:
        assert app.end(getattr(signal, name)) == 0
        assert app.published == {}
        assert "threads left: none" in app.log
        assert "ERROR" not in app.log
        assert "Traceback" not in app.output


@POSIX_ONLY
def test_a_request_that_runs_is_answered_before_the_end() -> None:
    with RunningApp("serve") as app:
        body = json.dumps({"cwd": "/w/a", "content": "The build needs Node 22"}).encode()
        head = (
            f"POST /api/memory/remember HTTP/1.1\r\nHost: 127.0.0.1:{app.port}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", app.port), timeout=20) as client:
            client.sendall(head.encode() + body)
            assert app.end() == 0
            answer = client.recv(65_536)
        assert b" 200 " in answer.split(b"\r\n")[0]


@POSIX_ONLY
def test_clients_that_stay_connected_do_not_hold_up_the_end() -> None:
    with RunningApp("serve") as app:
        clients = [socket.create_connection(("127.0.0.1", app.port)) for _ in range(20)]
        clients[0].sendall(b"GET / HTTP/1.1\r\nHost: half")
        assert app.end() == 0
        for client in clients:
            client.close()


@POSIX_ONLY
def test_a_program_that_keeps_the_database_locked_does_not_hold_up_the_end() -> None:
    with RunningApp("serve") as app:
        app.post("/remember", cwd="/w/a", content="The build needs Node 22")
        other = sqlite3.connect(app.memory_dir / "ltm.sqlite", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        app.get("/recall", cwd="/w/a", q="node")  # leaves a line for the recall log behind
        assert app.end() == 0
        other.close()


def test_without_a_display_the_app_runs_on_and_says_where_its_console_is() -> None:
    with RunningApp() as app:
        wait_until(lambda: "No tray icon" in app.output, "a word about the missing tray")
        assert app.get("/health").status == 200
        assert app.published["url"] in app.output
        assert "Traceback" not in app.output
        assert app.end() == 0


@pytest.mark.skipif(sys.platform != "linux", reason="needs the X Window System")
def test_a_display_that_does_not_answer_does_not_end_the_app() -> None:
    with RunningApp(display=":987") as app:
        wait_until(lambda: "No tray icon" in app.output, "a word about the missing tray")
        assert app.get("/health").status == 200
        assert app.end() == 0


@POSIX_ONLY
def test_everything_the_app_writes_is_private(monkeypatch: pytest.MonkeyPatch) -> None:
    old = os.umask(0o022)
    try:
        with RunningApp("serve") as app:
            app.post("/remember", cwd="/w/a", content="The build needs Node 22")
            app.patch("/settings", enabled=False)
            written = [app.memory_dir, *app.memory_dir.rglob("*")]
            open_to_others = [
                f"{file} {stat.S_IMODE(file.stat().st_mode):o}"
                for file in written
                if file.stat().st_mode & 0o077
            ]
    finally:
        os.umask(old)
    assert len(written) > 6
    assert open_to_others == []


def test_a_store_that_is_damaged_is_told_by_health_while_the_console_answers(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = home / "notes.sqlite"
    file.write_text("these are my notes, not a database\n" * 100)
    with RunningApp("serve", LTM_DB_PATH=str(file)) as app:
        health = app.get("/health").json
        assert health["ok"] is False
        assert str(file) in health["detail"]
        assert app.get("/recall", cwd="/w/a", q="node").status == 503
        assert app.end() == 0


def test_the_windowless_program_needs_no_standard_streams(home: Path) -> None:
    program = (
        "import sys\n"
        "sys.stdin = sys.stdout = sys.stderr = None\n"
        "from ltm_tray.__main__ import main\n"
        "sys.argv = ['ltm-trayw', 'save', 'Use pnpm', '--cwd', '/w/a']\n"
        "main()\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
    assert json.loads(ltm_tray("stats", "--cwd", "/w/a", "--json").stdout)["memoryCount"] == 1
