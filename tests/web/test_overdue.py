"""What the settings page says of the limits on observations."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.web import a_web


@pytest.mark.parametrize(
    ("overdue", "sentence"),
    [
        (1_200, "would delete 1,200 observations now"),
        (1, "would delete 1 observation now"),
        (0, "would delete 0 observations now"),
    ],
)
def test_the_settings_page_says_how_much_the_limits_would_delete(
    tmp_path: Path, overdue: int, sentence: str
) -> None:
    web = a_web(tmp_path, overdue=overdue)
    assert sentence in web.client.get("/settings").text


def test_without_a_limit_it_says_nothing_of_them(tmp_path: Path) -> None:
    assert "would delete" not in a_web(tmp_path).client.get("/settings").text
