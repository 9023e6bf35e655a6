"""From a session's state to the request that goes out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..recovery.schema import NAME as REQUEST_TOOL
from ..router import session as sessions
from ..router.session import UNNARROWED, SessionState
from ..router.values import Catalog, ToolName
from .wire import WireTools, forced_tool, used_names, with_tools

__all__ = ["can_recover", "filtered", "with_history", "without_own_tool"]


def with_history(state: SessionState, request: Mapping[str, Any], catalog: Catalog) -> SessionState:
    """Names that the request itself relies on stay, whatever the state says (D3)."""
    if state.phase in UNNARROWED:
        return state
    named = [forced_tool(request), *used_names(request)]
    if named == [""]:
        return state
    visible = set(state.order)
    missing = [name for name in named if name and name not in visible]
    if not missing:
        return state
    granted = set(catalog.order)
    return sessions.append(state, [ToolName(name) for name in missing if name in granted])


def filtered(
    request: Mapping[str, Any],
    tools: WireTools,
    state: SessionState,
    keep: tuple[ToolName, ...] | None,
) -> Mapping[str, Any]:
    """The request with the names in ``keep`` alone, and the menu of the session."""
    if not keep:
        return request  # nothing would be left: the full surface, never an empty one
    described = {ToolName(REQUEST_TOOL): state.menu} if state.menu else {}
    return with_tools(request, tools, keep, descriptions=described)


def can_recover(tools: WireTools) -> bool:
    """Whether the model has a way to ask: directly, or through Tool Search's bridge."""
    return REQUEST_TOOL in tools.named or "tool_call" in tools.named


def without_own_tool(request: Mapping[str, Any], tools: WireTools) -> Mapping[str, Any]:
    """Where routing is off, another profile of this process may still have our tool on."""
    if REQUEST_TOOL not in tools.named or len(tools.named) == 1:
        return request
    keep = tuple(name for name in tools.named if name != REQUEST_TOOL)
    return with_tools(request, tools, keep, descriptions={})
