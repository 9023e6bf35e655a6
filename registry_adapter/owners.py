"""Whose the tools of a request are, as the live registry of Hermes has it.

Names and lines are those of hermes-agent 0.19.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from ..recovery.schema import NAME as REQUEST_TOOL
from ..recovery.schema import TOOLSET as OWN_TOOLSET
from ..router.values import Origin, ToolName, ToolsetName
from .host import toolset_of

__all__ = ["BRIDGE_TOOLS", "Owner", "owner_of"]

BRIDGE_TOOLS = frozenset({"tool_search", "tool_describe", "tool_call"})
"""Tool Search's own tools (tools/tool_search.py); pruning one loses everything it defers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Whose a tool is."""

    toolset: ToolsetName
    origin: Origin
    description: str
    """Purpose of the toolset in the host's words, empty where it has none."""


def owner_of(name: ToolName) -> Owner:
    """The toolset of a tool, as the live registry has it."""
    if name in BRIDGE_TOOLS:
        return _owner("tool_search", Origin.BRIDGE, "")
    toolset = toolset_of(name)
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


def _purpose(toolset: str) -> str | None:
    """What the host says of one of its own toolsets; ``None`` where it is not one of those."""
    entry = _toolsets().get(toolset)
    return None if entry is None else str(entry.get("description", ""))


@cache
def _toolsets() -> Mapping[str, Mapping[str, Any]]:
    from toolsets import TOOLSETS  # noqa: PLC0415 - host import

    found: Mapping[str, Mapping[str, Any]] = TOOLSETS
    return found


def _plugin_tools() -> frozenset[str]:
    from hermes_cli.plugins import get_plugin_manager  # noqa: PLC0415 - host import

    return frozenset(getattr(get_plugin_manager(), "_plugin_tool_names", ()))
