"""The tool calls in a provider's response, whatever its shape.

Hermes hands on what its transports return: objects or mappings in the shape
of the wire format (hermes-agent 0.19.0 agent/conversation_loop.py:1457).
What cannot be read yields nothing; the policy hook judges such calls itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

__all__ = ["SeenCall", "calls_in"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenCall:
    """A call that the model has just made."""

    call_id: str
    tool: str
    args: object
    """Parsed where it was JSON text that parses, else as it came."""


def calls_in(response: object) -> tuple[SeenCall, ...]:
    """All calls of one response, in order."""
    return tuple(call for item in _items(response) if (call := _call(item)) is not None)


def _items(response: object) -> Iterable[object]:
    choices = _sequence(_get(response, "choices"))
    if choices:  # Chat Completions
        return _sequence(_get(_get(choices[0], "message"), "tool_calls"))
    for path in (("output",), ("content",), ("output", "message", "content")):
        found = response
        for key in path:
            found = _get(found, key)
        if items := _sequence(found):  # Responses, Anthropic Messages, Bedrock Converse
            return items
    return ()


def _call(item: object) -> SeenCall | None:
    kind = _get(item, "type")
    use = _get(item, "toolUse")
    function = _get(item, "function")
    if function is not None:
        found = (_get(item, "id"), _get(function, "name"), _get(function, "arguments"))
    elif kind == "function_call":
        found = (_get(item, "call_id"), _get(item, "name"), _get(item, "arguments"))
    elif kind == "tool_use":
        found = (_get(item, "id"), _get(item, "name"), _get(item, "input"))
    elif use is not None:
        found = (_get(use, "toolUseId"), _get(use, "name"), _get(use, "input"))
    else:
        return None
    call_id, name, args = found
    if not isinstance(name, str):
        return None
    return SeenCall(call_id=str(call_id or ""), tool=name, args=_parsed(args))


def _parsed(args: object) -> object:
    if not isinstance(args, str):
        return args
    try:
        return json.loads(args)
    except (ValueError, RecursionError):
        return args


def _get(holder: object, key: str) -> object:
    if isinstance(holder, Mapping):
        return holder.get(key)
    return getattr(holder, key, None)


def _sequence(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else []
