"""One SQLite file that several processes and threads share, and that may fail.

Nothing here raises to a caller.  A file that cannot be used (read-only home,
lock held too long, disk full) is left alone for :data:`PAUSE_S` and callers
get their fallback.  Every commit is whole or absent after ``kill -9``: the
journal is a write-ahead log.

A damaged file is left where it is and the next number is used instead:
``state.db``, ``state.1.db``, …  It is not renamed, because SQLite finds its
journal by name: a process that still has the damaged file open would write
into, or delete, the journal of the fresh one.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TypeVar

__all__ = ["FOLDER", "PAUSE_S", "SCHEMA", "SCHEMA_VERSION", "StateFile"]

FOLDER = "tool-router"
BUSY_S = 0.25
"""Longest wait for another process' write: it is inside a turn of somebody."""
PAUSE_S = 30.0
"""How long a failing file is left alone before it is tried again."""
SCHEMA_VERSION = 1

SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS surfaces (
  session_id TEXT PRIMARY KEY, parent TEXT NOT NULL, payload TEXT NOT NULL,
  created_at REAL NOT NULL, updated_at REAL NOT NULL);
CREATE INDEX IF NOT EXISTS surfaces_age ON surfaces (updated_at);
CREATE TABLE IF NOT EXISTS decisions (
  id INTEGER PRIMARY KEY, at REAL NOT NULL, session TEXT, message TEXT, outcome TEXT, grade TEXT,
  tier TEXT, reasons TEXT, toolsets TEXT, tokens_full INTEGER, tokens_sent INTEGER,
  micros INTEGER, platform TEXT, mode TEXT, errors TEXT);
CREATE TABLE IF NOT EXISTS calls (
  id INTEGER PRIMARY KEY, at REAL NOT NULL, purpose TEXT, backend TEXT, outcome TEXT, model TEXT,
  pack TEXT, latency_ms REAL, input_tokens INTEGER, output_tokens INTEGER, cached INTEGER,
  sent_bytes INTEGER, truncated INTEGER, redactions INTEGER);
CREATE TABLE IF NOT EXISTS gate (
  id INTEGER PRIMARY KEY, at REAL NOT NULL, session TEXT, tool TEXT, verdict TEXT, outcome TEXT,
  findings TEXT, tier TEXT, severity INTEGER, context TEXT, thresholds TEXT, call TEXT,
  choice TEXT, micros INTEGER, mode TEXT);
CREATE TABLE IF NOT EXISTS counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
"""

_EXPECTED = {
    "meta": "name, value",
    "surfaces": "session_id, parent, payload, created_at, updated_at",
    "decisions": "id, at, session, message, outcome, grade, tier, reasons, toolsets, tokens_full,"
    " tokens_sent, micros, platform, mode, errors",
    "calls": "id, at, purpose, backend, outcome, model, pack, latency_ms, input_tokens,"
    " output_tokens, cached, sent_bytes, truncated, redactions",
    "gate": "id, at, session, tool, verdict, outcome, findings, tier, severity, context,"
    " thresholds, call, choice, micros, mode",
    "counters": "name, value",
}

_log = logging.getLogger(__name__)
_T = TypeVar("_T")


class _DamagedError(Exception):
    """The file is no database of ours."""


class _TooNewError(Exception):
    """The file was written by a later version of this plugin."""


class StateFile:
    """Runs short transactions on the file, or says that it cannot."""

    def __init__(
        self,
        home: Path,
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.folder = home / FOLDER
        self.problem = ""
        """Why the file is not in use at the moment, empty while it is."""
        self.damages = 0
        """How often in the life of this object a damaged file made way for a fresh one."""
        self.replacements = 0
        """How often another file than before was found or started at the path."""
        self._use(0)
        self._monotonic = monotonic
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._asking: sqlite3.Cursor | None = None  # of that connection, asked at every request
        self._parents: list[sqlite3.Connection] = []  # closing one here would harm the parent's
        self._inode = 0
        self._process = 0
        self._retry_at = 0.0
        self._said: set[str] = set()

    def set_aside(self) -> tuple[Path, ...]:
        """Damaged files of earlier numbers that still lie in the folder."""
        earlier = (self._numbered(number) for number in range(self._number))
        return tuple(path for path in earlier if path.exists())

    def run(self, action: Callable[[sqlite3.Connection], _T], fallback: _T) -> _T:
        """The result of ``action``, committed; ``fallback`` if the file cannot be used."""
        with self._lock:
            if self.problem and self._monotonic() < self._retry_at:
                return fallback
            for attempt in (1, 2):
                try:
                    with self._transaction() as connection:
                        result = action(connection)
                except (_DamagedError, sqlite3.DatabaseError, OSError, _TooNewError) as error:
                    if attempt == 1 and _is_damage(error) and self._put_aside():
                        continue
                    self._fail(error)
                    return fallback
                self.problem = ""
                return result
        return fallback

    def version(self) -> int | None:
        """SQLite's data version, which other processes' commits move; ``None``: no file in use.

        Asked at every request, so it costs no transaction.
        """
        with self._lock:
            asking = self._asking
            if not self.problem and asking is not None and self._process == os.getpid():
                try:
                    return _data_version(asking)
                except sqlite3.Error:
                    pass  # a transaction finds out why, below
            return self.run(_data_version, None)

    def close(self) -> None:
        """Let go of the file; the next use opens it again."""
        with self._lock:
            connection, self._connection, self._asking = self._connection, None, None
            if connection is None:
                return
            if self._process == os.getpid():
                connection.close()
            else:
                self._parents.append(connection)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        connection = self._opened()
        with connection:
            yield connection

    def _opened(self) -> sqlite3.Connection:
        """The connection of this process: SQLite's do not survive a fork."""
        if self._connection is not None and self._process == os.getpid():
            if self._in_place():
                return self._connection
            self.replacements += 1
        self.close()
        self._process = os.getpid()
        self._inode = self._make_private()
        with ExitStack() as undo:
            connection = undo.enter_context(
                closing(sqlite3.connect(self.path, timeout=BUSY_S, check_same_thread=False))
            )
            self._prepare(connection)
            undo.pop_all()
        self._connection = connection
        self._asking = connection.cursor()
        # Closing folds the journal into the file and spares its reader a warning.
        weakref.finalize(self, _close_in, os.getpid(), connection)
        return connection

    def _in_place(self) -> bool:
        """Whether the open file is still there, and no other process went on to the next."""
        used, following = self._names
        try:
            found = os.stat(used)  # noqa: PTH116 - at every use; Path.stat is slower
        except OSError:
            return False
        return found.st_ino == self._inode and not os.access(following, os.F_OK)

    def _use(self, number: int) -> None:
        """Turn to a file; the names are made here, because every transaction asks for them."""
        self._number = number
        self.path = self._numbered(number)
        """The file in use, or the one that would be."""
        self._names = str(self.path), str(self._numbered(number + 1))

    def _numbered(self, number: int) -> Path:
        return self.folder / (f"state.{number}.db" if number else "state.db")

    def _latest(self) -> int:
        """The highest number in the folder."""
        numbers = [0]
        for path in self.folder.glob("state.*.db"):
            text = path.name.removeprefix("state.").removesuffix(".db")
            if text.isdecimal():
                numbers.append(int(text))
        return max(numbers)

    def _make_private(self) -> int:
        """Folder 0700 and file 0600 before a single byte is in it; returns the file's inode."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if self.folder.stat().st_mode & 0o077:
            self.folder.chmod(0o700)
        self._use(self._latest())
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        found = self.path.stat()
        if found.st_mode & 0o077:
            self.path.chmod(0o600)
        return found.st_ino

    @staticmethod
    def _prepare(connection: sqlite3.Connection) -> None:
        _retried(lambda: connection.execute("PRAGMA journal_mode = WAL"))
        # NORMAL may lose the last commits in a power cut, never the file's order.
        connection.execute("PRAGMA synchronous = NORMAL")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > SCHEMA_VERSION:
            raise _TooNewError(f"written by a later version (schema {version})")
        if version < SCHEMA_VERSION:
            script = f"BEGIN IMMEDIATE; {SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"
            _retried(lambda: connection.executescript(script))
        for table, columns in _EXPECTED.items():
            try:
                connection.execute(f"SELECT {columns} FROM {table} LIMIT 0")
            except sqlite3.OperationalError as error:
                raise _DamagedError(str(error)) from error

    def _put_aside(self) -> bool:
        """Go on to the next number, unless another process already did."""
        self.close()
        damaged, number = self.path, self._number
        try:
            self._use(max(number + 1, self._latest()))
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError:
            return False
        self.damages += 1
        self.replacements += 1
        self._warn(f"state file {damaged.name} is damaged; starting {self.path.name}")
        return True

    def _fail(self, error: Exception) -> None:
        self.close()
        self.problem = _kind(error)
        self._retry_at = self._monotonic() + PAUSE_S
        self._warn(f"state file is not usable ({self.problem}); sessions are kept in memory")

    def _warn(self, text: str) -> None:
        """Log a text once in the life of this object."""
        if text not in self._said:
            self._said.add(text)
            _log.warning("tool-router: %s path=%s", text, self.path)


def _data_version(asking: sqlite3.Connection | sqlite3.Cursor) -> int | None:
    version: int = asking.execute("PRAGMA data_version").fetchone()[0]
    return version


def _close_in(process: int, connection: sqlite3.Connection) -> None:
    """Close a connection in the process that opened it; elsewhere it is the parent's."""
    if os.getpid() == process:
        connection.close()


def _retried(action: Callable[[], object]) -> None:
    """Run what the first processes of a fresh file do at once, and SQLite does not queue."""
    for wait_s in (0.01, 0.02, 0.04, 0.08):
        try:
            action()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
                raise
            time.sleep(wait_s)
        else:
            return
    action()


def _is_damage(error: Exception) -> bool:
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", None)
        return code is not None and code & 0xFF in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
    return isinstance(error, _DamagedError)


def _kind(error: Exception) -> str:
    """A short stable reason: never a message, which may hold a path of somebody."""
    if isinstance(error, sqlite3.Error):
        return str(getattr(error, "sqlite_errorname", "") or type(error).__name__)
    if isinstance(error, OSError):
        return os.strerror(error.errno) if error.errno else type(error).__name__
    return str(error)
