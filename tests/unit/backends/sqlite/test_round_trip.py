"""Whatever stores hold, an export brings it over byte for byte, and stores can be joined."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ltm_tray.domain.memory import Forget, MemoryType, NewMemory, NewObservation, ObservationKind
from ltm_tray.domain.project import Project, project_of
from tests.support.archives import Whole, a_whole
from tests.support.builders import HERE, THERE

TEXT = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=60
).filter(str.strip)
BASE = "the release train of the shop leaves on tuesday at nine from the main branch only"
NEARLY = st.integers(0, 15).map(lambda n: BASE.replace("nine", f"nine{n}"))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
PROJECTS = st.sampled_from([HERE, THERE, project_of("/work/Übung 部署 🚀", windows=False)])
LABELS = st.lists(TEXT, max_size=2, unique=True).map(tuple)
ACTS = st.lists(
    st.one_of(
        st.tuples(st.just("remember"), PROJECTS, NEARLY | TEXT, LABELS),
        st.tuples(st.just("observe"), PROJECTS, TEXT, JSON),
        st.tuples(st.just("forget"), PROJECTS, st.integers(0, 20), st.none()),
        st.tuples(st.just("wait"), PROJECTS, st.integers(-10_000_000, 10_000_000), st.none()),
    ),
    max_size=25,
)


def act(whole: Whole, act: tuple[str, Project, Any, Any]) -> None:
    verb, project, what, more = act
    if verb == "remember":
        whole.store.remember(
            NewMemory(
                project_id=project.id,
                cwd=project.cwd,
                content=what,
                type=MemoryType.BUG,
                concepts=more,
                session_id=what,
            )
        )
    elif verb == "observe":
        whole.store.observe(
            NewObservation(
                project_id=project.id,
                cwd=project.cwd,
                session_id="s",
                kind=ObservationKind.PRE_COMPACT,
                title=what,
                narrative=what,
                dedup_key=what,
                source=more,
            )
        )
    elif verb == "forget":
        whole.store.forget(Forget(project_id=project.id, memory_ids=(f"mem_{what:08d}",)))
    else:
        whole.clock.advance(what)


@settings(max_examples=25, deadline=None)
@given(acts=ACTS)
def test_an_export_taken_in_by_an_empty_store_is_exported_byte_for_byte(acts: list[Any]) -> None:
    with TemporaryDirectory() as folder:
        one, other = a_whole(Path(folder) / "one.sqlite"), a_whole(Path(folder) / "other.sqlite")
        for each in acts:
            act(one, each)
        first = one.exported()
        report = other.take_in(first)
        assert (report.bad, report.missing, report.known, report.changed) == (0, 0, 0, 0)
        assert other.exported() == first
        again = other.take_in(first)
        assert again.known == report.new.total == len(first.split(b"\n")) - 2
        assert (again.new.total, again.changed, again.bad) == (0, 0, 0)
        assert other.exported() == first
        latest, held, termed = indexed(Path(folder) / "other.sqlite")
        assert latest == held >= termed
        one.store.close()
        other.store.close()


@settings(max_examples=25, deadline=None)
@given(mine=ACTS, theirs=ACTS)
def test_what_two_stores_hold_together_is_a_store_that_can_be_carried_on(
    mine: list[Any], theirs: list[Any]
) -> None:
    with TemporaryDirectory() as folder:
        here, there, third = (a_whole(Path(folder) / f"{name}.sqlite") for name in "abc")
        for whole, acts in ((here, mine), (there, theirs)):
            for each in acts:
                act(whole, each)
        here.take_in(there.exported())
        together = here.exported()
        repeated = here.take_in(there.exported())
        assert (repeated.new.total, repeated.changed) == (0, 0)
        assert here.exported() == together
        assert third.take_in(together).bad == 0
        assert third.exported() == together
        latest, held, _ = indexed(Path(folder) / "a.sqlite")
        assert latest == held
        for whole in (here, there, third):
            whole.store.close()


def indexed(file: Path) -> tuple[set[int], set[int], set[int]]:
    """The latest memories, those in the full-text index, those with terms."""
    with closing(sqlite3.connect(file)) as connection:
        latest, held, termed = (
            {row[0] for row in connection.execute(sql)}
            for sql in (
                "SELECT number FROM memories WHERE is_latest = 1",
                "SELECT rowid FROM memories_fts",
                "SELECT memory FROM memory_terms",
            )
        )
    return latest, held, termed
