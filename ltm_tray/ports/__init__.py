"""What the service needs from outside: a backend, a catalog to browse, a switch, time and ids."""

from __future__ import annotations

from ltm_tray.ports.archive import Archive
from ltm_tray.ports.memory import MemoryBackend, MemoryCatalog, Store
from ltm_tray.ports.settings import CaptureRules, Retaining, RetentionRules, Setting, Switch
from ltm_tray.ports.upkeep import Told, Upkeep
from ltm_tray.ports.world import Clock, NewId

__all__ = [
    "Archive",
    "CaptureRules",
    "Clock",
    "MemoryBackend",
    "MemoryCatalog",
    "NewId",
    "Retaining",
    "RetentionRules",
    "Setting",
    "Store",
    "Switch",
    "Told",
    "Upkeep",
]
