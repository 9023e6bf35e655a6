"""Rows that are counted as they are logged."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from hermes_tool_router.registry_adapter.records import CallRecord
from hermes_tool_router.registry_adapter.store import StateStore
from hermes_tool_router.registry_adapter.store_file import PAUSE_S

ROW = CallRecord(purpose="route", backend="x", outcome="ok")


def test_a_row_and_its_count_are_written_together(tmp_path: Path) -> None:
    """Another process sees both, each once."""
    store = StateStore(tmp_path)

    store.log(ROW, counter="decision")
    store.log(ROW)

    fresh = StateStore(tmp_path)
    assert (fresh.counters(), len(fresh.tail("calls"))) == ({"decision": 1}, 2)


def test_counts_of_rows_that_wait_are_written_with_them(tmp_path: Path) -> None:
    """While the file is locked nothing is lost, and afterwards nothing counts twice."""
    now = [0.0]
    store = StateStore(tmp_path, monotonic=lambda: now[0])
    store.log(ROW, counter="decision")
    with closing(sqlite3.connect(next(tmp_path.rglob("state.db")))) as holder:
        holder.execute("BEGIN IMMEDIATE")
        store.log(ROW, counter="decision")
        during = store.counters()
        holder.rollback()

    now[0] += PAUSE_S
    store.log(ROW)

    fresh = StateStore(tmp_path)
    assert during == {"decision": 1}  # what is on disk cannot be read now
    assert (fresh.counters(), len(fresh.tail("calls"))) == ({"decision": 2}, 3)
