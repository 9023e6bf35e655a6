"""Histories made by hand, in the schemas of two Hermes versions."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

# hermes-agent 0.18.1 hermes_state.py, SCHEMA_VERSION 19, abridged.
SESSIONS_0_18_1 = (
    "id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, session_key TEXT, chat_id TEXT, "
    "chat_type TEXT, thread_id TEXT, display_name TEXT, origin_json TEXT, "
    "expiry_finalized INTEGER DEFAULT 0, model TEXT, model_config TEXT, system_prompt TEXT, "
    "parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, "
    "message_count INTEGER DEFAULT 0, tool_call_count INTEGER DEFAULT 0, "
    "input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0, title TEXT, "
    "rewind_count INTEGER NOT NULL DEFAULT 0, archived INTEGER NOT NULL DEFAULT 0"
)
MESSAGES_0_18_1 = (
    "id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id), "
    "role TEXT NOT NULL, content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, "
    "timestamp REAL NOT NULL, token_count INTEGER, finish_reason TEXT, reasoning TEXT, "
    "reasoning_content TEXT, reasoning_details TEXT, codex_reasoning_items TEXT, "
    "codex_message_items TEXT, platform_message_id TEXT, observed INTEGER DEFAULT 0, "
    "active INTEGER NOT NULL DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0"
)
# hermes-agent 0.19.0 hermes_state.py, SCHEMA_VERSION 22: what it added.
SESSIONS_0_19_0 = f"{SESSIONS_0_18_1}, compression_fallback_streak INTEGER, profile_name TEXT"
MESSAGES_0_19_0 = f"{MESSAGES_0_18_1}, effect_disposition TEXT, api_content TEXT"

Row = Mapping[str, Any]


class History:
    """One ``state.db`` in the making."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def create(
        self, *, sessions: str = SESSIONS_0_19_0, messages: str = MESSAGES_0_19_0
    ) -> History:
        """Make the tables."""
        with closing(sqlite3.connect(self.path)) as db, db:
            db.execute(f"CREATE TABLE sessions ({sessions})")
            db.execute(f"CREATE TABLE messages ({messages})")
            db.execute("CREATE INDEX idx_messages_session ON messages(session_id, timestamp)")
        return self

    def create_0_18_1(self) -> History:
        """Make the tables as the older Hermes does."""
        return self.create(sessions=SESSIONS_0_18_1, messages=MESSAGES_0_18_1)

    def add(self, name: str, rows: Iterable[Row], **fields: Any) -> None:
        """Add a session; a row without a time gets the next second."""
        session = {"id": name, "source": "cli", "started_at": 0.0, **fields}
        with closing(sqlite3.connect(self.path)) as db, db:
            _insert(db, "sessions", session)
            for number, row in enumerate(rows):
                at = session["started_at"] + number
                _insert(db, "messages", {"session_id": name, "timestamp": at, **row})

    @staticmethod
    def user(text: object, **more: Any) -> Row:
        """A user's message."""
        return {"role": "user", "content": text, **more}

    @staticmethod
    def said(text: str, **more: Any) -> Row:
        """An answer without a call."""
        return {"role": "assistant", "content": text, **more}

    @staticmethod
    def called(tool: str, arguments: Mapping[str, Any] | None = None, **more: Any) -> Row:
        """An answer that calls one tool."""
        function = {"name": tool, "arguments": json.dumps(arguments or {})}
        calls = [{"id": "c", "type": "function", "function": function}]
        return {"role": "assistant", "content": "", "tool_calls": json.dumps(calls), **more}

    @staticmethod
    def result(text: str) -> Row:
        """A tool's result."""
        return {"role": "tool", "content": text}


def _insert(db: sqlite3.Connection, table: str, row: Row) -> None:
    marks = ", ".join("?" for _ in row)
    db.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))


@pytest.fixture
def history(tmp_path: Path) -> History:
    """A history that is not there yet."""
    return History(tmp_path / "state.db")
