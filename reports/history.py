"""The user's own Hermes history, read and never written.

Facts about the file are those of hermes-agent 0.18.1 to 0.19.0
(``hermes_state.py``): tables ``sessions`` and ``messages``; a list as message
content is JSON behind a NUL prefix; rows that a compression replaced are
marked ``compacted`` and are still what the user wrote.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ..registry_adapter.events import message_from
from ..router.errors import RouterError
from ..router.values import Message

__all__ = ["HistoryError", "PastSession", "PastTurn", "count_sessions", "read_sessions"]

_JSON_PREFIX = "\x00json:"
_BUSY_S = 2.0
_NEEDED = {
    "sessions": {"id", "source", "model", "started_at"},
    "messages": {"id", "session_id", "role", "content", "tool_calls"},
}


class HistoryError(RouterError):
    """The history is missing, locked, damaged or of a version that is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PastTurn:
    """One user message and what the agent did about it.

    Attributes:
        message: as it is stored, host frames included.
        replies: for each provider request of the turn the tools that its
            answer called, empty for a plain text; a turn without an answer
            sent one request all the same.
    """

    message: Message
    replies: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PastSession:
    """One session, oldest turn first."""

    id: str
    platform: str
    model: str
    parent: str
    started_at: float
    turns: tuple[PastTurn, ...]


def count_sessions(path: Path, *, limit: int | None = None, since: float = 0.0) -> int:
    """Number of sessions that :func:`read_sessions` would yield.

    Raises:
        HistoryError: see :func:`read_sessions`.
    """
    with _opened(path) as db:
        return len(_ids(db, limit, since))


def read_sessions(
    path: Path, *, limit: int | None = None, since: float = 0.0
) -> Iterator[PastSession]:
    """Yield sessions, the latest first, one in memory at a time.

    Args:
        path: ``state.db`` of a Hermes home.
        limit: most sessions; ``None``: all.
        since: Unix seconds; sessions that started earlier are left out.

    Raises:
        HistoryError: the file is missing, locked by a writer for longer than
            two seconds, damaged, or lacks a table or column that is needed.
    """
    with _opened(path) as db:
        for row in _ids(db, limit, since):
            try:
                yield _session(db, row)
            except sqlite3.Error as error:
                raise _mapped(path, error) from error


class _Opened:
    """A read-only connection whose errors are ours."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._db: sqlite3.Connection | None = None

    def __enter__(self) -> sqlite3.Connection:
        if not self._path.is_file():
            raise HistoryError(f"there is no history at {self._path}; it appears with first use")
        try:
            self._db = sqlite3.connect(f"{self._path.as_uri()}?mode=ro", uri=True, timeout=_BUSY_S)
            self._db.row_factory = sqlite3.Row
            _check(self._db, self._path)
        except sqlite3.Error as error:
            self.__exit__()
            raise _mapped(self._path, error) from error
        except HistoryError:
            self.__exit__()
            raise
        return self._db

    def __exit__(self, *_: object) -> None:
        if self._db is not None:
            self._db.close()


def _opened(path: Path) -> _Opened:
    return _Opened(path)


def _check(db: sqlite3.Connection, path: Path) -> None:
    for table, needed in _NEEDED.items():
        columns = {str(row["name"]) for row in db.execute(f"PRAGMA table_info({table})")}
        if missing := sorted(needed - columns):
            raise HistoryError(
                f"{path} has no {table}.{missing[0]}; a history of hermes-agent 0.18.1 "
                "or newer is needed"
            )


def _mapped(path: Path, error: sqlite3.Error) -> HistoryError:
    if "locked" in str(error) or "busy" in str(error):
        return HistoryError(f"{path} is locked by a writer; try again when Hermes is idle")
    return HistoryError(f"{path} does not read as a history: {error}; nothing was changed")


def _ids(db: sqlite3.Connection, limit: int | None, since: float) -> list[sqlite3.Row]:
    columns = {str(row["name"]) for row in db.execute("PRAGMA table_info(sessions)")}
    parent = "parent_session_id" if "parent_session_id" in columns else "NULL"
    statement = (
        f"SELECT id, source, model, started_at, {parent} AS parent FROM sessions "
        "WHERE started_at >= ? ORDER BY started_at DESC, id LIMIT ?"
    )
    try:
        return db.execute(statement, (since, -1 if limit is None else limit)).fetchall()
    except sqlite3.Error as error:
        raise HistoryError(f"the list of sessions does not read: {error}") from error


def _session(db: sqlite3.Connection, row: sqlite3.Row) -> PastSession:
    with closing(
        db.execute(
            "SELECT role, content, tool_calls FROM messages "
            "WHERE session_id = ? AND role IN ('user', 'assistant') ORDER BY id",
            (row["id"],),
        )
    ) as rows:
        turns = tuple(_turns(rows))
    return PastSession(
        id=str(row["id"]),
        platform=str(row["source"] or ""),
        model=str(row["model"] or ""),
        parent=str(row["parent"] or ""),
        started_at=float(row["started_at"]),
        turns=turns,
    )


def _turns(rows: sqlite3.Cursor) -> Iterator[PastTurn]:
    message: Message | None = None
    replies: list[tuple[str, ...]] = []
    for row in rows:
        if row["role"] != "user":
            replies.append(_names(row["tool_calls"]))
            continue
        if message is not None:
            yield PastTurn(message=message, replies=tuple(replies) or ((),))
        message, replies = message_from(_decoded(row["content"])), []
    if message is not None:
        yield PastTurn(message=message, replies=tuple(replies) or ((),))


def _decoded(content: object) -> object:
    if isinstance(content, str) and content.startswith(_JSON_PREFIX):
        try:
            return json.loads(content.removeprefix(_JSON_PREFIX))
        except ValueError:
            return content
    return content


def _names(calls: object) -> tuple[str, ...]:
    try:
        listed = json.loads(calls) if isinstance(calls, str) else calls
    except ValueError:
        return ()
    if not isinstance(listed, list):
        return ()
    functions = (call.get("function") for call in listed if isinstance(call, Mapping))
    return tuple(
        str(function["name"])
        for function in functions
        if isinstance(function, Mapping) and isinstance(function.get("name"), str)
    )
