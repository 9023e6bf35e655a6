"""What joins the surface when the model calls a tool that was not on it."""

from __future__ import annotations

from ..router.session import Phase, SessionState, append, grow
from ..router.values import Catalog, Origin, ToolName, Toolset

__all__ = ["LARGE_MCP_TOOLS", "recover"]

LARGE_MCP_TOOLS = 12
"""MCP toolsets with more tools than this come back one tool at a time.

A server with 40 operations costs 33 kB (hermes-agent 0.19.0 with a 40-operation
server), more than the rest of a narrowed request together.
"""


def recover(state: SessionState, tool: ToolName, catalog: Catalog) -> SessionState:
    """The state after a call of a granted tool.

    The tool's whole toolset joins, because a tool rarely comes alone; of a
    large MCP toolset the tool alone at first, the rest with the second one.

    Returns:
        ``state`` itself where nothing changes: the tool is visible, the
        session is not narrowed, or the host did not grant the tool.  Nothing
        outside ``catalog`` can join.
    """
    if state.phase in {Phase.PASS, Phase.OPEN} or tool in state.order:
        return state
    owner = _owner(tool, catalog)
    if owner is None:
        return state
    if _is_large(owner) and not _seen_before(owner, state):
        return append(state, (tool,))
    return grow(state, (owner.name,), catalog)


def _owner(tool: ToolName, catalog: Catalog) -> Toolset | None:
    for toolset in catalog.toolsets:
        if any(spec.name == tool for spec in toolset.tools):
            return toolset
    return None


def _is_large(toolset: Toolset) -> bool:
    return toolset.origin is Origin.MCP and len(toolset.tools) > LARGE_MCP_TOOLS


def _seen_before(toolset: Toolset, state: SessionState) -> bool:
    visible = set(state.order)
    return any(spec.name in visible for spec in toolset.tools)
