"""What shaping has to see of a provider request, in any of the four wire formats.

Stricter than the filter's own reader: whatever is not exactly an empty
conversation with plain function tools has to show here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["RequestView", "Schema", "view"]

Schema = Literal["chat", "responses", "anthropic", "bedrock", "built_in", "unknown"]

_STATE_KEYS = ("previous_response_id", "conversation", "conversation_id", "thread_id", "container")
"""Keys with which a provider continues a conversation that it holds itself."""
_OLD_KEYS = ("functions", "function_call")
"""Chat Completions before tools: not a shape of today's host."""
_TEXT_PARTS = frozenset(("text", "input_text"))


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestView:
    """One request, as far as shaping cares.

    Attributes:
        known: it has the shape of one of the four formats.
        server_state: the provider holds earlier messages.
        history: it carries more than one user message.
        text: the user's text; ``None`` where it is not plain text.
        tools: tool names in order; items without one are left out.
        schemas: the shape of each item; empty without tools.
        forced: a tool choice other than "auto".
    """

    known: bool = False
    server_state: bool = False
    history: bool = False
    text: str | None = None
    tools: tuple[str, ...] = ()
    schemas: tuple[Schema, ...] = ()
    forced: bool = False


def view(request: Mapping[str, Any]) -> RequestView:
    """Look at a request; anything odd makes it not known."""
    rows = request.get("messages", request.get("input"))
    if isinstance(rows, str):
        rows = [{"role": "user", "content": rows}]
    if not isinstance(rows, list) or any(request.get(key) is not None for key in _OLD_KEYS):
        return RequestView()
    if "messages" in request and "input" in request:
        return RequestView()
    users, others = _rows(rows)
    holder = request.get("toolConfig")
    config: Mapping[str, Any] = holder if isinstance(holder, Mapping) else {}
    items = config.get("tools") if config else request.get("tools")
    tools = [item for item in items if not _is_marker(item)] if isinstance(items, list) else []
    named = [_named(item) for item in tools]
    choice = config.get("toolChoice") if config else request.get("tool_choice")
    return RequestView(
        known=items is None or isinstance(items, list),
        server_state=any(request.get(key) not in (None, "") for key in _STATE_KEYS),
        history=others or len(users) != 1,
        text=_text(users[0].get("content")) if users else None,
        tools=tuple(name for _, name in named if name),
        schemas=tuple(schema for schema, _ in named),
        forced=_forced(choice),
    )


def _rows(rows: Sequence[Any]) -> tuple[list[Mapping[str, Any]], bool]:
    """User messages, and whether anything but those and instructions is there."""
    users: list[Mapping[str, Any]] = []
    others = False
    for row in rows:
        role = row.get("role") if isinstance(row, Mapping) else None
        kind = row.get("type", "message") if isinstance(row, Mapping) else ""
        if role == "user" and kind == "message":
            users.append(row)
        elif role not in {"system", "developer"} or kind != "message":
            others = True
    return users, others


def _text(content: object) -> str | None:
    if isinstance(content, str):
        return content
    if not isinstance(content, list) or not content:
        return None
    texts: list[str] = []
    for part in content:
        if not isinstance(part, Mapping) or not isinstance(part.get("text"), str):
            return None
        if part.get("type", "text") not in _TEXT_PARTS:
            return None
        texts.append(part["text"])
    return "\n".join(texts)


def _is_marker(item: object) -> bool:
    """A cache marker of Bedrock stands among the tools and is none."""
    return isinstance(item, Mapping) and set(item) == {"cachePoint"}


def _named(item: object) -> tuple[Schema, str]:
    if not isinstance(item, Mapping):
        return "unknown", ""
    if isinstance(item.get("function"), Mapping):
        name = item["function"].get("name")
        proper = item.get("type") == "function" and isinstance(name, str) and name
        return ("chat", str(name)) if proper else ("unknown", "")
    if isinstance(item.get("toolSpec"), Mapping):
        name = item["toolSpec"].get("name")
        return ("bedrock", name) if isinstance(name, str) and name else ("unknown", "")
    name = item.get("name")
    if item.get("type", "custom") not in {"custom", "function"}:
        return "built_in", name if isinstance(name, str) else ""
    if not isinstance(name, str) or not name:
        return "unknown", ""
    if "input_schema" in item:
        return "anthropic", name
    return ("responses", name) if item.get("type") == "function" else ("unknown", name)


def _forced(choice: object) -> bool:
    if choice is None or choice == "auto":
        return False
    if isinstance(choice, Mapping):
        return not (choice.get("type") == "auto" or set(choice) == {"auto"})
    return True
