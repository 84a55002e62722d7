"""What was forgotten is gone at once, whatever a backend is asked."""

from __future__ import annotations

import pytest

from ltm_tray.domain.catalog import RecallLogEntry
from ltm_tray.domain.errors import NotFound
from ltm_tray.domain.memory import Forget
from ltm_tray.ports import Store
from tests.contract.conftest import Subject
from tests.support.builders import HERE, a_memory, a_query, an_observation


def forgotten(subject: Subject) -> tuple[str, str, str]:
    """Forget a memory with its earlier version and an observation; return their ids."""
    store = subject.store
    store.remember(a_memory("We drink tea"))
    first = store.remember(a_memory("The heron key of the shop opens staging", concepts=("vault",)))
    latest = store.remember(a_memory("The heron key of the shop now opens staging"))
    assert latest.supersedes == first.id
    seen = store.observe(an_observation("User: where is the heron?", title="heron?"))
    observation = seen.observation_id or ""
    store.record_recall(
        RecallLogEntry(
            project_id=HERE.id, query="which key", source="api", session_id=None,
            hit_ids=(latest.id, observation), duration_ms=1.0, asked_at=subject.clock(),
        )
    )  # fmt: skip
    forget = Forget(project_id=HERE.id, memory_ids=(latest.id,), observation_ids=(observation,))
    assert store.forget(forget) == 3
    return first.id, latest.id, observation


def test_a_forgotten_hit_is_found_by_no_search_and_no_list(subject: Subject, store: Store) -> None:
    forgotten(subject)
    for query in ("heron", "vault", "her", "opens staging"):
        assert store.recall(a_query(query)) == []
    assert [item.text for item in store.newest().items] == ["We drink tea"]
    assert len(list(store.items())) == 1


def test_a_forgotten_hit_has_no_page_and_no_versions(subject: Subject, store: Store) -> None:
    first, latest, observation = forgotten(subject)
    for id_ in (first, latest):
        assert store.versions(id_) == []
        with pytest.raises(NotFound):
            store.memory(id_)
    with pytest.raises(NotFound):
        store.observation(observation)


def test_a_forgotten_hit_counts_nowhere(subject: Subject, store: Store) -> None:
    forgotten(subject)
    stats = store.stats(HERE.id)
    assert (stats.memory_count, stats.version_count, stats.observation_count) == (1, 0, 0)
    assert sum(count.count for count in store.facets().types) == 1
    assert sum(count.count for count in store.facets(text="heron").types) == 0
    project = store.project(HERE.id)
    assert (project.version_count, project.summary.observation_count) == (0, 0)
    assert project.text_bytes == 2 * len("We drink tea")
    (today,) = store.activity(1)
    assert (today.memories, today.observations) == (1, 0)
    totals = store.totals()
    assert (totals.version_count, totals.most_recalled) == (0, ())


def test_the_recall_log_shows_only_that_a_hit_is_gone(subject: Subject, store: Store) -> None:
    _, latest, observation = forgotten(subject)
    entry = store.recalls().entries[0]
    hits = store.recall_entry(entry.id).hits
    assert [hit.id for hit in hits] == [latest, observation]
    assert all(hit.forgotten and not hit.title and not hit.type for hit in hits)
