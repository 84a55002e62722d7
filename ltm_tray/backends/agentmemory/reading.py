"""Reading what an agentmemory server holds of one project; what it lets through is checked."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ltm_tray.backends.agentmemory.link import Link, TimeLimit, required
from ltm_tray.backends.agentmemory.rows import (
    PROJECT_PREFIX,
    Found,
    FoundRow,
    MemoryList,
    MemoryRow,
    ObservationList,
    ObservationRow,
    OneMemory,
    Session,
    SessionList,
    SessionRow,
    session_of,
)
from ltm_tray.domain.memory import ProjectStats

FOUND_MAX = 100
"""The most hits a search gives. A recall asks for no fewer: the server takes ten times as
many of all projects before it looks whose they are, so a small project would starve."""
QUERY_CHARACTERS_MAX = 2_000
_PAGE_MEMORIES = 500
_MEMORY_ID = re.compile(r"mem_[A-Za-z0-9_-]{1,80}")


class Reader:
    """Reads over a link; `within` limits the time of all requests of one call."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def search(
        self, text: str, project_id: str, within: TimeLimit, *, limit: int = FOUND_MAX
    ) -> list[FoundRow]:
        """Return hits, best first; some of them may be of no project or of a lost session."""
        asked = text[:QUERY_CHARACTERS_MAX].strip()
        if not asked:
            return []
        body = {"query": asked, "project": project_id, "limit": limit, "format": "full"}
        return self._link.post("search", body, Found, within).results

    def memory(self, memory_id: str, project_id: str | None, within: TimeLimit) -> MemoryRow | None:
        """Return a memory of a project, of any of ours without one; None if there is none."""
        if not _MEMORY_ID.fullmatch(memory_id):
            return None
        answer = self._link.get(f"memories/{memory_id}", OneMemory, within)
        return answer.memory if answer and _is_of(answer.memory.project, project_id) else None

    def memories(self, project_id: str, within: TimeLimit) -> dict[str, MemoryRow]:
        """Return all memories of a project, replaced versions too, by id."""
        found: dict[str, MemoryRow] = {}
        offset, cursor = 0, ""
        while True:
            where = {"cursor": cursor} if cursor else {"offset": str(offset)}
            page = self._link.get("memories", MemoryList, within, limit=_PAGE_MEMORIES, **where)
            if page is None or not page.memories:
                return found
            for fields in page.memories:
                if fields.get("project") == project_id:
                    row = required(fields, MemoryRow)
                    found[row.id] = row
            offset, cursor = offset + len(page.memories), page.next_cursor or ""
            if not cursor and offset >= (page.total or 0):
                return found

    def observations(
        self, project_id: str | None, within: TimeLimit
    ) -> Iterator[tuple[Session, SessionRow, ObservationRow]]:
        """Yield the observations of a project, of all of ours without one, session by session."""
        answer = self._link.get("sessions", SessionList, within)
        for fields in answer.sessions if answer else ():
            session = session_of(str(fields.get("id")))
            if session is None or project_id not in {None, session.project_id}:
                continue
            row = required(fields, SessionRow)
            page = self._link.get("observations", ObservationList, within, sessionId=row.id)
            for found in page.observations if page else ():
                yield session, row, required(found, ObservationRow)

    def stats(self, project_id: str, within: TimeLimit) -> ProjectStats:
        """Count what a project holds; when it was last asked is not known."""
        memories = self.memories(project_id, within).values()
        observed = [row.timestamp for _, _, row in self.observations(project_id, within)]
        latest = sum(memory.is_latest for memory in memories)
        return ProjectStats(
            memory_count=latest,
            version_count=len(memories) - latest,
            observation_count=len(observed),
            last_saved_at=max((memory.updated_at for memory in memories), default=None),
            last_observed_at=max(observed, default=None),
        )


def _is_of(project: str | None, project_id: str | None) -> bool:
    if project_id is None:
        return bool(project) and str(project).startswith(PROJECT_PREFIX)
    return project == project_id
