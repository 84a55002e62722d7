"""What tests ask a store in one line."""

from __future__ import annotations

from typing import Any

from ltm_tray.ports import Store
from tests.support.builders import a_query


def found(store: Store, text: str, **changes: Any) -> list[str]:
    """The ids of the hits, best first."""
    return [hit.id for hit in store.recall(a_query(text, **changes))]
