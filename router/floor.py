"""What is always on the surface, whatever the text (design D3)."""

from __future__ import annotations

from collections.abc import Collection

from .values import Catalog, Origin, ToolName, ToolsetName

__all__ = ["HOST_FLOOR", "floor_toolsets", "pinned_tools"]

HOST_FLOOR = frozenset(ToolsetName(name) for name in ("memory", "skills", "clarify"))
"""What the system prompt and the background review of hermes-agent 0.19.0 lean on at every turn:
agent/system_prompt.py names memory and skills, agent/background_review.py calls them."""

_ALWAYS = frozenset({Origin.OWN, Origin.BRIDGE, Origin.UNREGISTERED})
_KANBAN = ToolsetName("kanban")


def floor_toolsets(
    catalog: Catalog, *, configured: Collection[str] = (), kanban_worker: bool = False
) -> frozenset[ToolsetName]:
    """Toolsets that always stay, restricted to what the host granted.

    Args:
        catalog: what was granted.
        configured: ``floor_toolsets`` of the settings; an MCP server may be
            named with or without its ``mcp-`` prefix.
        kanban_worker: the process works on a kanban task; its tools carry the task.
    """
    wanted = {*HOST_FLOOR, *(ToolsetName(name) for name in configured)}
    wanted |= {ToolsetName(f"mcp-{name}") for name in configured}
    if kanban_worker:
        wanted.add(_KANBAN)
    return frozenset(
        toolset.name
        for toolset in catalog.toolsets
        if toolset.name in wanted or toolset.origin in _ALWAYS
    )


def pinned_tools(catalog: Catalog, configured: Collection[str]) -> tuple[ToolName, ...]:
    """Single tools that the operator pinned, in the host's order."""
    wanted = set(configured)
    return tuple(name for name in catalog.order if name in wanted)
