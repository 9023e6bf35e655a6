"""What we ask Hermes: its home, its registry, its sessions.

Every import of Hermes is inside a function: this package must load, and say
what is missing, where Hermes is absent or older.  Names and lines are those
of hermes-agent 0.19.0.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

__all__ = [
    "hermes_home",
    "is_kanban_worker",
    "is_registered",
    "is_review_thread",
    "parent_session",
    "toolset_of",
]

_REVIEW_THREAD = "bg-review"  # run_agent.py:1667


def hermes_home() -> Path:
    """The home of the turn that runs now; a multi-profile gateway switches it per turn."""
    home = _home_of_turn()()
    return home if isinstance(home, Path) else Path(home)


def is_registered(name: str) -> bool:
    """Whether the host's registry knows a tool name."""
    return toolset_of(name) is not None


def is_kanban_worker(environ: Mapping[str, str] | None = None) -> bool:
    """Whether this process works on a kanban task (hermes_cli/kanban_db.py)."""
    return bool((os.environ if environ is None else environ).get("HERMES_KANBAN_TASK"))


def is_review_thread() -> bool:
    """Whether the caller is a background-review fork, which shares its parent's session id."""
    return threading.current_thread().name == _REVIEW_THREAD


def parent_session(home: Path, session_id: str) -> str:
    """Id of the session that this one continues, empty where there is none or it cannot be told.

    Reads the host's ``state.db`` read-only (hermes_state.py:776); a locked,
    absent or foreign file reads as "none".
    """
    path = home / "state.db"
    if not path.is_file():
        return ""
    try:
        with closing(
            sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=0.05)
        ) as connection:
            row = connection.execute(
                "SELECT parent_session_id FROM sessions WHERE id = ?", (session_id,)
            ).fetchone()
    except sqlite3.Error:
        return ""
    return row[0] if row and isinstance(row[0], str) else ""


def toolset_of(name: str) -> str | None:
    """The toolset under which the host's registry has a tool, ``None`` where it has none."""
    found: str | None = _registry().get_toolset_for_tool(name)
    return found


@cache
def _home_of_turn() -> Callable[[], Any]:
    """The host's own answer; imported once, because every turn and request asks."""
    from hermes_constants import get_hermes_home  # noqa: PLC0415 - host import

    ask: Callable[[], Any] = get_hermes_home
    return ask


@cache
def _registry() -> Any:
    """The host's one registry; imported once, because it is asked for every tool of a request."""
    from tools.registry import registry  # noqa: PLC0415 - host import

    return registry
