"""The API does what its description says, for whatever a fuzzer makes of the description."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ltm_tray.fronts.web import openapi, wire
from ltm_tray.resources import data_dir
from tests.support.switch import FakeSwitch
from tests.support.web import Web, served


class StayingSwitch(FakeSwitch):
    """Takes every order and stays on, so that the verbs go on answering."""

    def set_enabled(self, *, enabled: bool) -> None:
        del enabled


def test_the_committed_description_is_the_one_the_types_give() -> None:
    committed = (data_dir("assets") / openapi.FILE_NAME).read_text("utf-8")
    assert committed == openapi.text(), "run: python -m ltm_tray.fronts.web.openapi"


def test_every_route_of_the_api_is_described(web: Web) -> None:
    served_routes = {
        (method.lower(), rule.rule.replace("<", "{").replace(">", "}"))
        for rule in web.app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD"}
        if rule.rule.startswith("/api/")
    }
    described = {
        (method, path)
        for path, methods in openapi.document()["paths"].items()
        for method in methods
    }
    assert described == served_routes


def _narrowed() -> dict[str, Any]:
    """The description without what a schema cannot say: this machine's paths, storable extras."""
    posix = openapi.text().replace(
        json.dumps(wire.PATH_PATTERN)[1:-1], json.dumps(r"^/[^\x00]*$")[1:-1]
    )
    document: dict[str, Any] = json.loads(posix)
    schemas = document["components"]["schemas"]
    for name in [name for name in schemas if name.endswith("Body")]:
        for form in schemas[name].get("oneOf", [schemas[name]]):
            form["additionalProperties"] = False
            if "source" in form["properties"]:
                form["properties"]["source"] = {"type": ["integer", "boolean", "null"]}
                form["properties"]["source"] |= {"minimum": -(2**63), "maximum": 2**63 - 1}
    return document


@pytest.mark.slow
def test_a_fuzzer_finds_no_answer_that_the_description_does_not_allow(tmp_path: Path) -> None:
    described = tmp_path / "openapi.json"
    described.write_text(json.dumps(_narrowed()), "utf-8")
    with served(tmp_path, switch=StayingSwitch()) as (_, server):
        ran = subprocess.run(
            [
                str(Path(sys.executable).parent / "st"), "run", str(described),
                "--url", f"http://127.0.0.1:{server.port}", "--phases", "fuzzing",
                "--max-examples", "8", "--seed", "1", "--no-shrink", "--no-color",
                "--generation-database", "none",
                # Fields it does not know are ignored, so that client and app may differ in age.
                "--exclude-checks", "negative_data_rejection",
            ],
            capture_output=True,
            encoding="utf-8",
            cwd=tmp_path,
            timeout=100,
            check=False,
        )  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-6_000:]
    assert "Tested: 12" in ran.stdout
