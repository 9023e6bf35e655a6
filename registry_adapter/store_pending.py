"""What a store has still to write.  It goes to the file in one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from .log_names import LogName
from .records import CallRecord, DecisionRecord, GateRecord, Record, columns, row
from .store_queries import add_to_counters, insert_all, write_surfaces

__all__ = ["TABLES", "Pending"]

TABLES: Mapping[type[Record], LogName] = {
    DecisionRecord: "decisions",
    CallRecord: "calls",
    GateRecord: "gate",
}
_INSERTS = {
    kind: f"INSERT INTO {table} (at, {', '.join(columns(kind))}) "
    f"VALUES ({', '.join('?' * (len(columns(kind)) + 1))})"
    for kind, table in TABLES.items()
}


class Pending:
    """Surfaces, log rows and counts in memory.  Whoever uses it holds a lock."""

    def __init__(self) -> None:
        self.surfaces: dict[str, str] = {}
        """Sessions whose state is to be written, each with its parent or an empty text."""
        self.counts: dict[str, int] = {}
        """What is to be added to each counter."""
        self._rows: list[tuple[str, tuple[object, ...]]] = []

    def __bool__(self) -> bool:
        """Whether anything waits."""
        return bool(self.surfaces or self.counts or self._rows)

    def add_row(self, at: float, record: Record) -> None:
        """Add a log row (``at`` in Unix seconds)."""
        self._rows.append((_INSERTS[type(record)], (at, *row(record))))

    def count(self, name: str, by: int) -> None:
        """Add to a counter."""
        self.counts[name] = self.counts.get(name, 0) + by

    def write(
        self, db: sqlite3.Connection, surfaces: Iterable[tuple[object, ...]]
    ) -> tuple[bool, int | None]:
        """Write everything, with the given rows for :attr:`surfaces`.

        Returns:
            True, and the row id of the latest log row if there is one.
        """
        if surfaces:
            write_surfaces(db, surfaces)
        if self.counts:
            add_to_counters(db, self.counts)
        return True, insert_all(db, self._rows)

    def clear(self) -> None:
        """Everything is written."""
        self.surfaces.clear()
        self.counts.clear()
        self._rows.clear()

    def shorten(self, most: int) -> None:
        """Drop the oldest log rows beyond ``most``; they are counted as ``log_lost``."""
        lost = len(self._rows) - most
        if lost > 0:
            del self._rows[:lost]
            self.count("log_lost", lost)
