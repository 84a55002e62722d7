"""One app per user: who holds the lock, and whose word about an address is believed."""

from __future__ import annotations

import json
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from ltm_tray.bootstrap import load_settings
from ltm_tray.instance import Instance, InstanceLock, running_instance, wait_for_instance
from ltm_tray.paths import Paths


@pytest.fixture
def paths() -> Paths:
    return load_settings().paths


@contextmanager
def answering(body: bytes) -> Iterator[str]:
    """A web server that answers everything with the same body."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def held(paths: Paths, url: str | None = None) -> Iterator[Instance]:
    instance = Instance(url=url or "http://127.0.0.1:9", pid=1, version="1.2.3")
    lock = InstanceLock(paths)
    assert lock.acquire()
    try:
        if url:
            lock.publish(instance)
        yield instance
    finally:
        lock.withdraw()
        lock.close()


def test_only_one_can_hold_the_lock(paths: Paths) -> None:
    with held(paths):
        assert not InstanceLock(paths).acquire()
    second = InstanceLock(paths)
    assert second.acquire()
    second.close()


def test_a_killed_holder_leaves_no_lock(paths: Paths) -> None:
    program = (
        "from ltm_tray.bootstrap import load_settings\n"
        "from ltm_tray.instance import InstanceLock\n"
        "lock = InstanceLock(load_settings().paths)\n"
        "assert lock.acquire(); print('held', flush=True); input()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        assert not InstanceLock(paths).acquire()
        holder.kill()
    lock = InstanceLock(paths)
    assert lock.acquire()
    lock.close()


def test_without_any_app_none_is_found_and_nothing_is_created(paths: Paths) -> None:
    assert running_instance(paths) is None
    assert not paths.memory_dir.exists()


def test_an_app_that_answers_is_found(paths: Paths) -> None:
    with answering(b'{"service": "ltm_tray", "ok": true}') as url, held(paths, url) as instance:
        assert running_instance(paths) == instance
    assert running_instance(paths) is None
    assert not paths.discovery_file.exists()


def test_what_an_app_published_is_private_and_whole(paths: Paths) -> None:
    with held(paths, "http://127.0.0.1:9") as instance:
        assert json.loads(paths.discovery_file.read_text("utf-8")) == {
            "url": instance.url,
            "pid": instance.pid,
            "version": instance.version,
        }
        if sys.platform != "win32":
            assert stat.S_IMODE(paths.discovery_file.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "body", [b'{"service": "other"}', b"<html>", b"[]", b"\xff", b"[" * 100_000, b""]
)
def test_another_program_on_the_address_is_not_taken_for_ours(paths: Paths, body: bytes) -> None:
    with answering(body) as url, held(paths, url):
        assert running_instance(paths) is None


def test_an_address_that_is_silent_is_given_up_on(paths: Paths) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        held(paths, f"http://127.0.0.1:{silent.getsockname()[1]}"),
    ):
        assert running_instance(paths) is None


def test_an_address_that_is_gone_is_given_up_on(paths: Paths) -> None:
    with held(paths, "http://127.0.0.1:9"):
        assert running_instance(paths) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"url": 1}', '{"url": "http://127.0.0.1:x"}'])
def test_a_file_that_says_nothing_useful_leads_nowhere(paths: Paths, text: str) -> None:
    with held(paths):
        paths.discovery_file.write_text(text)
        assert running_instance(paths) is None


def test_an_address_published_without_the_lock_is_not_believed(paths: Paths) -> None:
    with answering(b'{"service": "ltm_tray"}') as url:
        paths.memory_dir.mkdir(parents=True)
        InstanceLock(paths).publish(Instance(url=url, pid=1, version="1"))
        assert running_instance(paths) is None


def test_an_app_that_is_just_starting_is_waited_for(paths: Paths) -> None:
    with answering(b'{"service": "ltm_tray"}') as url, held(paths):
        found: list[Instance | None] = []
        waiting = threading.Thread(
            target=lambda: found.append(wait_for_instance(paths, timeout_s=20))
        )
        waiting.start()
        InstanceLock(paths).publish(Instance(url=url, pid=1, version="1"))
        waiting.join()
    assert found == [Instance(url=url, pid=1, version="1")]


def test_waiting_ends_when_no_app_comes(paths: Paths) -> None:
    assert wait_for_instance(paths, timeout_s=0) is None
