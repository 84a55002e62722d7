"""What some weeks of work might leave behind, and texts that are hard to show."""

from __future__ import annotations

from dataclasses import dataclass

from ltm_tray.domain.requests import ObserveRequest, RecallRequest, RememberRequest
from tests.support.web import Web

KESTREL, RECIPES = "/home/ada/work/kestrel", "/home/ada/work/recipes"
MARKUP = "<script>window.xss=1</script><img src=x onerror='window.xss=1'>"
HARD = (
    ("fact", "部署脚本使用缓存目录，测试前要先清理。发布流程在夜间运行。" * 6),
    ("fact", "مرحبا بالعالم، هذا نص يُكتب من اليمين إلى اليسار 🚀 مع deploy في وسطه."),
    ("fact", "w" * 300),
    ("bug", f"markup {MARKUP}"),
    ("workflow", "Emoji everywhere: 👩‍👩‍👧‍👦 🏳️‍🌈 🚀 and e\u0301 with its mark."),
    ("fact", "a long log line of the importer\n" * 2_040),
)
"""Chinese, right to left, a 300-character word, markup, emoji, and 64 KB."""
SAVED = (
    (KESTREL, "architecture", "The importer reads files in batches of 500 rows. It hands each "
     "batch to the writer over a queue of its own, and waits while the queue is full. " * 4),
    (KESTREL, "preference", "Use tabs in Makefiles and two spaces everywhere else."),
    (KESTREL, "workflow", "Deploy with make ship. It needs the VPN, and takes about ten minutes."),
    (KESTREL, "bug", "The importer stalled: each row was committed alone; now each batch."),
    (RECIPES, "bug", "The date picker was off by one day because it parsed local midnight."),
    (RECIPES, "pattern", "Each form has a schema in forms/, and the server checks the same."),
    (RECIPES, "preference", "Write recipes with metric units; cups go in parentheses."),
)  # fmt: skip
VERSIONS = (
    "The deploy host of the staging system is blue.example and needs the VPN.",
    "The deploy host of the staging system is green.example and needs the VPN.",
    "The deploy host of the staging system is green.example and needs no VPN.",
)


@dataclass(frozen=True, slots=True)
class Sample:
    """Ids of items that tests open."""

    plain: str
    versioned: str
    long: str
    observation: str
    kestrel: str


def fill(web: Web) -> Sample:
    """Save, capture and ask what some weeks of work would."""
    ids = []
    for at, (cwd, kind, content) in enumerate(SAVED):
        web.clock.advance(2 * 86_400 + 3_600 * at)
        ids.append(web.service.remember(RememberRequest(cwd=cwd, content=content, type=kind)).id)
        observed = _capture(web, cwd, at)
        _ask(web)
    for kind, content in HARD:
        web.clock.advance(3_600)
        long = web.service.remember(RememberRequest(cwd=RECIPES, content=content, type=kind)).id
    for content in VERSIONS:
        web.clock.advance(86_400)
        versioned = web.service.remember(
            RememberRequest(
                cwd=KESTREL, content=content, concepts=("deploy", "vpn"), files=("Makefile",),
                session_id="session-7", source_observation_ids=(observed,),
            )
        ).id  # fmt: skip
    _ask(web)
    web.clock.advance(7_200)
    kestrel = next(p.project_id for p in web.service.projects() if p.cwd == KESTREL)
    return Sample(
        plain=ids[0], versioned=versioned, long=long, observation=observed, kestrel=kestrel
    )


def _capture(web: Web, cwd: str, at: int) -> str:
    observed = web.service.observe(
        ObserveRequest(
            cwd=cwd,
            session_id=f"session-{at}",
            kind="agent_end" if at % 3 else "pre_compact",
            title=f"Why does the importer stall on file {at}?",
            narrative="User: Why does the importer stall?\nAssistant: It commits each row.",
            source={"tokens": 1234, "model": "a-model"},
        )
    )
    assert observed.observation_id is not None
    return observed.observation_id


def _ask(web: Web) -> None:
    for cwd, query, source in (
        (KESTREL, "how do we deploy", "pi"),
        (KESTREL, "importer batches", "pi"),
        (RECIPES, "oauth login", "cli"),
    ):
        web.service.recall(RecallRequest(cwd=cwd, query=query, source=source))
