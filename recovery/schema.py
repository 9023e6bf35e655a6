"""The ``request_toolset`` tool as it is registered; every start of Hermes loads this."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["INTRODUCTION", "NAME", "SCHEMA", "TOOLSET"]

NAME = "request_toolset"
TOOLSET = "tool_router"

INTRODUCTION = (
    "Tools not shown are held back, not gone: call one by name and it runs, or ask here. "
    "Stays for this session. Toolsets:"
)

SCHEMA: Mapping[str, object] = {
    "name": NAME,
    "description": INTRODUCTION + " any that this session was granted.",
    "parameters": {
        "type": "object",
        "properties": {
            "toolsets": {"type": "array", "items": {"type": "string"}},
            "tools": {"type": "array", "items": {"type": "string"}},
            "reason": {"type": "string"},
        },
    },
}
"""As registered; the description that a session sends is :func:`.request.menu`."""
