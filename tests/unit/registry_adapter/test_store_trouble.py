"""A file that is damaged, locked, read-only, full, or written by a killed process."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from hermes_tool_router.registry_adapter.records import CallRecord
from hermes_tool_router.registry_adapter.store import StateStore
from hermes_tool_router.registry_adapter.store_file import PAUSE_S
from hermes_tool_router.router.session import Phase, SessionState
from hermes_tool_router.router.values import ToolName

ROOT = Path(__file__).resolve().parents[3]


def state(session_id: str, *tools: str) -> SessionState:
    """A narrowed session."""
    return SessionState(
        session_id=session_id,
        phase=Phase.NARROWED,
        order=tuple(ToolName(tool) for tool in tools),
    )


def filled(home: Path, sessions: int = 200) -> Path:
    """A home whose store has some pages; returns the file, journal folded in."""
    store = StateStore(home)
    for number in range(sessions):
        store.put(state(f"s{number}", *(f"tool_{n}" for n in range(20))))
    path = store.health().path
    store.close()
    return path


def child(code: str, *arguments: str) -> subprocess.Popen[str]:
    """Run code in another process with this checkout importable."""
    mount = f"import runpy; runpy.run_path({str(ROOT / '_checkout.py')!r})['mount']()\n"
    return subprocess.Popen(
        [sys.executable, "-c", mount + PRELUDE + textwrap.dedent(code), *arguments],
        stdout=subprocess.PIPE,
        text=True,
    )


PRELUDE = """
import sys
from pathlib import Path
from hermes_tool_router.registry_adapter.store import StateStore
from hermes_tool_router.router.session import Phase, SessionState
def state(session_id, *tools):
    return SessionState(session_id=session_id, phase=Phase.NARROWED, order=tools)
store = StateStore(Path(sys.argv[1]))
"""


def overwrite(at: int, raw: bytes) -> Callable[[Path], None]:
    """Damage a file in one place."""

    def damage(path: Path) -> None:
        with path.open("r+b") as file:
            file.seek(at)
            file.write(raw)

    return damage


def zeroed_middle(path: Path) -> None:
    """All pages but the first are lost, as after a bad block."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\0" * (size - 4096))


def other_schema(path: Path) -> None:
    """A database of somebody else that calls itself version 1."""
    path.unlink()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE surfaces (something TEXT)")
        db.execute("PRAGMA user_version = 1")


DAMAGE = [
    pytest.param(overwrite(0, b"not a database at all" * 10), id="other content"),
    pytest.param(overwrite(0, b"\0" * 4096), id="first page lost"),
    pytest.param(overwrite(100, b"\xff" * 200), id="first page's tree damaged"),
    pytest.param(zeroed_middle, id="all other pages lost"),
    pytest.param(lambda path: os.truncate(path, 4096), id="cut after a page"),
    pytest.param(lambda path: os.truncate(path, 5000), id="cut inside a page"),
    pytest.param(lambda path: path.write_text('{"json": true}'), id="a JSON file"),
    pytest.param(other_schema, id="another schema"),
]


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_file_is_set_aside(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    """A fresh file takes over, everybody hears it, and nothing is raised."""
    path = filled(tmp_path)
    damage(path)
    store = StateStore(tmp_path)

    found = store.get("s7")
    store.put(state("new", "a"))

    assert found is None
    assert store.was_damaged
    assert StateStore(tmp_path).was_damaged
    assert StateStore(tmp_path).get("new") == state("new", "a")
    assert StateStore(tmp_path).health().set_aside == (path,)
    assert StateStore(tmp_path).health().intact


def test_damage_under_a_running_process_costs_it_nothing(tmp_path: Path) -> None:
    """What is in memory goes on, and into the fresh file."""
    store = StateStore(tmp_path)
    for number in range(50):
        store.put(state(f"s{number}", "a"))
    path = store.health().path
    for suffix in ("", "-wal"):
        part = path.with_name(path.name + suffix)
        part.write_bytes(b"\xff" * part.stat().st_size)

    answers = [store.get(f"s{number}") for number in range(50)]
    other = StateStore(tmp_path)  # the running one may not see it: SQLite has the pages cached
    other.get("s1")
    store.put(state("last", "b"))
    store.put(state("very last", "b"))

    assert answers == [state(f"s{number}", "a") for number in range(50)]
    assert other.was_damaged
    assert [other.get(f"s{number}") for number in range(50)] == answers
    assert other.get("last") == state("last", "b")
    assert other.health().intact


def test_removed_folder_is_made_again(tmp_path: Path) -> None:
    """Somebody deletes the state while the gateway runs."""
    store = StateStore(tmp_path)
    store.put(state("s1", "a"))
    shutil.rmtree(tmp_path / "tool-router")

    store.put(state("s2", "a"))
    store.put(state("s3", "a"))

    fresh = StateStore(tmp_path)
    assert [fresh.get(name) for name in ("s1", "s2", "s3")] == [
        state(name, "a") for name in ("s1", "s2", "s3")
    ]
    assert not fresh.was_damaged


def test_file_of_a_later_version_is_left_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """After a downgrade the store works in memory and destroys nothing."""
    path = filled(tmp_path, sessions=3)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    store = StateStore(tmp_path)

    with caplog.at_level(logging.WARNING):
        store.put(state("s9", "a"))
        answer = store.get("s9")

    assert answer == state("s9", "a")
    assert "later version" in store.problem
    assert path.read_bytes() == before
    assert len(caplog.records) == 1
    assert not store.was_damaged


def test_locked_file_is_waited_for_once_and_then_left_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Turns go on in memory; when the lock is gone everything is written."""
    path = filled(tmp_path, sessions=1)
    now = [0.0]
    store = StateStore(tmp_path, events=15, monotonic=lambda: now[0])
    store.get("s0")
    with closing(sqlite3.connect(path)) as holder, caplog.at_level(logging.WARNING):
        holder.execute("BEGIN IMMEDIATE")
        for number in range(20):
            store.put(state(f"held{number}", "a"))
            store.log(CallRecord(purpose="route", backend="x", outcome="ok"))
            store.count("recoveries")
        during = (store.get("held3"), store.problem, store.counters()["recoveries"])
        holder.rollback()

    now[0] += PAUSE_S
    store.put(state("after", "a"))
    store.count("recoveries")
    store.log(CallRecord(purpose="route", backend="y", outcome="ok"))

    assert during == (state("held3", "a"), "SQLITE_BUSY", 20)
    assert len(caplog.records) == 1
    assert store.problem == ""
    fresh = StateStore(tmp_path)
    assert [fresh.get(f"held{n}") for n in range(20)] == [state(f"held{n}", "a") for n in range(20)]
    assert fresh.counters() == {"recoveries": 21, "log_lost": 5}
    assert [row["backend"] for row in fresh.tail("calls")] == ["x"] * 15 + ["y"]


def test_file_where_the_folder_should_be(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Everything works in memory, digests and marks included."""
    (tmp_path / "tool-router").write_text("in the way", encoding="utf-8")
    store = StateStore(tmp_path)

    with caplog.at_level(logging.WARNING):
        store.put(state("s1", "a"))
        results = (store.get("s1"), store.get("s2"), store.mark("m"), store.mark("m"))
        digests = {store.digest("x"), store.digest("x")}
        store.note_choice(1, "once")

    assert results == (state("s1", "a"), None, True, False)
    assert len(digests) == 1
    assert (store.tail("gate"), store.sessions(), store.prune()) == ([], (), 0)
    assert not store.health().intact
    assert len(caplog.records) == 1


@pytest.mark.skipif(not hasattr(os, "setuid") or os.getuid() != 0, reason="needs another user")
def test_home_that_may_not_be_written(tmp_path: Path) -> None:
    """Another user's process: read-only home, everything in memory."""
    tmp_path.chmod(0o755)
    for parent in tmp_path.parents[:3]:
        parent.chmod(0o755)
    code = """
        import os
        os.setuid(65534)
        store.put(state("s1", "a"))
        print(store.get("s1") == state("s1", "a"), store.problem)
    """

    process = child(code, str(tmp_path))
    output, _ = process.communicate(timeout=60)

    assert (process.returncode, output) == (0, "True Permission denied\n")


def test_full_disk(tmp_path: Path) -> None:
    """A write that the system refuses keeps the state in memory and the file whole."""
    filled(tmp_path, sessions=20)
    code = """
        import resource
        store.get("s1")
        resource.setrlimit(resource.RLIMIT_FSIZE, (70000, 70000))
        for number in range(400):
            store.put(state(f"more{number}", *(f"tool_{n}" for n in range(20))))
        print(store.get("more399") is not None, store.problem != "", store.was_damaged)
    """

    process = child(code, str(tmp_path))
    output, _ = process.communicate(timeout=60)

    assert (process.returncode, output) == (0, "True True False\n")
    assert StateStore(tmp_path).health().intact
    assert StateStore(tmp_path).get("s1") is not None


def test_killed_process_loses_nothing_that_it_had_put(tmp_path: Path) -> None:
    """``kill -9`` in the middle of writing: every state that was announced is there."""
    code = """
        for number in range(100000):
            store.put(state(f"s{number}", "a", "b"))
            print(number, flush=True)
    """
    process = child(code, str(tmp_path))
    assert process.stdout is not None
    announced = [int(process.stdout.readline()) for _ in range(150)]

    process.send_signal(signal.SIGKILL)
    process.wait(timeout=30)
    announced += [int(line) for line in process.stdout.read().split()]
    process.stdout.close()

    store = StateStore(tmp_path)
    assert [store.get(f"s{n}") for n in announced] == [state(f"s{n}", "a", "b") for n in announced]
    assert store.health().intact
    assert not store.was_damaged


def test_many_processes_start_on_a_fresh_home_at_once(tmp_path: Path) -> None:
    """Six processes create the file together; none falls back to memory, nothing is lost."""
    code = """
        import time
        while time.time() < float(sys.argv[3]):
            pass
        for number in range(40):
            store.put(state(f"{sys.argv[2]}-{number}", "a"))
            store.count("writes")
        print(store.problem, store.was_damaged)
    """
    together = str(time.time() + 2.5)
    processes = [child(code, str(tmp_path), str(n), together) for n in range(6)]

    outputs = [process.communicate(timeout=120)[0] for process in processes]

    store = StateStore(tmp_path)
    assert outputs == [" False\n"] * 6
    assert store.health().rows["surfaces"] == 240
    assert store.counters() == {"writes": 240}


def test_processes_that_find_the_same_damage_agree_on_one_fresh_file(tmp_path: Path) -> None:
    """Both go on in the same place, and neither writes into the damaged one."""
    path = filled(tmp_path)
    first, second = StateStore(tmp_path), StateStore(tmp_path)
    first.get("s1")
    second.get("s1")
    for suffix in ("", "-wal"):
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.write_bytes(b"\xff" * part.stat().st_size)

    first.put(state("from first", "a"))
    second.put(state("from second", "a"))
    first.put(state("again", "a"))

    fresh = StateStore(tmp_path)
    assert [fresh.get(name) for name in ("from first", "from second", "again")] == [
        state(name, "a") for name in ("from first", "from second", "again")
    ]
    assert fresh.health().path.name == "state.1.db"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forked_child_opens_its_own_connection(tmp_path: Path) -> None:
    """SQLite connections do not survive a fork."""
    code = """
        import os
        store.put(state("parent", "a"))
        pid = os.fork()
        if pid == 0:
            store.put(state("child", "a"))
            os._exit(0)
        os.waitpid(pid, 0)
        store.put(state("parent again", "a"))
        print(store.get("child") == state("child", "a"))
    """

    process = child(code, str(tmp_path))
    output, _ = process.communicate(timeout=60)

    assert output == "True\n"
    assert StateStore(tmp_path).health().rows["surfaces"] == 3
    assert StateStore(tmp_path).health().intact
