"""The four wire formats: read a request's tools, and build one with fewer.

A request is never edited in place: with ``llm_execution`` it is the agent's
live one, and its tools list is the agent's own (hermes-agent 0.19.0
agent/conversation_loop.py:1455).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import is_
from typing import Any

from ..router.values import ToolName

__all__ = ["WireTools", "forced_tool", "read_tools", "system_text", "used_names", "with_tools"]

_OAUTH_PREFIX = "mcp__"
"""Anthropic with OAuth: every tool name gets this prefix (agent/transports/anthropic.py:135)."""

_OURS_TO_JUDGE = frozenset({"function", "custom"})
"""Item types that the host's own tools have; absent counts as ``function``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WireTools:
    """The tools of one request.

    Attributes:
        items: the array as the host built it.
        names: bare name of each item; empty for an item that has none
            (a provider's built-in tool, a cache marker).
        nested: the array sits under ``toolConfig`` (Bedrock Converse).
        named: names of the items that have one, in order.
        by_name: those items by their names.
    """

    items: tuple[Any, ...]
    names: tuple[ToolName, ...]
    nested: bool = False
    named: tuple[ToolName, ...] = field(init=False, repr=False, compare=False)
    by_name: Mapping[ToolName, Any] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Gather once what every request asks for."""
        by_name = {name: item for name, item in zip(self.names, self.items, strict=True) if name}
        object.__setattr__(self, "by_name", by_name)
        object.__setattr__(self, "named", tuple(by_name))


def read_tools(
    request: Mapping[str, Any],
    api_mode: str,
    is_registered: Callable[[str], bool],
    *,
    before: WireTools | None = None,
) -> WireTools | None:
    """The tools of a request, or ``None`` where its shape is not known.

    Args:
        request: provider keyword arguments.
        api_mode: the host's name of the wire format.
        is_registered: whether the host knows a bare name; the OAuth prefix is
            taken off only then.
        before: the tools of the session's last request, which come back where
            the host sends the same objects again.
    """
    nested = api_mode == "bedrock_converse" or ("toolConfig" in request and "tools" not in request)
    holder = request.get("toolConfig") if nested else request
    items = holder.get("tools") if type(holder) is dict or isinstance(holder, Mapping) else None
    if not isinstance(items, list) or not items:
        return None
    if (
        before is not None
        and before.nested == nested
        and len(items) == len(before.items)
        and all(map(is_, items, before.items))
    ):
        return before
    names: list[ToolName] = []
    for item in items:
        # isinstance() on an abstract class costs more than all the rest of the loop, and a
        # request is read before every answer: plain dicts, which hosts send, are told first.
        if type(item) is not dict and not isinstance(item, Mapping):
            return None
        name = _name(item)
        if name.startswith(_OAUTH_PREFIX):
            name = _bare(name, is_registered)
        names.append(ToolName(name))
    named = [name for name in names if name]
    if len(set(named)) != len(named):
        return None  # two tools of one name: which one a call means is not ours to say
    return WireTools(items=tuple(items), names=tuple(names), nested=nested)


def with_tools(
    request: Mapping[str, Any],
    tools: WireTools,
    keep: Sequence[ToolName],
    *,
    descriptions: Mapping[ToolName, str],
) -> dict[str, Any]:
    """A new request that carries ``keep`` in that order.

    Items without a name stay: a provider's built-in tools first, cache
    markers last, where the host puts them.  Schemas are passed on as they
    are, except for ``descriptions``, which replace a tool's own text.
    """
    by_name = tools.by_name
    chosen = [
        _described(by_name[name], descriptions[name]) if name in descriptions else by_name[name]
        for name in keep
    ]
    items = _keep_cache_marker(chosen, tools.items)
    if len(by_name) < len(tools.items):
        nameless = [item for name, item in zip(tools.names, tools.items, strict=True) if not name]
        markers = [item for item in nameless if "cachePoint" in item]
        built_in = [item for item in nameless if "cachePoint" not in item]
        items = [*built_in, *items, *markers]
    if tools.nested:
        return {**request, "toolConfig": {**request["toolConfig"], "tools": items}}
    return {**request, "tools": items}


def forced_tool(request: Mapping[str, Any]) -> str:
    """Name of the tool that the request forces, empty where it forces none."""
    choice = request.get("tool_choice")
    if choice is None and "toolConfig" not in request:
        return ""
    if not isinstance(choice, Mapping):
        config = request.get("toolConfig")
        choice = config.get("toolChoice") if isinstance(config, Mapping) else None
    if not isinstance(choice, Mapping):
        return ""
    for holder in (choice, choice.get("function"), choice.get("tool")):
        if isinstance(holder, Mapping) and isinstance(holder.get("name"), str):
            return str(holder["name"])
    return ""


def used_names(request: Mapping[str, Any]) -> list[str]:
    """Names of tools that the request's own history has called, oldest first."""
    history = request.get("messages")
    if not isinstance(history, list):
        history = request.get("input")
    names: list[str] = []
    for row in history if isinstance(history, list) else ():
        # Every request passes its whole history: plain text, which names none, is told at a glance.
        if (type(row) is dict or isinstance(row, Mapping)) and (
            "tool_calls" in row or "type" in row or isinstance(row.get("content"), list)
        ):
            names += _row_names(row)
    return names


def system_text(request: Mapping[str, Any]) -> str:
    """The system prompt of a request, empty where it has none or one of an unknown shape."""
    for key in ("system", "instructions"):  # Anthropic and Bedrock; Responses
        if key in request:
            return _joined(request[key])
    messages = request.get("messages")
    first = messages[0] if isinstance(messages, list) and messages else None
    if isinstance(first, Mapping) and first.get("role") in {"system", "developer"}:
        return _joined(first.get("content"))
    return ""


def _joined(content: object) -> str:
    parts = content if isinstance(content, list) else [content]
    texts = (part.get("text") if isinstance(part, Mapping) else part for part in parts)
    return "\n".join(text for text in texts if isinstance(text, str))


def _row_names(row: Mapping[str, Any]) -> Iterable[str]:
    if isinstance(row.get("tool_calls"), list):  # Chat Completions
        holders = [_inner(call, "function") for call in row["tool_calls"]]
    elif row.get("type") == "function_call":  # Responses
        holders = [row]
    elif row.get("role") == "assistant" and isinstance(row.get("content"), list):
        holders = [_tool_use(block) for block in row["content"]]  # Anthropic, Bedrock
    else:
        return []
    return [name for holder in holders if isinstance(name := holder.get("name"), str)]


def _tool_use(block: object) -> Mapping[str, Any]:
    if isinstance(block, Mapping) and block.get("type") == "tool_use":
        return block
    return _inner(block, "toolUse")


def _inner(holder: object, key: str) -> Mapping[str, Any]:
    if type(holder) is not dict and not isinstance(holder, Mapping):  # as in read_tools
        return {}
    value = holder.get(key)
    return value if type(value) is dict or isinstance(value, Mapping) else {}


def _name(item: Mapping[str, Any]) -> str:
    function = item.get("function")
    if type(function) is dict and item.get("type") == "function":
        name = function.get("name")
        if type(name) is str:
            return name
    if item.get("type", "function") not in _OURS_TO_JUDGE:
        return ""  # a provider's built-in tool, whatever it is called
    for holder in (item.get("function"), item.get("toolSpec"), item):
        if isinstance(holder, Mapping) and isinstance(holder.get("name"), str):
            return str(holder["name"])
    return ""


def _bare(name: str, is_registered: Callable[[str], bool]) -> str:
    """A name without the OAuth prefix, which it begins with, unless that is its own."""
    if not is_registered(name):
        bare = name.removeprefix(_OAUTH_PREFIX)
        # In the transport's own order: its "mcp_server_tool" goes out as "mcp__server_tool" too.
        for candidate in (f"mcp_{bare}", bare):
            if is_registered(candidate):
                return candidate
    return name


def _described(item: Mapping[str, Any], text: str) -> dict[str, Any]:
    for key in ("function", "toolSpec"):
        inner = item.get(key)
        if type(inner) is dict or isinstance(inner, Mapping):
            return {**item, key: {**inner, "description": text}}
    return {**item, "description": text}


def _keep_cache_marker(chosen: list[Any], items: Sequence[Any]) -> list[Any]:
    """Carry a cache marker of a dropped tool over to the last tool that stays."""
    marked = [item["cache_control"] for item in items if "cache_control" in item]
    if not marked or not chosen or any("cache_control" in item for item in chosen):
        return chosen
    return [*chosen[:-1], {**chosen[-1], "cache_control": marked[-1]}]
