"""Memories in an agentmemory server, over its REST interface (0.9.29 and newer).

What agentmemory cannot do is told by `NotSupported`, what it refuses or leaves unanswered
by `BackendUnavailable`; nothing is passed off as done.
"""

from ltm_tray.backends.agentmemory.secret import find_secret
from ltm_tray.backends.agentmemory.store import AgentMemoryStore
from ltm_tray.backends.agentmemory.unarchived import NoArchive
from ltm_tray.backends.agentmemory.unkept import NoUpkeep

__all__ = ["AgentMemoryStore", "NoArchive", "NoUpkeep", "find_secret"]
