"""What a mended database tells about its damage: kept in it, and told for a week."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from ltm_tray.domain.health import Notice, StoreState
from ltm_tray.domain.times import from_iso, to_iso

TOLD_FOR = timedelta(days=7)
_FACT = "recovery"
_NAMES = {"memories": "memories with their versions", "observations": "observations"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """What became of the rows of one table; `lost` is None where nobody can tell."""

    table: str
    read: int
    restored: int
    lost: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """What was saved of a damaged database, and what was not."""

    at: datetime
    kept_as: str
    """The name of the damaged file, in the folder of the database."""
    backup: str | None
    """The name of the backup that filled the gaps."""
    tables: tuple[Recovered, ...]

    @property
    def sentence(self) -> str:
        """All of it in words."""
        parts = "; ".join(_told(table, self.backup) for table in self.tables)
        return (
            f"The database was damaged and was put right on {self.at:%Y-%m-%d at %H:%M} UTC: "
            f"{parts}. The damaged file is kept as {self.kept_as}."
        )

    @property
    def next_step(self) -> str:
        """What a person can do about it."""
        if all(table.lost == 0 for table in self.tables):
            return "Check the disk; delete the damaged file when you do not need it any more."
        return "Check the disk; keep the damaged file if you want to try to get more out of it."


def keep(connection: sqlite3.Connection, recovery: Recovery) -> None:
    """Note a recovery in the mended database, within a transaction."""
    value = json.dumps({**asdict(recovery), "at": to_iso(recovery.at)})
    connection.execute(
        "INSERT OR REPLACE INTO store_facts (name, value) VALUES (?, ?)", (_FACT, value)
    )


def notice_of(connection: sqlite3.Connection, now: datetime) -> Notice | None:
    """Return what to tell about a recovery of the last seven days; None without one."""
    row = connection.execute("SELECT value FROM store_facts WHERE name = ?", (_FACT,)).fetchone()
    if row is None:
        return None
    told = json.loads(row[0])
    tables = tuple(Recovered(**table) for table in told.pop("tables"))
    recovery = Recovery(**{**told, "at": from_iso(told["at"]), "tables": tables})
    if abs(now - recovery.at) > TOLD_FOR:
        return None
    return Notice(StoreState.RECOVERED, recovery.sentence, recovery.next_step)


def _told(table: Recovered, backup: str | None) -> str:
    name = _NAMES.get(table.table, table.table)
    parts = [f"{table.read:,} {name} were read"]
    if backup:
        parts.append(f"{table.restored:,} came from the backup {backup}")
    parts.append(
        "how many are lost cannot be told" if table.lost is None else f"{table.lost:,} are lost"
    )
    return ", ".join(parts)
