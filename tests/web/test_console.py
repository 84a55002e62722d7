"""The console's pages show what is in the memory, and throw the switch."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.web import HERE, THERE, Web, a_web


def _page(web: Web, path: str = "/", **query: str) -> str:
    answer = web.client.get(path, query_string=query)
    assert (answer.status_code, answer.mimetype) == (200, "text/html")
    return answer.text


def _headings(page: str) -> list[str]:
    """The headings of the listed items, without their markup."""
    found = re.findall(r'class="entry-title">(.*?)</h\d>', page, re.DOTALL)
    return [re.sub(r"<[^>]+>", "", heading).strip() for heading in found]


def test_without_a_question_the_newest_items_of_all_projects_show(web: Web) -> None:
    web.remember("tea at four")
    web.remember("cake at five", cwd=THERE)
    web.observe("why is it slow?")
    assert _headings(_page(web)) == ["why is it slow?", "cake at five", "tea at four"]


def test_a_search_looks_in_all_projects_and_marks_what_matched(web: Web) -> None:
    web.remember("tea at four")
    web.remember("green tea at five", cwd=THERE)
    web.remember("cake")
    page = _page(web, q="tea")
    assert sorted(_headings(page)) == ["green tea at five", "tea at four"]
    assert page.count("<mark>tea</mark>") == 2
    assert "2 matches" in page


def test_a_search_of_the_console_is_not_in_the_recall_log(web: Web) -> None:
    _page(web, q="tea")
    assert web.service.recalls().entries == ()


def test_a_project_and_a_kind_can_be_chosen(web: Web) -> None:
    web.remember("tea at four")
    web.remember("tea at five", cwd=THERE)
    web.observe("where is the tea?")
    project = next(p.project_id for p in web.service.projects() if p.cwd == HERE)
    for q in ("", "tea"):
        page = _page(web, q=q, project=project, kind="memory")
        assert _headings(page) == ["tea at four"]
        assert f'value="{project}" selected' in page
        assert 'value="memory" checked' in page


def test_older_items_follow_on_the_next_page(web: Web) -> None:
    for number in range(60):
        web.observe(f"question {number}", leafId=f"leaf-{number}")
    first = _page(web)
    assert len(_headings(first)) == 50
    older = re.search(r'href="([^"]*cursor=[^"]*)"', first)
    assert older
    second = web.client.get(older[1].replace("&amp;", "&")).text
    assert _headings(second) == [f"question {number}" for number in range(9, -1, -1)]
    assert "cursor=" not in second


def test_a_long_text_goes_on_where_its_heading_ends(web: Web) -> None:
    text = "The importer hands each batch of rows to the writer over a queue of its own, and waits"
    web.remember(text)
    page = _page(web)
    (heading,) = _headings(page)
    body = re.search(r'<p class="text"[^>]*>(.*?)</p>', page)
    assert body
    assert heading.endswith("…")
    assert f"{heading.rstrip('…')} {body[1].lstrip('…')}".split() == text.split()


def test_the_stats_count_everything(web: Web) -> None:
    web.remember("tea at four")
    web.remember("cake", cwd=THERE)
    web.observe("why?")
    page = re.sub(r"\s+", " ", _page(web))
    assert '<dt>Memories</dt><dd data-count="memories">2</dd>' in page
    assert '<dt>Observations</dt><dd data-count="observations">1</dd>' in page
    assert '<dt>Projects</dt><dd data-count="projects">2</dd>' in page
    assert "sqlite, working" in page


def test_an_empty_memory_says_how_to_begin(web: Web) -> None:
    assert "Nothing is saved yet." in _page(web)


def test_a_search_without_a_match_repeats_what_was_searched_and_where(web: Web) -> None:
    web.remember("tea at four")
    assert "Nothing says “zebra”" in _page(web, q="zebra")
    assert "in any project" in _page(web, q="zebra")
    project = web.service.projects()[0].project_id
    assert f"in {HERE}" in _page(web, q="zebra", project=project)


def test_a_filter_without_a_match_is_not_an_empty_memory(web: Web) -> None:
    web.remember("tea at four")
    assert "Nothing here under this filter" in _page(web, kind="observation")


@pytest.mark.parametrize("query", [{"kind": "lunch"}, {"cursor": "yesterday"}])
def test_an_address_that_makes_no_sense_is_told_so(web: Web, query: dict[str, str]) -> None:
    answer = web.client.get("/", query_string=query)
    assert answer.status_code == 400
    assert next(iter(query)) in answer.text


def test_the_switch_is_thrown_and_the_first_page_shows_it(web: Web) -> None:
    answer = web.client.post("/settings/enabled", data={"enabled": "false"}, follow_redirects=True)
    assert answer.request.path == "/"
    assert web.switch.enabled is False
    assert "Long-term memory is off." in answer.text
    assert 'aria-checked="false"' in answer.text
    web.client.post("/settings/enabled", data={"enabled": "true"})
    assert web.switch.enabled is True
    assert "Long-term memory is off." not in _page(web)


def test_a_switch_thrown_in_the_console_shows_in_the_api(web: Web) -> None:
    web.client.post("/settings/enabled", data={"enabled": "false"})
    assert web.get("/settings").get_json()["enabled"] is False
    assert web.get("/recall", cwd=HERE, q="tea").get_json()["error"] == "ltm_disabled"


@pytest.mark.parametrize(
    "form", [{}, {"enabled": ""}, {"enabled": "maybe"}, {"enabled": ["true", "false"]}]
)
def test_the_switch_takes_only_one_true_or_false(web: Web, form: dict[str, object]) -> None:
    answer = web.client.post("/settings/enabled", data=form)
    assert (answer.status_code, answer.mimetype) == (400, "text/html")
    assert "enabled: must be true or false" in answer.text
    assert web.switch.enabled is True


@pytest.mark.parametrize("body", [b"\xff\xfe=%FF&enabled", b"enabled=%FF", b"&&&=", b"\0" * 9])
def test_a_form_of_any_bytes_is_the_senders_business(web: Web, body: bytes) -> None:
    answer = web.client.post(
        "/settings/enabled", data=body, content_type="application/x-www-form-urlencoded"
    )
    assert answer.status_code == 400


def test_a_form_too_large_is_refused(web: Web) -> None:
    answer = web.client.post("/settings/enabled", data={"enabled": "x" * 1_100_000})
    assert answer.status_code == 413


def test_a_pinned_switch_is_disabled_with_the_reason(web: Web) -> None:
    web.switch.pinned_by = "LTM_ENABLED"
    page = _page(web)
    assert re.search(r'<button type="submit" role="switch"[^>]* disabled', page)
    assert "set by LTM_ENABLED" in page
    assert web.client.post("/settings/enabled", data={"enabled": "false"}).status_code == 409


def test_the_banner_of_a_pinned_switch_says_how_to_unpin_it(web: Web) -> None:
    web.switch.pinned_by = "LTM_ENABLED"
    web.switch.enabled = False
    assert "unset it to use the switch" in _page(web)


@pytest.mark.parametrize("path", ["/", "/recalls", "/memories/mem_00000001"])
def test_the_banner_stands_on_every_page_while_the_memory_is_off(web: Web, path: str) -> None:
    web.remember("tea at four")
    web.switch.enabled = False
    page = _page(web, path)
    assert "Nothing is saved and nothing is recalled" in page
    assert "ltm-tray enable" in page


def test_what_is_wrong_is_told_in_plain_words(web: Web) -> None:
    web.switch.reported.append("The settings file cannot be read.")
    assert "The settings file cannot be read." in _page(web)


def test_a_memory_has_a_page_with_all_that_is_known(web: Web) -> None:
    memory_id = web.remember(
        "Deploy with make ship.\n\nIt needs the VPN." + " It takes a while." * 10,
        type="workflow",
        concepts=["deploy", "vpn"],
        files=["Makefile"],
        sessionId="s-7",
        sourceObservationIds=["obs_7"],
    )
    page = _page(web, f"/memories/{memory_id}")
    for shown in ("Deploy with make ship.\n\nIt needs", "workflow", "deploy, vpn", "Makefile"):
        assert shown in page
    for shown in (HERE, "s-7", "obs_7", memory_id):
        assert shown in page


def test_a_replaced_memory_leads_to_the_newer_one(web: Web) -> None:
    old = web.remember("the deploy host of the staging system is blue")
    new = web.remember("the deploy host of the staging system is blue now")
    page = _page(web, f"/memories/{old}")
    assert "A newer version took the place" in page
    assert f'href="/memories/{new}"' in page
    assert "2 versions" in page
    assert "A newer version" not in _page(web, f"/memories/{new}")


def test_an_observation_has_a_page_with_its_source(web: Web) -> None:
    observation_id = web.observe("why is it slow?", source={"tokens": 12, "name": "é"})
    page = _page(web, f"/observations/{observation_id}")
    assert "User: why is it slow?" in page
    assert "s-1" in page
    assert "&#34;name&#34;: &#34;é&#34;" in page


def test_what_was_asked_is_listed_with_what_it_got(web: Web) -> None:
    web.remember("tea at four")
    web.get("/recall", cwd=HERE, q="tea")
    web.get("/recall", cwd=HERE, q="zebra")
    page = _page(web, "/recalls")
    assert _headings(page) == ["zebra", "tea"]
    assert page.index("0 hits") < page.index("1 hit<")
    assert "by api" in page


def test_before_the_first_question_the_recalls_say_so(web: Web) -> None:
    assert "Nothing was asked yet." in _page(web, "/recalls")


def test_times_are_relative_with_the_exact_one_at_hand(web: Web) -> None:
    web.remember("tea at four")
    web.clock.advance(3 * 3_600)
    assert re.search(
        r'<time datetime="2026-01-02T03:04:05\.\d{3}Z" title="2 January 2026, [^"]+">3 hours ago<',
        _page(web),
    )


def test_static_files_are_cached_for_long_under_the_version_of_their_content(web: Web) -> None:
    sheet = re.search(r'<link rel="stylesheet" href="([^"]+)"', _page(web))
    assert sheet
    answer = web.client.get(sheet[1])
    assert answer.mimetype == "text/css"
    assert "max-age=31536000" in answer.headers["Cache-Control"]
    assert "immutable" in answer.headers["Cache-Control"]
    assert web.client.get("/static/app.css").headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("name", ["favicon.svg", "favicon.ico"])
def test_the_icon_is_served(web: Web, name: str) -> None:
    answer = web.client.get(f"/{name}")
    assert answer.status_code == 200
    assert (answer.mimetype or "").startswith("image/")
    assert answer.headers["Cache-Control"].endswith("max-age=86400")


@pytest.mark.parametrize(
    ("state", "says"),
    [
        ("absent", "ltm-tray pi install"),
        ("outdated", "ltm-tray pi install"),
        ("foreign", "ltm-tray pi status"),
        ("installed", "/reload"),
    ],
)
def test_the_first_page_says_how_pi_is_connected(tmp_path: Path, state: str, says: str) -> None:
    web = a_web(tmp_path, pi_state=state)
    card = _page(web).split('id="pi-title"')[1].split("</section>")[0]
    web.service.close()
    assert says in card


def test_where_that_cannot_be_told_the_page_is_silent_about_pi(tmp_path: Path) -> None:
    web = a_web(tmp_path, pi_state="")
    page = _page(web)
    web.service.close()
    assert "pi-title" not in page
