"""The ``request_toolset`` tool: its menu, and what a call does.

The tool is the visible way to ask.  It adds only what the host granted, and a
refusal says so in words a model can act on.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate

from ..router.session import Phase, SessionState, append, grow
from ..router.values import Catalog, Origin, ToolName, ToolsetName
from .schema import INTRODUCTION

__all__ = ["Reply", "answer", "menu"]

_MENU_CHARACTERS = 1400
"""Bound of the menu: a no-tool request must stay under a quarter of the stock tool bytes."""
_PURPOSE_CHARACTERS = 46
_SUGGESTIONS = 3
_LISTED = frozenset({Origin.BUILTIN, Origin.MCP, Origin.PLUGIN})
"""Origins worth asking for; our own tools and the bridges are always there."""
_NAMES_IN_A_REPLY = 40

_PURPOSES: Mapping[str, str] = {
    "browser": "drive a web browser",
    "browser-cdp": "raw browser protocol",
    "clarify": "ask the user",
    "code_execution": "run Python over tools",
    "computer_use": "control the desktop",
    "cronjob": "schedules, reminders",
    "delegation": "sub-agents",
    "discord": "Discord",
    "discord_admin": "Discord server admin",
    "feishu_doc": "Feishu documents",
    "feishu_drive": "Feishu drive",
    "file": "read, write, search files",
    "google_meet": "Google Meet",
    "hermes-yuanbao": "Yuanbao",
    "homeassistant": "smart home",
    "image_gen": "make images",
    "kanban": "task board",
    "memory": "notes across sessions",
    "project": "projects",
    "session_search": "past conversations",
    "skills": "skill library",
    "spotify": "music",
    "terminal": "shell commands",
    "todo": "task list",
    "tts": "speech",
    "video": "look at video",
    "video_gen": "make video",
    "vision": "look at images",
    "web": "search and read the web",
    "x_search": "search X",
}
"""A few words for each toolset of hermes-agent 0.19.0; others speak for themselves."""


def menu(catalog: Catalog) -> str:
    """The description of ``request_toolset`` for one session.

    It names every granted toolset whatever the route, so that all routes of a
    catalog share the same bytes and the model can always ask.
    """
    listed = [ts for ts in catalog.toolsets if ts.origin in _LISTED]
    with_purpose = [f"{ts.name}{_purpose(ts.name, ts.description)}" for ts in listed]
    text = f"{INTRODUCTION} {', '.join(with_purpose)}."
    if len(text) <= _MENU_CHARACTERS:
        return text
    names = [str(ts.name) for ts in listed]
    room = _MENU_CHARACTERS - len(INTRODUCTION)
    shown = sum(1 for total in accumulate(len(name) + 2 for name in names) if total < room)
    more = f" and {len(names) - shown} more" if shown < len(names) else ""
    return f"{INTRODUCTION} {', '.join(names[:shown])}{more}."


def _purpose(name: ToolsetName, description: str) -> str:
    words = _PURPOSES.get(name) or description.split(".")[0].strip()
    return f" ({words})" if words and len(words) <= _PURPOSE_CHARACTERS else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a call of the tool brought about."""

    state: SessionState
    payload: Mapping[str, object]
    """JSON-shaped answer for the model."""


def answer(state: SessionState, args: Mapping[str, object], catalog: Catalog) -> Reply:
    """Handle one call.  Never raises, whatever the arguments.

    Args:
        state: the session.
        args: as the model wrote them: ``toolsets`` and ``tools`` as lists, or
            single names, or names separated by commas.
        catalog: what the host granted; nothing else can join.
    """
    wanted_toolsets = _names(args.get("toolsets")) + _names(args.get("toolset"))
    wanted_tools = _names(args.get("tools")) + _names(args.get("tool"))
    if not wanted_toolsets and not wanted_tools:
        return Reply(state=state, payload=_empty(catalog))
    toolsets, tools, refused = _resolve(wanted_toolsets, wanted_tools, catalog)
    before = set(state.order)
    grown = append(grow(state, toolsets, catalog), tools)
    if state.phase in {Phase.PASS, Phase.OPEN}:
        visible = [str(name) for name in (*toolsets, *tools)]
        return Reply(state=state, payload=_payload((), visible, refused))
    added = [str(name) for name in grown.order if name not in before]
    already = [
        str(name)
        for name in (*toolsets, *tools)
        if not ({name, *_tools(name, catalog)} & set(added))
    ]
    return Reply(state=grown, payload=_payload(added, already, refused))


def _payload(
    added: Iterable[str], already: list[str], refused: Mapping[str, str]
) -> Mapping[str, object]:
    names = list(added)
    payload: dict[str, object] = {"success": bool(names or already)}
    if names:
        payload["added_tools"] = names[:_NAMES_IN_A_REPLY]
        payload["note"] = "available from your next step on, for the rest of this session"
        if len(names) > _NAMES_IN_A_REPLY:
            payload["and_more"] = len(names) - _NAMES_IN_A_REPLY
    if already:
        payload["already_available"] = already[:_NAMES_IN_A_REPLY]
    if refused:
        payload["refused"] = dict(refused)
    return payload


def _empty(catalog: Catalog) -> Mapping[str, object]:
    return {
        "success": False,
        "error": "nothing was asked for: pass 'toolsets' or 'tools' as a list of names",
        "toolsets": [str(name) for name in catalog.names][:_NAMES_IN_A_REPLY],
    }


def _names(value: object) -> list[str]:
    """Names in whatever shape a model writes them."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    if isinstance(value, Mapping):
        return [str(key).strip() for key, wanted in value.items() if wanted]
    if isinstance(value, Iterable):
        return [text for item in value if isinstance(item, str) and (text := item.strip())]
    return []


def _resolve(
    wanted_toolsets: list[str], wanted_tools: list[str], catalog: Catalog
) -> tuple[tuple[ToolsetName, ...], tuple[ToolName, ...], dict[str, str]]:
    """Names that exist in the grant, and a sentence for each that does not.

    A toolset asked for as a tool, or the other way round, is understood.
    """
    toolset_keys = {_key(name): name for name in catalog.names}
    toolset_keys |= {_key(name.removeprefix("mcp-")): name for name in catalog.names}
    tool_keys = {_key(spec.name): spec.name for ts in catalog.toolsets for spec in ts.tools}
    toolsets: list[ToolsetName] = []
    tools: list[ToolName] = []
    refused: dict[str, str] = {}
    wanted = [(name, True) for name in wanted_toolsets] + [(name, False) for name in wanted_tools]
    for name, toolset_first in wanted:
        key = _key(name)
        if key in toolset_keys and (toolset_first or key not in tool_keys):
            toolsets.append(toolset_keys[key])
        elif key in tool_keys:
            tools.append(tool_keys[key])
        else:
            refused[name[:80]] = _refusal(key, [*toolset_keys, *tool_keys])
    return tuple(dict.fromkeys(toolsets)), tuple(dict.fromkeys(tools)), refused


def _refusal(key: str, known: list[str]) -> str:
    near = difflib.get_close_matches(key[:80], known, n=_SUGGESTIONS, cutoff=0.6)
    text = "not granted to this session by the operator, so it cannot be added"
    return f"{text}; did you mean {', '.join(near)}?" if near else text


def _key(name: str) -> str:
    return name.strip().lower().replace(" ", "_")


def _tools(name: str, catalog: Catalog) -> set[str]:
    return {spec.name for ts in catalog.toolsets if ts.name == name for spec in ts.tools}
