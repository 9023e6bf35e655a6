"""Short texts of a home that outlive a process, one row each."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from .store_file import StateFile
from .store_queries import one

__all__ = ["Notes"]


class Notes:
    """Notes by name.  Never raises: where the file cannot be used, nothing is remembered."""

    def __init__(self, file: StateFile) -> None:
        self._file = file

    def get(self, name: str) -> str:
        """A note, empty if there is none."""
        return self._file.run(lambda db: _read(db, name), "")

    def revise(self, name: str, change: Callable[[str], str]) -> str:
        """Put what ``change`` makes of a note in its place, in one transaction; returns it."""

        def write(db: sqlite3.Connection) -> str:
            fresh = change(_read(db, name))
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (f"note.{name}", fresh))
            return fresh

        return self._file.run(write, change(""))


def _read(db: sqlite3.Connection, name: str) -> str:
    return str(one(db, "SELECT value FROM meta WHERE name = ?", f"note.{name}") or "")
