"""A played server and a store over it."""

from __future__ import annotations

import pytest

from ltm_tray.backends.agentmemory import AgentMemoryStore
from tests.support.clock import TickingClock
from tests.support.fake_agentmemory import FakeAgentMemory, an_agentmemory


@pytest.fixture
def server() -> FakeAgentMemory:
    return FakeAgentMemory(TickingClock())


@pytest.fixture
def store(server: FakeAgentMemory) -> AgentMemoryStore:
    return an_agentmemory(server, TickingClock())
