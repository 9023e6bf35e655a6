"""What outlives a process: surfaces of sessions, logs, counters (design D6).

Surfaces are answered from memory while no other process has written; the file
is written only when something changes.  No method raises: where the file
cannot be used everything works in memory, and :attr:`StateStore.problem` says
why.
"""

from __future__ import annotations

import contextlib
import hashlib
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..router.errors import StateError
from ..router.session import SessionState, from_json, to_json
from .log_names import LogName
from .notes import Notes
from .records import Record, columns
from .store_file import StateFile
from .store_pending import TABLES, Pending
from .store_queries import drop_old, one, row_counts, rows_after, salt

__all__ = ["Health", "StateStore"]

MEMORY = 4096
"""Sessions kept in memory; a gateway's live sessions are far fewer."""
PRUNE_EVERY = 256
"""Writes between two prunings."""
TOUCH_S = 86400.0
"""A session in use is written again after this time, so that retention does not take it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """What the doctor says about the store."""

    path: Path
    problem: str
    """Why the file is not in use, empty while it is."""
    intact: bool
    """SQLite's own check found nothing; false as well where it could not look."""
    damaged_at: float | None
    """When a damaged file was first set aside (Unix seconds)."""
    set_aside: tuple[Path, ...]
    """Damaged files that still lie in the folder."""
    rows: Mapping[str, int]
    """Rows by table."""
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """A session in memory."""

    state: SessionState | None
    """``None``: known to be unknown."""
    touched: float
    """When its row was last written or read (Unix seconds)."""


class StateStore:
    """The state of one home; safe to use from any thread and several processes."""

    def __init__(
        self,
        home: Path,
        *,
        days: int = 30,
        rows: int = 20000,
        events: int = 128,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._file = StateFile(home, monotonic=monotonic)
        self.notes = Notes(self._file)
        self._clock = clock
        self._days = days
        self._rows = rows
        self._events = events
        self._lock = threading.RLock()
        self._memory: OrderedDict[str, _Kept] = OrderedDict()
        self._pending = Pending()
        self._data_version: int | None = None
        self._replacements = 0
        self._writes = 0
        self._salt = b""
        self._marks: set[str] = set()

    # -- surfaces ---------------------------------------------------------

    def get(self, session_id: str) -> SessionState | None:
        """The state of a session; ``None`` where it is not known or does not read."""
        with self._lock:
            self._follow_the_file()
            kept = self._memory.get(session_id)
            if kept is None:
                kept = self._from_disk(session_id)
                if self._file.problem:
                    return kept.state
                self._remember(session_id, kept)
            elif kept.state is not None and self._clock() - kept.touched > TOUCH_S:
                self.put(kept.state)
            self._memory.move_to_end(session_id)
            return kept.state

    def put(self, state: SessionState, *, parent: str = "") -> None:
        """Keep a state.  Of two processes that write one session, the later wins.

        Args:
            state: the whole state.
            parent: session that this one continues, empty if none.
        """
        with self._lock:
            self._follow_the_file()
            self._pending.surfaces[state.session_id] = parent
            self._remember(state.session_id, _Kept(state=state, touched=self._clock()))
            self._write()

    def flush(self) -> None:
        """Write what waits for the next write, if anything does."""
        with self._lock:
            if self._pending:
                self._write()

    def sessions(self, limit: int = 20) -> tuple[SessionState, ...]:
        """States on disk, the latest first."""
        payloads: list[tuple[str, str]] = self._file.run(
            lambda db: db.execute(
                "SELECT session_id, payload FROM surfaces ORDER BY updated_at DESC LIMIT ?",
                (limit,),
            ).fetchall(),
            [],
        )
        states = (_read(payload, session_id) for session_id, payload in payloads)
        return tuple(state for state in states if state is not None)

    # -- logs -------------------------------------------------------------

    def log(self, record: Record, *, counter: str = "", later: bool = False) -> int | None:
        """Append a record, and add one to a counter in the same transaction.

        Where the file cannot be used, the latest records wait in memory and are
        written later; those that do not fit are counted as ``log_lost``.

        Args:
            record: the row.
            counter: a counter that goes up by one, empty for none.
            later: the caller's next write takes it along, such as the surface that it tells of.

        Returns:
            Its row id, ``None`` where it waits.
        """
        with self._lock:
            self._pending.add_row(self._clock(), record)
            if counter:
                self._pending.count(counter, 1)
            return None if later else self._write()

    def note_choice(self, gate_row: int, choice: str) -> None:
        """Add what the human chose to a verdict that was logged before."""
        self._file.run(
            lambda db: db.execute("UPDATE gate SET choice = ? WHERE id = ?", (choice, gate_row)),
            None,
        )

    def tail(self, name: LogName, *, after: int = 0, limit: int = 50) -> list[dict[str, object]]:
        """Rows of a log with an id above ``after``, oldest first, the latest ``limit`` of them."""
        kind = next(kind for kind, table in TABLES.items() if table == name)
        names = ("id", "at", *columns(kind))
        return self._file.run(lambda db: rows_after(db, name, names, after, limit), [])

    # -- counters and marks -------------------------------------------------

    def count(self, name: str, by: int = 1, *, later: bool = False) -> None:
        """Add to a counter, such as ``recoveries``, ``could_not_ask`` or ``unattended``.

        Args:
            name: the counter.
            by: what is added.
            later: as for :meth:`log`.
        """
        with self._lock:
            self._pending.count(name, by)
            if not later:
                self._write()

    def counters(self) -> dict[str, int]:
        """All counters, with what this process could not write yet."""
        with self._lock:
            rows: list[tuple[str, int]] = self._file.run(
                lambda db: db.execute("SELECT name, value FROM counters").fetchall(), []
            )
            found = dict(rows)
            for name, value in self._pending.counts.items():
                found[name] = found.get(name, 0) + value
            return found

    def mark(self, name: str) -> bool:
        """Set a mark that is set once for this home; true if this call set it."""
        with self._lock:
            fresh = self._file.run(
                lambda db: (
                    db.execute(
                        "INSERT OR IGNORE INTO meta VALUES (?, ?)",
                        (f"mark.{name}", str(self._clock())),
                    ).rowcount
                    == 1
                ),
                name not in self._marks,
            )
            self._marks.add(name)
            return fresh

    def marked(self, name: str) -> bool:
        """Whether a mark is set."""
        on_disk = self._file.run(
            lambda db: one(db, "SELECT value FROM meta WHERE name = ?", f"mark.{name}"), None
        )
        return on_disk is not None or name in self._marks

    def digest(self, text: str) -> str:
        """A keyed digest of a text: 16 hexadecimal characters, equal for equal texts.

        The key is made once per home and never leaves it; where the file
        cannot be used it lives as long as the process.
        """
        with self._lock:
            if not self._salt:
                fresh = secrets.token_hex(32)
                kept = self._file.run(lambda db: salt(db, fresh), fresh)
                self._salt = kept.encode()
        raw = text.encode("utf-8", "surrogatepass")
        return hashlib.blake2b(raw, key=self._salt[:64], digest_size=8).hexdigest()

    # -- upkeep -----------------------------------------------------------

    @property
    def problem(self) -> str:
        """Why the file is not in use, empty while it is."""
        return self._file.problem

    @property
    def was_damaged(self) -> bool:
        """A damaged file was set aside, so sessions that the host knows may be unknown here.

        Whoever decides for such a session leaves it the full surface.
        """
        return self._file.damages > 0 or self._damaged_at() is not None

    def keep(self, *, days: int, rows: int, events: int = 128) -> None:
        """Set the retention.

        Args:
            days: age of any row.
            rows: rows per log table.
            events: log rows that wait in memory while the file cannot be used.
        """
        self._days, self._rows, self._events = days, rows, events

    def prune(self) -> int:
        """Drop what is past retention; returns the number of rows dropped."""
        oldest = self._clock() - self._days * 86400
        self._remove_set_aside(oldest)
        return self._file.run(lambda db: drop_old(db, oldest, self._rows), 0)

    def health(self) -> Health:
        """Look at the file as the doctor does; reads it whole."""
        intact = self._file.run(lambda db: one(db, "PRAGMA quick_check"), None) == "ok"
        rows: dict[str, int] = self._file.run(row_counts, {})
        path = self._file.path
        size = path.stat().st_size if path.is_file() else 0
        return Health(
            path=path,
            problem=self.problem,
            intact=intact,
            damaged_at=self._damaged_at(),
            set_aside=self._file.set_aside(),
            rows=rows,
            bytes=size,
        )

    def close(self) -> None:
        """Let go of the file; the next use opens it again."""
        self._file.close()

    def _damaged_at(self) -> float | None:
        value = self._file.run(
            lambda db: one(db, "SELECT value FROM meta WHERE name = ?", "damaged_at"), None
        )
        return float(value) if isinstance(value, str) else None

    def _from_disk(self, session_id: str) -> _Kept:
        statement = "SELECT payload, updated_at FROM surfaces WHERE session_id = ?"
        found: tuple[object, float] | None = self._file.run(
            lambda db: db.execute(statement, (_key(session_id),)).fetchone(), None
        )
        payload, touched = found or (None, self._clock())
        return _Kept(state=_read(payload, session_id), touched=touched)

    def _remember(self, session_id: str, kept: _Kept) -> None:
        self._memory[session_id] = kept
        self._memory.move_to_end(session_id)
        while len(self._memory) > MEMORY:
            oldest, _ = self._memory.popitem(last=False)
            self._pending.surfaces.pop(oldest, None)

    def _write(self) -> int | None:
        """Write what waits, in one transaction; what fails is tried again at the next write.

        Returns:
            The row id of the latest log row, ``None`` where none was written.
        """
        now, pending = self._clock(), self._pending
        surfaces = [
            (_key(session_id), _key(parent), to_json(kept.state), now, now)
            for session_id, parent in pending.surfaces.items()
            if (kept := self._memory[session_id]).state is not None
        ]
        failed: tuple[bool, int | None] = False, None
        written, rowid = self._file.run(lambda db: pending.write(db, surfaces), failed)
        if written:
            pending.clear()
        else:
            pending.shorten(self._events)
        self._writes += 1
        if self._writes % PRUNE_EVERY == 1:
            self.prune()
        return rowid

    def _follow_the_file(self) -> None:
        """Drop from memory what another process may have changed.

        Another process' commit moves SQLite's data version, ours does not.  A
        damaged or deleted file took everything with it, so what is in memory is
        then the best there is, and is written again.
        """
        version = self._file.version()
        if self._file.replacements != self._replacements:
            self._replacements = self._file.replacements
            self._forget(lambda _key, kept: kept.state is None)
            known = self._pending.surfaces
            known |= {key: "" for key in self._memory if key not in known}
            if self._file.damages:
                self._leave_word_of_damage()
        elif version is not None and version != self._data_version:
            self._forget(lambda key, _kept: key not in self._pending.surfaces)
        if version is not None:
            self._data_version = version

    def _forget(self, which: Callable[[str, _Kept], bool]) -> None:
        for key in [key for key, kept in self._memory.items() if which(key, kept)]:
            del self._memory[key]

    def _remove_set_aside(self, oldest: float) -> None:
        for path in self._file.set_aside():
            with contextlib.suppress(OSError):
                if path.stat().st_mtime < oldest:
                    path.unlink()

    def _leave_word_of_damage(self) -> None:
        """For processes that start later."""
        stamp = (str(self._clock()),)
        self._file.run(
            lambda db: db.execute("INSERT OR IGNORE INTO meta VALUES ('damaged_at', ?)", stamp),
            None,
        )


def _key(text: str) -> str:
    """A host's id as SQLite takes it: a lone surrogate is spelt out."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _read(payload: object, session_id: str) -> SessionState | None:
    """A payload that does not read, or is another session's, counts as unknown."""
    if not isinstance(payload, str):
        return None
    try:
        state = from_json(payload)
    except StateError:
        return None
    return state if _key(state.session_id) == _key(session_id) else None
