"""The user's own Hermes history, read and never written.

Facts about the file are those of hermes-agent 0.18.1 (schema 19) to 0.19.0
(schema 22), ``hermes_state.py``: tables ``sessions`` and ``messages``; a list
as message content is JSON behind a NUL prefix; rows that a compression
replaced are marked ``compacted`` and are still what the user wrote, while the
summary and the copies that it put in their place are not read twice.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from hashlib import blake2s
from pathlib import Path

from ..registry_adapter.events import message_from
from ..registry_adapter.tokens import BYTES_PER_TOKEN
from ..router.errors import RouterError
from ..router.values import Message

__all__ = [
    "HistoryError",
    "PastCall",
    "PastRequest",
    "PastSession",
    "PastTurn",
    "count_sessions",
    "read_sessions",
]

_JSON_PREFIX = "\x00json:"
_BUSY_S = 2.0
# hermes-agent 0.19.0 agent/context_compressor.py: how every version began its summary.
_SUMMARIES = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]")
_NEEDED = {
    "sessions": {"id", "source", "model", "started_at"},
    "messages": {"id", "session_id", "role", "content", "tool_calls", "timestamp"},
}
# hermes-agent 0.19.0 tools/async_delegation.py:93 opens the file before a session does.
_BEFORE_SESSIONS = {"async_delegations"}


class HistoryError(RouterError):
    """The history is missing, locked, damaged or of a version that is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PastCall:
    """One tool call; arguments that do not read are empty."""

    tool: str
    arguments: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PastRequest:
    """One provider request, as its answer tells.

    Attributes:
        calls: tools that the answer called, empty for a plain text.
        at: Unix seconds at which the answer was stored.
        messages: estimated tokens of all messages that the request carried.
    """

    calls: tuple[PastCall, ...] = ()
    at: float = 0.0
    messages: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PastTurn:
    """One user message and what the agent did about it.

    Attributes:
        message: as it is stored, host frames included.
        requests: at least one; a turn without an answer sent one request all the same.
    """

    message: Message
    requests: tuple[PastRequest, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PastSession:
    """One session, oldest turn first.

    Attributes:
        parent: the session that this one continues, branched off or was delegated from.
        system: estimated tokens of the system prompt.
        prompt: a digest of it, which tells prompts apart.
    """

    id: str
    platform: str
    model: str
    parent: str
    started_at: float
    system: int
    prompt: str
    turns: tuple[PastTurn, ...]


def count_sessions(path: Path, *, limit: int | None = None, since: float = 0.0) -> int:
    """Number of sessions that :func:`read_sessions` would yield.

    Raises:
        HistoryError: see :func:`read_sessions`.
    """
    with _Opened(path) as db:
        return len(_ids(db, limit, since))


def read_sessions(
    path: Path, *, limit: int | None = None, since: float = 0.0
) -> Iterator[PastSession]:
    """Yield sessions, the oldest first, one in memory at a time.

    Args:
        path: ``state.db`` of a Hermes home.
        limit: only so many, the latest ones; ``None``: all.
        since: Unix seconds; sessions that started earlier are left out.

    Raises:
        HistoryError: the file is missing, locked by a writer for longer than
            two seconds, damaged, or lacks a table or column that is needed.
    """
    with _Opened(path) as db:
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
            uri = f"{self._path.resolve().as_uri()}?mode=ro"
            self._db = sqlite3.connect(uri, uri=True, timeout=_BUSY_S)
            self._db.row_factory = sqlite3.Row
            self._db.text_factory = _text  # one damaged text must not end the whole reading
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


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _check(db: sqlite3.Connection, path: Path) -> None:
    tables = {
        str(row["name"])
        for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    }
    if tables <= _BEFORE_SESSIONS:
        raise HistoryError(f"{path} holds no session yet; they appear with first use")
    for table, needed in _NEEDED.items():
        columns = {str(row["name"]) for row in db.execute(f"PRAGMA table_info({table})")}
        if missing := sorted(needed - columns):
            raise HistoryError(
                f"{path} has no {table}.{missing[0]}: this is no history of "
                "hermes-agent 0.18.1 or newer"
            )


def _mapped(path: Path, error: sqlite3.Error) -> HistoryError:
    if "locked" in str(error) or "busy" in str(error):
        return HistoryError(f"{path} is locked by a writer; try again when Hermes is idle")
    return HistoryError(f"{path} does not read as a history: {error}; nothing was changed")


def _ids(db: sqlite3.Connection, limit: int | None, since: float) -> list[sqlite3.Row]:
    statement = (
        "SELECT id, source, model, started_at, "
        f"{_column(db, 'sessions', 'parent_session_id', 'NULL')} AS parent, "
        f"{_column(db, 'sessions', 'system_prompt', 'NULL')} AS system "
        "FROM sessions WHERE started_at >= ? ORDER BY started_at DESC, id DESC LIMIT ?"
    )
    try:
        found = db.execute(statement, (since, -1 if limit is None else limit)).fetchall()
    except sqlite3.Error as error:
        raise HistoryError(f"the list of sessions does not read: {error}") from error
    return found[::-1]  # a parent before the sessions that continue it


def _column(db: sqlite3.Connection, table: str, name: str, otherwise: str) -> str:
    known = {str(row["name"]) for row in db.execute(f"PRAGMA table_info({table})")}
    return name if name in known else otherwise


def _session(db: sqlite3.Connection, row: sqlite3.Row) -> PastSession:
    statement = (
        "SELECT role, CASE WHEN role IN ('user', 'assistant') THEN content END AS content, "
        "length(CAST(content AS BLOB)) AS size, tool_calls, timestamp, "
        f"{_column(db, 'messages', 'compacted', '0')} AS compacted "
        "FROM messages WHERE session_id = ? ORDER BY id"
    )
    seen: set[tuple[object, ...]] = set()
    if row["parent"]:
        with closing(db.execute(statement, (row["parent"],))) as rows:
            seen = {_key(item) for item in rows}
    with closing(db.execute(statement, (row["id"],))) as rows:
        turns = tuple(_turns(rows, seen))
    system = str(row["system"] or "").encode("utf-8", "surrogatepass")
    return PastSession(
        id=str(row["id"]),
        platform=str(row["source"] or ""),
        model=str(row["model"] or ""),
        parent=str(row["parent"] or ""),
        started_at=float(row["started_at"]),
        system=_tokens(len(system)),
        prompt=blake2s(system, digest_size=8).hexdigest(),
        turns=turns,
    )


class _Reader:
    """Rows of one session to turns."""

    def __init__(self) -> None:
        self.message: Message | None = None
        self.requests: list[PastRequest] = []
        self.messages = 0
        self.at = 0.0

    def turn(self) -> PastTurn | None:
        if self.message is None:
            return None
        return PastTurn(
            message=self.message,
            requests=tuple(self.requests) or (PastRequest(at=self.at, messages=self.messages),),
        )

    def take(self, row: sqlite3.Row) -> None:
        self.at = _number(row["timestamp"])
        if row["role"] == "user":
            self.message, self.requests = message_from(_decoded(row["content"])), []
        elif row["role"] == "assistant":
            self.requests.append(
                PastRequest(
                    calls=_calls(row["tool_calls"]),
                    at=self.at,
                    messages=self.messages,
                )
            )
        self.messages += _tokens(row["size"])


def _turns(rows: Iterable[sqlite3.Row], copied: set[tuple[object, ...]]) -> Iterator[PastTurn]:
    """Turns of a session without the copies that a compression or a branch made.

    Args:
        rows: in the order in which they were stored.
        copied: rows of the parent session.
    """
    reader = _Reader()
    replaced: set[tuple[object, ...]] = set()
    for row in rows:
        if row["compacted"]:
            replaced.add(_key(row))
        elif (replaced or copied) and ((key := _key(row)) in replaced or key in copied):
            continue
        if str(row["content"] or "").lstrip().startswith(_SUMMARIES):
            continue
        if row["role"] == "user" and (turn := reader.turn()):
            yield turn
        reader.take(row)
    if turn := reader.turn():
        yield turn


def _key(row: sqlite3.Row) -> tuple[object, ...]:
    return row["role"], row["content"], row["size"], row["tool_calls"]


def _tokens(size: object) -> int:
    """Estimated tokens of so many bytes."""
    return round(size / BYTES_PER_TOKEN) if isinstance(size, int) else 0


def _number(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


def _decoded(content: object) -> object:
    if isinstance(content, str) and content.startswith(_JSON_PREFIX):
        try:
            return json.loads(content.removeprefix(_JSON_PREFIX))
        except ValueError:
            return content
    return content


def _calls(calls: object) -> tuple[PastCall, ...]:
    listed = _json(calls)
    if not isinstance(listed, list):
        return ()
    functions = (call.get("function") for call in listed if isinstance(call, Mapping))
    return tuple(
        PastCall(tool=function["name"], arguments=_arguments(function.get("arguments")))
        for function in functions
        if isinstance(function, Mapping) and isinstance(function.get("name"), str)
    )


def _arguments(value: object) -> Mapping[str, object]:
    found = _json(value)
    return found if isinstance(found, dict) else {}


def _json(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        found: object = json.loads(value)
    except ValueError:
        return None
    return found
