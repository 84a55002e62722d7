"""Attacks from a page of another origin in a real browser; numbers as in the table of attacks."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ltm_tray.domain.requests import RememberRequest
from tests.support.need import need
from tests.support.waiting import wait_until
from tests.support.web import HERE, Web, served
from tests.support.wire import get

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

EVIL = "evil.test"
SECRET = RememberRequest(cwd=HERE, content="the secret of the tea")


class _EvilPage(BaseHTTPRequestHandler):
    """An empty page that anyone might serve."""

    def do_GET(self) -> None:
        body = b"<!doctype html><title>evil</title><link rel=icon href=data:,><body>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def _evil_server() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _EvilPage)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(scope="module")
def gullible() -> Iterator[Browser]:
    """A browser to which every evil name is this machine."""
    need("chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium",
            args=["--no-sandbox", f"--host-resolver-rules=MAP {EVIL} 127.0.0.1"],
        )
        yield browser
        browser.close()


class Attack:
    """The victim with one memory, and an evil page open beside it."""

    def __init__(self, web: Web, port: int, page: Page) -> None:
        self.web = web
        self.port = port
        self.page = page
        self.at = f"http://127.0.0.1:{port}"

    def run(self, script: str) -> Any:
        """Run a script of the evil page with the victim's address; return what it gives."""
        return self.page.evaluate(script, [self.at, HERE])

    def nothing_happened(self) -> None:
        """Ask the victim once more, so that what was sent before has arrived, and look."""
        assert get(self.port, "/api/memory/health", f"Host: 127.0.0.1:{self.port}").status == 200
        assert self.web.switch.enabled is True
        assert self.web.counts() == (1, 0)
        assert self.web.service.recalls().entries == ()


@pytest.fixture(params=["another name", "another port"])
def attack(request: pytest.FixtureRequest, gullible: Browser, tmp_path: Path) -> Iterator[Attack]:
    with served(tmp_path) as (web, server), _evil_server() as evil_port:
        web.service.remember(SECRET)
        context = gullible.new_context()
        page = context.new_page()
        host = EVIL if request.param == "another name" else "127.0.0.1"
        page.goto(f"http://{host}:{evil_port}/")
        yield Attack(web, server.port, page)
        context.close()


SAVE = "JSON.stringify({cwd, content: 'planted'})"
FETCHES = {
    "no-cors text": f"""fetch(at + '/api/memory/remember', {{method: 'POST', mode: 'no-cors',
        headers: {{'Content-Type': 'text/plain'}}, body: {SAVE}}})""",
    "no-cors without a type": f"""fetch(at + '/api/memory/remember', {{method: 'POST',
        mode: 'no-cors', body: new Blob([{SAVE}])}})""",
    "cors JSON": f"""fetch(at + '/api/memory/remember', {{method: 'POST',
        headers: {{'Content-Type': 'application/json'}}, body: {SAVE}}})""",
    "cors switch": """fetch(at + '/api/memory/settings', {method: 'PATCH',
        headers: {'Content-Type': 'application/json'}, body: '{"enabled": false}'})""",
    "cors forget": """fetch(at + '/api/memory/forget', {method: 'POST',
        headers: {'Content-Type': 'application/json'},
        body: JSON.stringify({cwd, memoryIds: ['mem_00000001']})})""",
    "no-cors switch": """fetch(at + '/settings/enabled', {method: 'POST', mode: 'no-cors',
        headers: {'Content-Type': 'application/x-www-form-urlencoded'}, body: 'enabled=false'})""",
    "reading recall": "fetch(at + '/api/memory/recall?q=tea&cwd=' + encodeURIComponent(cwd))",
    "reading a page": "fetch(at + '/?q=tea')",
}


@pytest.mark.parametrize("name", FETCHES)
def test_12_a_fetch_of_another_page_reads_and_stores_nothing(attack: Attack, name: str) -> None:
    read = attack.run(
        f"""async ([at, cwd]) => {{
          try {{ return await (await {FETCHES[name]}).text(); }} catch (error) {{ return ''; }}
        }}"""
    )
    assert read == ""
    attack.nothing_happened()


def test_12_a_beacon_stores_nothing(attack: Attack, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    attack.run(
        f"""([at, cwd]) => navigator.sendBeacon(at + '/api/memory/remember',
              new Blob([{SAVE}], {{type: 'text/plain'}}))"""
    )
    wait_until(lambda: "POST '/api/memory/remember' 403" in caplog.text, "the beacon is refused")
    attack.nothing_happened()


@pytest.mark.parametrize("path", ["/favicon.svg", "/favicon.ico", "/static/app.css"])
def test_14_an_image_of_ours_does_not_even_tell_that_we_are_there(
    attack: Attack, path: str
) -> None:
    seen = attack.page.evaluate(
        """(url) => new Promise((done) => {
          const image = new Image();
          image.onload = () => done('seen');
          image.onerror = () => done('nothing');
          image.src = url;
        })""",
        attack.at + path,
    )
    assert seen == "nothing"


def test_12_a_script_of_ours_cannot_be_loaded(attack: Attack) -> None:
    loaded = attack.page.evaluate(
        """(url) => new Promise((done) => {
          const script = document.createElement('script');
          script.onload = () => done('loaded');
          script.onerror = () => done('nothing');
          script.src = url;
          document.body.append(script);
        })""",
        attack.at + "/api/memory/health",
    )
    assert loaded == "nothing"


def test_12_a_web_socket_does_not_open(attack: Attack) -> None:
    opened = attack.run(
        """([at]) => new Promise((done) => {
          const socket = new WebSocket(at.replace('http', 'ws') + '/api/memory/recall');
          socket.onopen = () => done('open');
          socket.onerror = () => done('refused');
        })"""
    )
    assert opened == "refused"
    attack.nothing_happened()


def test_16_a_page_of_ours_does_not_show_in_a_frame(attack: Attack) -> None:
    attack.run(
        """([at]) => new Promise((done) => {
          const frame = document.createElement('iframe');
          frame.onload = done;
          frame.src = at + '/?q=tea';
          document.body.append(frame);
        })"""
    )
    frames = [frame for frame in attack.page.frames if frame is not attack.page.main_frame]
    assert len(frames) == 1
    assert "secret" not in frames[0].content()
    attack.nothing_happened()


FORMS = {
    "the switch": ("/settings/enabled", "application/x-www-form-urlencoded", "enabled", "false"),
    "JSON in disguise": (
        "/api/memory/remember",
        "text/plain",
        f'{{"cwd":"{HERE}","content":"planted","x":"',
        '"}',
    ),
    "many parts": ("/api/memory/remember", "multipart/form-data", "content", "planted"),
}


@pytest.mark.parametrize("framed", [False, True])
@pytest.mark.parametrize("name", FORMS)
def test_6_a_form_of_another_page_changes_nothing(attack: Attack, name: str, framed: bool) -> None:
    path, kind, field, value = FORMS[name]
    with attack.page.expect_response(lambda answer: answer.url == attack.at + path) as sent:
        attack.page.evaluate(
            """([url, kind, field, value, framed]) => {
              const form = Object.assign(document.createElement('form'),
                {action: url, method: 'post', enctype: kind});
              if (framed) {
                document.body.append(Object.assign(
                  document.createElement('iframe'), {name: 'inside'}));
                form.target = 'inside';
              }
              form.append(Object.assign(
                document.createElement('input'), {type: 'hidden', name: field, value}));
              document.body.append(form);
              form.submit();
            }""",
            [attack.at + path, kind, field, value, framed],
        )
    assert sent.value.status == 403
    attack.nothing_happened()


def test_2_a_rebound_name_reads_and_stores_nothing(gullible: Browser, tmp_path: Path) -> None:
    with served(tmp_path) as (web, server):
        web.service.remember(SECRET)
        context = gullible.new_context()
        page = context.new_page()
        for path in ("/", "/?q=tea", "/static/app.css", "/api/memory/health", "/nope"):
            answer = page.goto(f"http://{EVIL}:{server.port}{path}")
            assert answer is not None
            assert answer.status == 403
            assert "secret" not in answer.text()
        attack = Attack(web, server.port, page)
        attack.at = f"http://{EVIL}:{server.port}"
        # The browser takes these for requests of the page to its own server.
        for fetch in FETCHES.values():
            status = attack.run(f"async ([at, cwd]) => (await {fetch}).status")
            assert status == 403
        attack.nothing_happened()
        context.close()


def test_15_a_link_from_another_page_opens_the_console(attack: Attack) -> None:
    attack.run(
        """([at]) => {
          const link = Object.assign(
            document.createElement('a'), {href: at + '/?q=tea', text: 'x'});
          document.body.append(link);
        }"""
    )
    attack.page.get_by_text("x", exact=True).click()
    attack.page.get_by_text("the secret of the").first.wait_for()
