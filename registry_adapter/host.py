"""What we ask Hermes: its registry, its home, its sessions.

Every import of Hermes is inside a function: this package must load, and say
what is missing, where Hermes is absent or older.  Names and lines are those
of hermes-agent 0.19.0.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from ..recovery.request import NAME as REQUEST_TOOL
from ..recovery.request import TOOLSET as OWN_TOOLSET
from ..router.values import Origin, ToolName, ToolsetName

__all__ = [
    "BRIDGE_TOOLS",
    "Owner",
    "hermes_home",
    "is_kanban_worker",
    "is_registered",
    "is_review_thread",
    "owner_of",
    "parent_session",
]

BRIDGE_TOOLS = frozenset({"tool_search", "tool_describe", "tool_call"})
"""Tool Search's own tools (tools/tool_search.py); pruning one loses everything it defers."""

_REVIEW_THREAD = "bg-review"  # run_agent.py:1667


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Whose a tool is."""

    toolset: ToolsetName
    origin: Origin
    description: str
    """Purpose of the toolset in the host's words, empty where it has none."""


def hermes_home() -> Path:
    """The home of the turn that runs now; a multi-profile gateway switches it per turn."""
    from hermes_constants import get_hermes_home  # noqa: PLC0415 - host import

    home = get_hermes_home()
    return home if isinstance(home, Path) else Path(home)


def is_registered(name: str) -> bool:
    """Whether the host's registry knows a tool name."""
    return _entry(name) is not None


def owner_of(name: ToolName) -> Owner:
    """The toolset of a tool, as the live registry has it."""
    if name in BRIDGE_TOOLS:
        return _owner("tool_search", Origin.BRIDGE, "")
    toolset = _entry(name)
    if toolset is None:
        # Memory-provider and context-engine tools are in requests, but not in the registry.
        return _owner(name, Origin.UNREGISTERED, "")
    if toolset == OWN_TOOLSET or name == REQUEST_TOOL:
        return _owner(OWN_TOOLSET, Origin.OWN, "")
    if toolset.startswith("mcp-"):
        return _owner(toolset, Origin.MCP, "")
    description = _purpose(toolset)
    if description is not None:
        return _owner(toolset, Origin.BUILTIN, description)
    return _owner(toolset, Origin.PLUGIN if name in _plugin_tools() else Origin.BUILTIN, "")


@lru_cache(maxsize=512)
def _owner(toolset: str, origin: Origin, description: str) -> Owner:
    """One object for all tools of a toolset."""
    return Owner(toolset=ToolsetName(toolset), origin=origin, description=description)


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


def _entry(name: str) -> str | None:
    found: str | None = _registry().get_toolset_for_tool(name)
    return found


def _purpose(toolset: str) -> str | None:
    """What the host says of one of its own toolsets; ``None`` where it is not one of those."""
    entry = _toolsets().get(toolset)
    return None if entry is None else str(entry.get("description", ""))


@cache
def _registry() -> Any:
    """The host's one registry; imported once, because it is asked for every tool of a request."""
    from tools.registry import registry  # noqa: PLC0415 - host import

    return registry


@cache
def _toolsets() -> Mapping[str, Mapping[str, Any]]:
    from toolsets import TOOLSETS  # noqa: PLC0415 - host import

    found: Mapping[str, Mapping[str, Any]] = TOOLSETS
    return found


def _plugin_tools() -> frozenset[str]:
    from hermes_cli.plugins import get_plugin_manager  # noqa: PLC0415 - host import

    return frozenset(getattr(get_plugin_manager(), "_plugin_tool_names", ()))
