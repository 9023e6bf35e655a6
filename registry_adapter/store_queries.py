"""Statements of the state store; each runs inside one transaction of its caller."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = [
    "add_to_counters",
    "drop_old",
    "insert_all",
    "one",
    "row_counts",
    "rows_after",
    "salt",
    "write_surfaces",
]

LOGS = ("decisions", "calls", "gate")


def one(db: sqlite3.Connection, statement: str, *values: object) -> Any:
    """First column of the first row, ``None`` if there is no row."""
    found = db.execute(statement, values).fetchone()
    return found[0] if found else None


def write_surfaces(db: sqlite3.Connection, rows: Iterable[tuple[object, ...]]) -> bool:
    """Write ``(session_id, parent, payload, created_at, updated_at)`` rows."""
    db.executemany(
        "INSERT INTO surfaces VALUES (?, ?, ?, ?, ?) ON CONFLICT (session_id) DO UPDATE SET "
        "payload = excluded.payload, updated_at = excluded.updated_at, "
        "parent = CASE excluded.parent WHEN '' THEN parent ELSE excluded.parent END",
        rows,
    )
    return True


def add_to_counters(db: sqlite3.Connection, pending: Mapping[str, int]) -> bool:
    """Add to several counters."""
    db.executemany(
        "INSERT INTO counters VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET "
        "value = value + excluded.value",
        pending.items(),
    )
    return True


def insert_all(
    db: sqlite3.Connection, rows: Iterable[tuple[str, tuple[object, ...]]]
) -> int | None:
    """Run inserts in their order; returns the row id of the last."""
    rowid = None
    for statement, values in rows:
        rowid = db.execute(statement, values).lastrowid
    return rowid


def salt(db: sqlite3.Connection, fresh: str) -> str:
    """The salt of this home; ``fresh`` becomes it if there is none yet."""
    db.execute("INSERT OR IGNORE INTO meta VALUES ('salt', ?)", (fresh,))
    return str(one(db, "SELECT value FROM meta WHERE name = 'salt'"))


def rows_after(
    db: sqlite3.Connection, table: str, names: tuple[str, ...], after: int, limit: int
) -> list[dict[str, object]]:
    """The latest rows of a log with an id above ``after``, oldest first.

    Columns that hold JSON arrays come back as lists.
    """
    statement = f"SELECT {', '.join(names)} FROM {table} WHERE id > ? ORDER BY id DESC LIMIT ?"
    found = db.execute(statement, (after, limit)).fetchall()
    return [
        {name: _value(name, value) for name, value in zip(names, values, strict=True)}
        for values in reversed(found)
    ]


def row_counts(db: sqlite3.Connection) -> dict[str, int]:
    """Rows by table."""
    return {table: int(one(db, f"SELECT count(*) FROM {table}")) for table in ("surfaces", *LOGS)}


def drop_old(db: sqlite3.Connection, oldest: float, rows: int) -> int:
    """Drop rows before ``oldest`` (Unix seconds), and the oldest beyond ``rows`` per table."""
    dropped = db.execute("DELETE FROM surfaces WHERE updated_at < ?", (oldest,)).rowcount
    dropped += db.execute(
        "DELETE FROM surfaces WHERE session_id IN "
        "(SELECT session_id FROM surfaces ORDER BY updated_at DESC LIMIT -1 OFFSET ?)",
        (rows,),
    ).rowcount
    for table in LOGS:
        # Ids only grow, so the newest id stands for the number of rows.
        dropped += db.execute(
            f"DELETE FROM {table} WHERE at < ? OR id <= (SELECT max(id) - ? FROM {table})",
            (oldest, rows),
        ).rowcount
    return dropped


def _value(name: str, value: object) -> object:
    if name in {"reasons", "toolsets", "errors", "findings"} and isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            return []
    return bool(value) if name in {"cached", "truncated"} else value
