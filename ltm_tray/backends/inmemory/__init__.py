"""The contract in its plainest form: everything in lists, every search a scan.

Read this to know what a backend does; the tests hold the real ones to it.
"""

from ltm_tray.backends.inmemory.store import InMemoryStore

__all__ = ["InMemoryStore"]
