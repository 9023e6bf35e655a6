"""Surfaces, logs and counters outlive the process, and nothing here raises."""

from __future__ import annotations

import os
import re
import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path

import pytest

from hermes_tool_router.registry_adapter.log_names import LogName
from hermes_tool_router.registry_adapter.records import (
    CallRecord,
    DecisionRecord,
    GateRecord,
    Record,
    columns,
)
from hermes_tool_router.registry_adapter.store import StateStore
from hermes_tool_router.registry_adapter.store_file import SCHEMA
from hermes_tool_router.registry_adapter.stores import Stores
from hermes_tool_router.router.session import Phase, SessionState
from hermes_tool_router.router.values import ToolName, ToolsetName

DAY = 86400.0


def state(session_id: str = "s1", *tools: str) -> SessionState:
    """A narrowed session."""
    return SessionState(
        session_id=session_id,
        phase=Phase.NARROWED,
        order=tuple(ToolName(tool) for tool in (tools or ("read_file",))),
        toolsets=(ToolsetName("file"),),
        added=("web",),
        menu="what is held back",
        why="engine.tight",
    )


def decision(message: str = "m") -> DecisionRecord:
    """A logged decision."""
    return DecisionRecord(
        session="s",
        message=message,
        outcome="narrowed",
        grade="tight",
        tier="rules",
        reasons=("file.read", "engine.floor"),
        toolsets=("file",),
        tokens_full=10,
        tokens_sent=5,
    )


class Clock:
    """Unix time that moves when told."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        """Seconds."""
        return self.now


class TestSurfaces:
    """What a session sends is found again."""

    def test_resumed_session_in_a_new_process_finds_its_surface(self, tmp_path: Path) -> None:
        """Another store on the same home reads what the first wrote."""
        StateStore(tmp_path).put(state("s1", "b", "a"))

        assert StateStore(tmp_path).get("s1") == state("s1", "b", "a")

    def test_unknown_session_is_none(self, tmp_path: Path) -> None:
        """Unknown is no error, twice over."""
        store = StateStore(tmp_path)

        assert (store.get("nobody"), store.get("nobody")) == (None, None)

    def test_write_of_another_process_is_seen(self, tmp_path: Path) -> None:
        """Memory gives way as soon as somebody else has written."""
        mine, other = StateStore(tmp_path), StateStore(tmp_path)
        mine.put(state("s1", "a"))
        assert other.get("s1") == state("s1", "a")

        other.put(state("s1", "a", "b"))

        assert mine.get("s1") == state("s1", "a", "b")

    def test_session_that_was_unknown_may_become_known(self, tmp_path: Path) -> None:
        """That nothing was found is remembered only until somebody writes."""
        mine, other = StateStore(tmp_path), StateStore(tmp_path)
        assert mine.get("s1") is None

        other.put(state("s1"))

        assert mine.get("s1") == state("s1")

    def test_memory_answers_while_nobody_writes(self, tmp_path: Path) -> None:
        """A row changed behind SQLite's back is not noticed: it was not read again."""
        store = StateStore(tmp_path)
        store.put(state("s1"))

        answers = {id(store.get("s1")) for _ in range(5)}

        assert len(answers) == 1

    @pytest.mark.parametrize(
        "session_id",
        ["", "api-" + "0" * 64, "🦊", "\ud800lone", "nul\x00byte", "'; DROP TABLE surfaces; --"],
    )
    def test_any_id_of_the_host_is_a_key(self, tmp_path: Path, session_id: str) -> None:
        """Ids come from the host and from API clients."""
        StateStore(tmp_path).put(state(session_id))

        assert StateStore(tmp_path).get(session_id) == state(session_id)

    def test_payload_that_does_not_read_is_unknown(self, tmp_path: Path) -> None:
        """A row of a later version, or nonsense, leaves the session to the caller's caution."""
        store = StateStore(tmp_path)
        store.put(state("s1"))
        store.put(state("s2"))
        with closing(sqlite3.connect(store.health().path)) as db, db:
            db.execute("UPDATE surfaces SET payload = '{\"version\": 99}' WHERE session_id = 's1'")

        fresh = StateStore(tmp_path)

        assert (fresh.get("s1"), fresh.get("s2")) == (None, state("s2"))

    def test_latest_sessions_come_first(self, tmp_path: Path) -> None:
        """For people who look at the state."""
        clock = Clock()
        store = StateStore(tmp_path, clock=clock)
        for name in ("a", "b", "c"):
            clock.now += 1
            store.put(state(name))

        assert [found.session_id for found in store.sessions(2)] == ["c", "b"]


class TestLogs:
    """Content-free rows."""

    @pytest.mark.parametrize(
        ("name", "record"),
        [
            ("decisions", decision()),
            ("calls", CallRecord(purpose="gate", backend="typesafe", outcome="ok", cached=True)),
            (
                "gate",
                GateRecord(
                    session="", tool="terminal", verdict="ask", outcome="asked", findings=("a", "b")
                ),
            ),
        ],
    )
    def test_record_comes_back_as_it_was(
        self, tmp_path: Path, name: LogName, record: Record
    ) -> None:
        """Every field of every kind survives."""
        StateStore(tmp_path, clock=Clock(5.0)).log(record)

        (row,) = StateStore(tmp_path).tail(name)

        assert (row.pop("id"), row.pop("at")) == (1, 5.0)
        assert row == {
            field: list(value) if isinstance(value, tuple) else value
            for field in columns(type(record))
            for value in [getattr(record, field)]
        }

    def test_tail_follows(self, tmp_path: Path) -> None:
        """The latest rows above an id, oldest first."""
        store = StateStore(tmp_path)
        for number in range(5):
            store.log(decision(str(number)))

        assert [row["message"] for row in store.tail("decisions", limit=2)] == ["3", "4"]
        assert [row["message"] for row in store.tail("decisions", after=4)] == ["4"]

    def test_choice_is_added_to_its_verdict(self, tmp_path: Path) -> None:
        """The human answers after the verdict was logged."""
        store = StateStore(tmp_path)
        row = store.log(GateRecord(session="s", tool="t", verdict="ask", outcome="asked"))
        assert row is not None

        store.note_choice(row, "once")

        assert store.tail("gate")[0]["choice"] == "once"

    def test_odd_names_and_numbers_are_logged_all_the_same(self, tmp_path: Path) -> None:
        """Tool names come from models, token counts from servers."""
        store = StateStore(tmp_path)

        first = store.log(GateRecord(session="s", tool="\ud800", verdict="ask", outcome="asked"))
        second = store.log(
            CallRecord(purpose="route", backend="x", outcome="ok", input_tokens=10**40)
        )

        assert first is not None
        assert second is not None

    def test_tables_have_the_columns_of_the_records(self) -> None:
        """A field that is added to a record must be added to its table."""
        tables = {
            name: tuple(re.findall(r"(\w+) (?:TEXT|REAL|INTEGER)", body))
            for name, body in re.findall(r"EXISTS (\w+) \((.*?)\)(?:;| WITHOUT)", SCHEMA, re.S)
        }

        for name, kind in (
            ("decisions", DecisionRecord),
            ("calls", CallRecord),
            ("gate", GateRecord),
        ):
            assert tables[name] == ("id", "at", *columns(kind))

    def test_equal_texts_have_equal_digests_here_and_no_other(self, tmp_path: Path) -> None:
        """The salt is this installation's."""
        here, again = StateStore(tmp_path / "a"), StateStore(tmp_path / "a")
        elsewhere = StateStore(tmp_path / "b")

        digests = [store.digest("hello") for store in (here, again, elsewhere)]

        assert digests[0] == digests[1] != digests[2]
        assert re.fullmatch("[0-9a-f]{16}", digests[0])


class TestCountersAndMarks:
    """Totals, and things that happen once."""

    def test_counters_add_up_over_processes(self, tmp_path: Path) -> None:
        """Two stores, one total."""
        StateStore(tmp_path).count("recoveries", 2)
        StateStore(tmp_path).count("recoveries")

        assert StateStore(tmp_path).counters() == {"recoveries": 3}

    def test_mark_is_set_once(self, tmp_path: Path) -> None:
        """The first caller learns that it is the first."""
        first = StateStore(tmp_path).mark("onboarding.key_offered")
        second = StateStore(tmp_path).mark("onboarding.key_offered")

        assert (first, second) == (True, False)
        assert StateStore(tmp_path).marked("onboarding.key_offered")
        assert not StateStore(tmp_path).marked("other")


class TestRetention:
    """Age and count bound everything."""

    def test_old_rows_go(self, tmp_path: Path) -> None:
        """Surfaces, decisions, calls and verdicts alike."""
        clock = Clock()
        store = StateStore(tmp_path, days=10, clock=clock)
        store.put(state("old"))
        store.log(decision("old"))
        clock.now += 11 * DAY
        store.put(state("new"))
        store.log(decision("new"))

        store.prune()

        fresh = StateStore(tmp_path)
        assert (fresh.get("old"), fresh.get("new")) == (None, state("new"))
        assert [row["message"] for row in fresh.tail("decisions")] == ["new"]

    def test_rows_beyond_the_count_go_oldest_first(self, tmp_path: Path) -> None:
        """The newest stay."""
        clock = Clock()
        store = StateStore(tmp_path, clock=clock)
        for number in range(6):
            clock.now += 1
            store.put(state(f"s{number}"))
            store.log(decision(str(number)))
        store.keep(days=30, rows=2)

        store.prune()

        assert [row["message"] for row in store.tail("decisions")] == ["4", "5"]
        assert [found.session_id for found in StateStore(tmp_path).sessions()] == ["s5", "s4"]

    def test_pruning_happens_by_itself(self, tmp_path: Path) -> None:
        """Nobody has to remember it."""
        store = StateStore(tmp_path, rows=100)

        for number in range(600):
            store.log(decision(str(number)))

        assert store.health().rows["decisions"] < 400

    def test_session_in_use_is_not_forgotten(self, tmp_path: Path) -> None:
        """A gateway's session may go on unchanged for longer than retention."""
        clock = Clock()
        store = StateStore(tmp_path, days=10, clock=clock)
        store.put(state("long"))

        for _ in range(20):
            clock.now += DAY
            store.get("long")
        store.prune()

        assert StateStore(tmp_path).get("long") == state("long")


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
class TestPrivacy:
    """Folder 0700, files 0600."""

    def test_fresh_state_is_the_owners_alone(self, tmp_path: Path) -> None:
        """Whatever the umask."""
        previous = os.umask(0)
        try:
            store = StateStore(tmp_path)
            store.put(state())
            folder = tmp_path / "tool-router"
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
        finally:
            os.umask(previous)

        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert modes["state.db"] == 0o600
        assert set(modes.values()) == {0o600}

    def test_wider_modes_are_narrowed(self, tmp_path: Path) -> None:
        """A folder copied from a backup, for example."""
        folder = tmp_path / "tool-router"
        folder.mkdir()
        folder.chmod(0o755)
        (folder / "state.db").touch(mode=0o644)

        StateStore(tmp_path).put(state())

        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE((folder / "state.db").stat().st_mode) == 0o600


class TestThreads:
    """Hooks run on many threads."""

    def test_threads_share_a_store(self, tmp_path: Path) -> None:
        """Nothing is lost between eight threads."""
        store = StateStore(tmp_path)

        def work(name: str) -> None:
            for number in range(25):
                store.put(state(f"{name}-{number}"))
                store.log(decision(name))
                store.count("writes")

        threads = [threading.Thread(target=work, args=(str(n),)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        health = StateStore(tmp_path).health()
        assert (health.rows["surfaces"], health.rows["decisions"]) == (200, 200)
        assert store.counters() == {"writes": 200}
        assert health.intact

    def test_homes_have_their_own_store(self, tmp_path: Path) -> None:
        """One process, two profiles."""
        stores = Stores()
        stores(tmp_path / "a").put(state("s1"))

        assert stores(tmp_path / "a") is stores(tmp_path / "a")
        assert stores(tmp_path / "b").get("s1") is None
        stores.close()
