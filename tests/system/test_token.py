"""With a required token: the app keeps strangers out, its own programs and browsers get in."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.support.app import RunningApp, ltm_tray
from tests.support.fake_app import FakeApp
from tests.support.fake_llm import FakeLlm, ToolCall
from tests.support.pi import Pi
from tests.support.pi_install import InstalledPi
from tests.support.stage import Stage

TOKEN = "t" * 43
TOKEN_REQUIRED = {"LTM_REQUIRE_TOKEN": "true"}


def token_file() -> Path:
    return Path(os.environ["PI_CODING_AGENT_DIR"]) / "memory" / "ltm-tray.token"


def keep(token: str) -> None:
    token_file().parent.mkdir(parents=True, exist_ok=True)
    token_file().write_text(token)
    token_file().chmod(0o600)


def publish(url: str, pid: int) -> None:
    instance = {"url": url, "pid": pid, "version": "0"}
    (token_file().parent / "ltm-tray.json").write_text(json.dumps(instance))


@pytest.fixture
def locked() -> Iterator[RunningApp]:
    with RunningApp("serve", **TOKEN_REQUIRED) as app:
        yield app


def visit(address: str, cookie: str = "") -> tuple[int, str, str]:
    """Open an address as a browser does; return status, new cookie, and page or next address."""
    place = urlsplit(address)
    connection = HTTPConnection(place.hostname or "", place.port, timeout=20)
    connection.request("GET", f"{place.path}?{place.query}", headers={"Cookie": cookie})
    answer = connection.getresponse()
    text = answer.getheader("Location") or answer.read().decode()
    connection.close()
    return answer.status, (answer.getheader("Set-Cookie") or "").partition(";")[0], text


def test_the_token_is_kept_privately_over_restarts_and_opens_the_api(locked: RunningApp) -> None:
    token = token_file().read_text().strip()
    if os.name != "nt":
        assert stat.S_IMODE(token_file().stat().st_mode) == 0o600
    assert locked.get("/settings").status == 401
    locked.headers["Authorization"] = f"Bearer {token}"
    assert locked.post("/remember", cwd="/w/a", content="Tea is at four.").status == 200
    assert locked.end() == 0
    locked.start()
    assert locked.get("/recall", cwd="/w/a", q="tea").json["hits"]


def test_open_and_a_second_start_lead_in_by_links_that_nobody_can_use_again(
    locked: RunningApp, browser: Path
) -> None:
    url = locked.published["url"]
    assert "ltm-tray open" in locked.output
    assert "This console is locked" in visit(f"{url}/")[2]
    for arguments in (["open"], [], ["serve"]):
        ran = ltm_tray(*arguments)
        assert (ran.returncode, ran.stderr) == (0, "")
        assert "once" not in ran.stdout
    links = browser.read_text().split()
    assert len({*links}) == 3
    for link in links:
        assert link.startswith(f"{url}/login?once=")
        status, cookie, led_to = visit(link)
        assert (status, led_to) == (303, "/")
        assert "Search the memory" in visit(f"{url}/", cookie)[2]
        assert visit(link)[0] == 401
    told = locked.log + locked.output
    for secret in ("once", token_file().read_text().strip(), cookie.partition("=")[2]):
        assert secret not in told


def test_the_commands_need_no_token(locked: RunningApp) -> None:
    assert ltm_tray("save", "Tea is at four.", "--cwd", "/w/a").returncode == 0
    assert "Tea" in ltm_tray("recall", "tea", "--cwd", "/w/a").stdout
    assert json.loads(ltm_tray("status", "--json").stdout)["running"] is True


def test_a_token_file_that_cannot_be_made_is_told_and_nothing_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (token_file() / "inside").mkdir(parents=True)
    monkeypatch.setenv("LTM_REQUIRE_TOKEN", "true")
    ran = ltm_tray("serve")
    assert ran.returncode == 4
    assert str(token_file().parent) in ran.stderr


@pytest.fixture
def stage(oldest: InstalledPi, silent_port: int, tmp_path: Path) -> Stage:
    return Stage(oldest, cwd=tmp_path / "project", port=silent_port)


@pytest.mark.slow
def test_the_extension_shows_the_token_of_its_user(stage: Stage, locked: RunningApp) -> None:
    with stage:
        stage.start()
        assert stage.look()["status"] == "ltm: on"
        assert stage.tool("memory_save", content="Tea is at four.").startswith("Saved as mem_")
        token_file().rename(token_file().with_name("elsewhere"))
        assert "requires a token" in stage.tool("memory_recall", query="tea")


@pytest.mark.slow
def test_the_extension_shows_the_token_to_none_but_an_app_that_lives(
    oldest: InstalledPi, tmp_path: Path
) -> None:
    keep(TOKEN)
    dead = 2**22 + 1  # more than a process id can be
    with FakeApp() as ours, FakeApp() as other:
        for pid in (dead, os.getpid()):
            publish(ours.url, pid)
            with Stage(oldest, cwd=tmp_path / "project", port=other.port) as stage:
                stage.start()
    assert set(ours.shown) == {None, f"Bearer {TOKEN}"}
    assert ours.shown == sorted(ours.shown, key=bool)
    assert set(other.shown) <= {None}


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_real_pi_remembers_where_a_token_is_required(
    oldest: InstalledPi, llm: FakeLlm, silent_port: int, locked: RunningApp, tmp_path: Path
) -> None:
    pi = Pi(oldest, llm, tmp_path / "project", silent_port)
    pi.install_extension()
    save = ToolCall("memory_save", {"content": "Tea is at four."})
    llm.script = {"Remember": [save, ToolCall("memory_recall", {"query": "tea"}), "Done."]}
    assert pi.says("Remember") == "Done."
    assert "Tea is at four." in llm.asked[-1].results[1]
