"""The console's lists, item pages, figures and exports show what the store holds."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from collections.abc import Iterator

import pytest

from ltm_tray.domain.memory import RecallQuery
from ltm_tray.fronts.web.exporting import guarded
from tests.support.sample import KESTREL, Sample, fill
from tests.support.web import HERE, Web, a_web


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Web, Sample]]:
    web = a_web(tmp_path_factory.mktemp("filled"))
    yield web, fill(web)
    web.service.close()


def _text(web: Web, path: str, **query: str) -> str:
    """What a reader sees of a page, white space folded."""
    answer = web.client.get(path, query_string=query)
    assert answer.status_code == 200, answer.text
    main = answer.text[answer.text.index("<main") :]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", main))


def _headings(web: Web, **query: str) -> list[str]:
    page = web.client.get("/", query_string=query).text
    found = re.findall(r'class="entry-title">(.*?)</h\d>', page, re.DOTALL)
    return [re.sub(r"<[^>]+>", "", heading).strip() for heading in found]


def test_a_type_and_days_narrow_what_is_listed(filled: tuple[Web, Sample]) -> None:
    web = filled[0]
    assert len(_headings(web, type="bug")) == 3
    assert _headings(web, type="bug", since="2026-01-11", until="2026-01-14") == [
        "The date picker was off by one day because it parsed local midnight."
    ]
    assert _headings(web, q="date picker", type="bug", until="2026-01-05") == []


def test_each_filter_says_how_much_it_would_show(filled: tuple[Web, Sample]) -> None:
    text = _text(filled[0], "/", kind="memory")
    assert "Everything 21 Memories 14 Observations 7" in text
    assert "bug (3)" in text
    assert f"{KESTREL} (5)" in text


def test_hits_can_be_listed_newest_first(filled: tuple[Web, Sample]) -> None:
    web = filled[0]
    best, newest = _headings(web, q="importer"), _headings(web, q="importer", sort="newest")
    assert sorted(best) == sorted(newest)
    assert best != newest


def test_hits_say_why_they_are_there(filled: tuple[Web, Sample]) -> None:
    text = _text(filled[0], "/", q="deploy vpn")
    assert "Why this hit" in text
    assert "“vpn” once here" in text
    assert "2 of 2 words" in text
    assert "saved on purpose" in text


def test_all_matches_can_be_reached_newest_first(web: Web) -> None:
    for number in range(120):
        web.observe(f"tea question {number}", leafId=f"leaf-{number}")
    address, seen = "/?q=tea&sort=newest", []
    while address:
        page = web.client.get(address).text
        seen += re.findall(r"question (\d+)\s*</a>", page)
        older = re.search(r'href="([^"]*cursor=[^"]*)" rel="next"', page)
        address = older[1].replace("&amp;", "&") if older else ""
    assert seen == [str(number) for number in range(119, -1, -1)]


def test_an_export_of_a_question_holds_all_that_it_finds(web: Web) -> None:
    for number in range(120):
        web.observe(f"tea question {number}", leafId=f"leaf-{number}")
        web.observe(f"coffee question {number}", leafId=f"bean-{number}")
    for sort in ("", "newest"):
        found = web.client.get(f"/export.json?q=tea&sort={sort}").get_json()
        assert [item["title"] for item in found] == [
            f"tea question {n}" for n in range(119, -1, -1)
        ]


@pytest.mark.parametrize(
    "query", [{"type": "lunch"}, {"since": "soon"}, {"until": "9999-12-31"}, {"sort": "up"}]
)
def test_a_filter_that_makes_no_sense_is_told_so(web: Web, query: dict[str, str]) -> None:
    answer = web.client.get("/", query_string={"q": "tea", **query})
    assert answer.status_code == 400
    assert "Start anew" in answer.text


def test_a_recall_shows_its_hits_as_they_are_now(web: Web) -> None:
    old = web.remember("the deploy host of the staging system is blue")
    gone = web.remember("deploy on Fridays never")
    web.get("/recall", cwd=HERE, q="deploy")
    web.remember("the deploy host of the staging system is blue now")
    web.post("/forget", {"cwd": HERE, "memoryIds": [gone]})
    text = _text(web, "/recalls/1")
    assert "2 hits" in text
    assert "a newer version took its place since" in text
    assert "Forgotten since" in text
    assert f'href="/memories/{old}"' in web.client.get("/recalls/1").text


def test_questions_that_found_nothing_can_be_told_apart(filled: tuple[Web, Sample]) -> None:
    text = _text(filled[0], "/recalls", empty="1", source="cli")
    assert "oauth login" in text
    assert "how do we deploy" not in text


def test_a_recall_that_is_not_in_the_log_is_not_found(web: Web) -> None:
    for number in ("1", "9" * 30):
        assert web.client.get(f"/recalls/{number}").status_code == 404


def test_older_recalls_follow_on_the_next_page(web: Web) -> None:
    for number in range(55):
        web.get("/recall", cwd=HERE, q=f"tea{number}")
    first = web.client.get("/recalls").text
    older = re.search(r'href="(/recalls\?before=\d+)"', first)
    assert older
    second = web.client.get(older[1]).text
    assert (first.count('class="entry"'), second.count('class="entry"')) == (50, 5)


def test_a_memory_shows_what_each_version_changed(filled: tuple[Web, Sample]) -> None:
    web, sample = filled
    page = web.client.get(f"/memories/{sample.versioned}").text
    assert "3 versions" in page
    assert "<del>blue</del><ins>green</ins>" in page
    assert "<del>the</del><ins>no</ins>" in page


def test_an_item_says_where_it_was_recalled(filled: tuple[Web, Sample]) -> None:
    web, sample = filled
    assert "how do we deploy by pi" in _text(web, f"/memories/{sample.versioned}")
    assert "Nobody got it" in _text(web, f"/memories/{sample.long}")


def test_an_item_can_be_had_as_json(filled: tuple[Web, Sample]) -> None:
    web, sample = filled
    page = web.client.get(f"/memories/{sample.versioned}").text
    address = re.search(r'<a href="(/memories/[^"]+)">Open as JSON', page)
    assert address
    assert web.client.get(address[1]).get_json()["concepts"] == ["deploy", "vpn"]


def test_projects_are_listed_with_their_figures(filled: tuple[Web, Sample]) -> None:
    text = _text(filled[0], "/projects")
    assert "5 memories 4 observations" in text
    assert KESTREL in text


def test_a_project_shows_its_own_figures_and_items(filled: tuple[Web, Sample]) -> None:
    web, sample = filled
    text = _text(web, f"/projects/{sample.kestrel}")
    assert "Memories 5" in text
    assert "The deploy host of the staging system" in text
    assert "date picker" not in text
    assert web.client.get("/projects/proj_unknown").status_code == 404


@pytest.mark.parametrize("days", ["30", "90", "365", "lunch"])
def test_the_stats_draw_what_they_also_tell_in_tables(
    filled: tuple[Web, Sample], days: str
) -> None:
    page = filled[0].client.get("/stats", query_string={"days": days}).text
    drawn = re.findall(r"<title>[^<]*: (\d+) memories</title>", page)
    table = page[page.index('id="saved-title"') :]
    told = re.findall(r'</th><td class="number">(\d+)</td>', table[: table.index("</table>")])
    assert sum(map(int, drawn)) == sum(map(int, told)) == 16


def test_the_settings_tell_value_origin_and_health(filled: tuple[Web, Sample]) -> None:
    text = _text(filled[0], "/settings")
    assert "Long-term memory is on enabled yes default" in text
    assert "sqlite, working" in text
    assert "9.9.9" in text
    assert "Not connected" in text


def test_the_counts_are_a_small_document(filled: tuple[Web, Sample]) -> None:
    answer = filled[0].client.get("/counts.json")
    assert answer.get_json() == {"memories": "14", "observations": "7", "projects": "2"}
    assert len(answer.data) < 200


def test_an_export_holds_everything_whole(filled: tuple[Web, Sample]) -> None:
    web, sample = filled
    answer = web.client.get("/export.json")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="ltm-export.json"'
    items = json.loads(answer.data)
    assert len(items) == 21
    long = next(item for item in items if item["id"] == sample.long)
    assert long["content"] == web.service.memory(sample.long).content
    assert {item["kind"] for item in items} == {"memory", "observation"}
    assert {item["type"] for item in items if item["kind"] == "observation"} == {
        "agent_end",
        "pre_compact",
    }


def test_an_export_keeps_the_filter(filled: tuple[Web, Sample]) -> None:
    web = filled[0]
    rows = list(csv.DictReader(io.StringIO(web.client.get("/export.csv?type=bug").text)))
    assert {row["type"] for row in rows} == {"bug"}
    assert len(rows) == 3
    wanted = web.service.search(RecallQuery(text="importer", project_id=None, limit=50))
    found = web.client.get("/export.json?q=importer").get_json()
    assert {item["id"] for item in found} == {hit.id for hit in wanted}
    assert [item["createdAt"] for item in found] == sorted(
        (item["createdAt"] for item in found), reverse=True
    )
    assert web.client.get("/export.csv?type=lunch").status_code == 400


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_no_cell_of_an_export_is_a_formula(web: Web, text: str) -> None:
    assert guarded(text) == f"'{text}"
    web.observe(text + "x", narrative=text + "x")
    (row,) = csv.DictReader(io.StringIO(web.client.get("/export.csv").text, newline=""))
    assert row["title"].startswith("'")
    assert row["text"].startswith("'")


def test_a_large_page_travels_packed_to_who_can_unpack_it(filled: tuple[Web, Sample]) -> None:
    client = filled[0].client
    plain = client.get("/")
    packed = client.get("/", headers={"Accept-Encoding": "gzip, br"})
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert packed.content_length == len(packed.data) < len(plain.data) / 3
    for answer in (plain, packed):
        assert answer.headers["Vary"] == "Accept-Encoding"
