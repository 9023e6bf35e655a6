"""Steps of a plan for ``child.py``, written as calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["Plan", "PlanStep", "agent", "config", "home", "mcp", "sessions", "slash", "turn"]

PlanStep = Mapping[str, Any]
Plan = Sequence[PlanStep]


def agent(name: str, **arguments: Any) -> PlanStep:
    """Build an agent; arguments override those of ``hermes -z``."""
    return {"do": "agent", "agent": name, "with": arguments}


def turn(name: str, say: str | Sequence[Mapping[str, Any]]) -> PlanStep:
    """One turn of an agent; the message is text or a list of content parts."""
    return {"do": "turn", "agent": name, "say": say}


def sessions(openers: Mapping[str, Sequence[str]]) -> PlanStep:
    """Sessions in threads, by agent name; all take their n-th turn at the same time."""
    return {
        "do": "threads",
        "sessions": [{"agent": name, "say": list(texts)} for name, texts in openers.items()],
    }


def slash(name: str, arguments: str = "") -> PlanStep:
    """Type a plugin's slash command, without the slash."""
    return {"do": "slash", "name": name, "arguments": arguments}


def mcp() -> PlanStep:
    """Connect the MCP servers of the configuration."""
    return {"do": "mcp"}


def home(path: Path) -> PlanStep:
    """Go on in another home: what follows belongs to another profile."""
    return {"do": "home", "path": str(path)}


def config(**blocks: Any) -> PlanStep:
    """Replace top-level blocks of ``config.yaml`` while Hermes runs."""
    return {"do": "config", "set": blocks}
