"""Values read well on a page."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ltm_tray.domain.analysis import query_terms
from ltm_tray.domain.asked import Asked
from ltm_tray.fronts.web.display import ago, counted, parted, pieces, project_name

NOW = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("passed", "told"),
    [
        (timedelta(seconds=-90), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(seconds=60), "1 minute ago"),
        (timedelta(minutes=59), "59 minutes ago"),
        (timedelta(hours=23), "23 hours ago"),
        (timedelta(days=1), "1 day ago"),
        (timedelta(days=45), "1 month ago"),
        (timedelta(days=800), "2 years ago"),
    ],
)
def test_a_time_is_told_in_the_largest_unit_that_fits(passed: timedelta, told: str) -> None:
    assert ago(NOW - passed, NOW) == told


def test_a_number_takes_the_right_noun() -> None:
    assert [counted(0, "hit"), counted(1, "hit"), counted(1_200, "match", "matches")] == [
        "0 hits",
        "1 hit",
        "1,200 matches",
    ]


@pytest.mark.parametrize(
    ("cwd", "name"), [("/work/here", "here"), ("/", "/"), ("C:\\work\\here", "here")]
)
def test_a_project_is_called_by_its_folder(cwd: str, name: str) -> None:
    assert project_name(cwd) == name


def test_matches_are_told_from_the_rest() -> None:
    cut = pieces("a <b> tea & Teas", Asked(query_terms("tea")))
    assert [piece.text for piece in cut if piece.match] == ["tea", "Teas"]


@settings(deadline=None)
@given(text=st.text(alphabet="<>&\"' tea茶", max_size=40), query=st.text("tea茶", max_size=8))
def test_a_text_cut_at_its_matches_is_still_the_text(text: str, query: str) -> None:
    assert "".join(piece.text for piece in pieces(text, Asked(query_terms(query)))) == text


@pytest.mark.parametrize(
    ("title", "text", "heading", "body"),
    [
        ("tea at four", "tea at  four\n", "tea at four", ""),
        ("tea at fo", "tea at four", "tea at…", "…four"),
        ("tea at", "tea at four", "tea at…", "…four"),
        ("wwww", "wwwwww", "wwww…", "…ww"),
        ("why?", "User: why?", "why?", "User: why?"),
    ],
)
def test_a_text_goes_on_where_its_heading_ends(
    title: str, text: str, heading: str, body: str
) -> None:
    assert parted(title, text) == (heading, body)
