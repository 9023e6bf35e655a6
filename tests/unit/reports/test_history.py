"""Reading a Hermes history: versions, copies, and what is wrong with a file."""

from __future__ import annotations

import json
import sqlite3
import tracemalloc
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hermes_tool_router.reports.history import (
    HistoryError,
    PastCall,
    PastSession,
    count_sessions,
    read_sessions,
)

History = Any  # the fixture's class; conftest.py is no module that can be imported


def texts(session: PastSession) -> list[str]:
    """What the user said."""
    return [turn.message.text for turn in session.turns]


@pytest.mark.parametrize("create", ["create", "create_0_18_1"])
def test_a_session_becomes_turns_and_requests(history: History, create: str) -> None:
    """Two requests for the first message, calls with their arguments, one for the second."""
    getattr(history, create)()
    rows = [
        history.user("a" * 90),
        history.called("todo", {"merge": True}),
        history.result("b" * 45),
        history.said("done"),
        history.user("thanks"),
    ]
    history.add("s", rows, model="m", source="telegram", system_prompt="x" * 450)

    (found,) = read_sessions(history.path)

    assert (found.id, found.platform, found.model, found.system) == ("s", "telegram", "m", 100)
    assert texts(found) == ["a" * 90, "thanks"]
    first, second = found.turns
    assert first.requests[0].calls == (PastCall(tool="todo", arguments={"merge": True}),)
    assert [request.messages for request in first.requests] == [20, 30]
    assert [request.at for request in first.requests] == [1.0, 3.0]
    assert second.requests[0].calls == ()


def test_parts_of_a_message_are_read_and_odd_calls_are_none(history: History) -> None:
    """A list as content; calls that are no JSON, no list, or of no function."""
    history.create()
    parts = "\x00json:" + json.dumps([{"type": "text", "text": "look"}, {"type": "image_url"}])
    odd = [{"tool_calls": text} for text in ("{", '"x"', '[1, {"function": {"name": 3}}]')]
    history.add("s", [history.user(parts), *(history.said("x", **item) for item in odd)])

    (found,) = read_sessions(history.path)

    (turn,) = found.turns
    assert (turn.message.text, turn.message.has_image) == ("look", True)
    assert [request.calls for request in turn.requests] == [(), (), ()]


def test_what_a_compression_copied_is_not_read_twice(history: History) -> None:
    """The replaced rows count, the summary and the kept tail do not, what follows does."""
    history.create()
    old = [history.user("one"), history.said("1"), history.user("two"), history.said("2")]
    summary = history.user("[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted")
    rows = [{**row, "active": 0, "compacted": 1} for row in old]
    rows += [summary, *old[2:], history.user("three"), history.said("3")]
    history.add("s", rows)

    (found,) = read_sessions(history.path)

    assert texts(found) == ["one", "two", "three"]
    assert sum(len(turn.requests) for turn in found.turns) == 3


def test_what_a_child_session_took_along_is_not_read_twice(history: History) -> None:
    """A branch begins with its parent's messages."""
    history.create()
    shared = [history.user("one"), history.said("1")]
    history.add("parent", shared, started_at=10.0)
    history.add(
        "child", [*shared, history.user("two")], started_at=20.0, parent_session_id="parent"
    )

    parent, child = read_sessions(history.path)

    assert (texts(parent), texts(child), child.parent) == (["one"], ["two"], "parent")


def test_the_latest_sessions_come_oldest_first(history: History) -> None:
    """``limit`` and ``since`` choose, the order is that of time."""
    history.create()
    for number in range(5):
        history.add(f"s{number}", [history.user("x")], started_at=float(number))

    latest = [session.id for session in read_sessions(history.path, limit=3)]
    later = [session.id for session in read_sessions(history.path, since=3.0)]

    assert latest == ["s2", "s3", "s4"]
    assert later == ["s3", "s4"]
    assert count_sessions(history.path, limit=3) == 3


def test_bytes_that_are_no_text_do_not_end_the_reading(history: History) -> None:
    """A damaged text is read with replacement characters."""
    history.create()
    history.add("s", [history.user("ok")])
    with closing(sqlite3.connect(history.path)) as db, db:
        db.execute("UPDATE messages SET content = CAST(X'6869FF' AS TEXT)")

    (found,) = read_sessions(history.path)

    assert texts(found) == ["hi\ufffd"]


@pytest.mark.nightly
def test_a_gigabyte_is_read_in_little_memory(history: History) -> None:
    """One session at a time, and of a tool's result only its size."""
    history.create()
    rows = [history.user("one"), history.said("1"), history.result("r" * 1_000_000)] * 4
    for number in range(250):
        history.add(f"s{number}", rows, started_at=float(number))
    assert history.path.stat().st_size > 1e9

    tracemalloc.start()
    turns = sum(len(session.turns) for session in read_sessions(history.path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert turns == 1_000
    assert peak < 20e6


class TestTrouble:
    def test_a_missing_file(self, tmp_path: Path) -> None:
        """Nothing is created by looking."""
        with pytest.raises(HistoryError, match="there is no history"):
            list(read_sessions(tmp_path / "state.db"))

        assert list(tmp_path.iterdir()) == []

    def test_a_file_that_is_no_database(self, tmp_path: Path) -> None:
        """Named, and said to be unchanged."""
        path = tmp_path / "state.db"
        path.write_bytes(b"no database" * 300)

        with pytest.raises(HistoryError, match="nothing was changed"):
            count_sessions(path)

    def test_pages_that_are_damaged(self, history: History) -> None:
        """The head is whole, the rows are not."""
        history.create()
        for number in range(200):
            history.add(f"s{number}", [history.user("x" * 300)], started_at=float(number))
        whole = history.path.read_bytes()
        history.path.write_bytes(whole[:8192] + b"\xff" * (len(whole) - 8192))

        with pytest.raises(HistoryError, match=r"does not read|malformed"):
            list(read_sessions(history.path))

    def test_a_database_of_somebody_else(self, tmp_path: Path) -> None:
        """The table or column that is missing is named."""
        path = tmp_path / "state.db"
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("CREATE TABLE sessions (id TEXT, source TEXT, model TEXT)")

        with pytest.raises(HistoryError, match=r"no sessions\.started_at: this is no history"):
            count_sessions(path)

    @pytest.mark.parametrize("statement", ["", "CREATE TABLE async_delegations (id TEXT)"])
    def test_a_file_that_waits_for_its_first_session(self, tmp_path: Path, statement: str) -> None:
        """Hermes makes the file before a session; that is no damage and no other version."""
        path = tmp_path / "state.db"
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("PRAGMA user_version = 1")
            db.execute(statement)

        with pytest.raises(HistoryError, match="holds no session yet"):
            count_sessions(path)

    def test_a_writer_that_does_not_let_go(
        self, history: History, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An exclusive lock is waited for and then named."""
        monkeypatch.setattr("hermes_tool_router.reports.history._BUSY_S", 0.01)
        history.create()
        with closing(sqlite3.connect(history.path)) as writer:
            writer.execute("BEGIN EXCLUSIVE")

            with pytest.raises(HistoryError, match="locked by a writer"):
                count_sessions(history.path)

    def test_a_writer_of_the_usual_kind_is_no_obstacle(self, history: History) -> None:
        """Hermes writes with a write-ahead log: readers see the last whole state."""
        history.create()
        history.add("s", [history.user("x")])
        with closing(sqlite3.connect(history.path)) as writer:
            writer.execute("PRAGMA journal_mode=WAL")
            writer.execute("BEGIN IMMEDIATE")
            writer.execute("UPDATE messages SET content = 'y'")

            (found,) = read_sessions(history.path)

        assert texts(found) == ["x"]
