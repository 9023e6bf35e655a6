"""Calls that change nothing, for showing that a tool which was held back still runs."""

from __future__ import annotations

from .script import Request, Step, call

__all__ = ["call_what_was_held_back", "ran", "tool_called"]

_MARK = "ran-though-held-back"
_CALLS = (
    call("terminal", command=f"echo {_MARK}"),
    call("todo", todos=[{"id": "1", "content": _MARK, "status": "pending"}]),
    call("cronjob", action="list"),
)
_RESULTS = {"terminal": _MARK, "todo": _MARK, "cronjob": '"success": true'}


def call_what_was_held_back(request: Request) -> Step:
    """What the model answers to a first request: the first harmless call of a tool not shown.

    Where every such tool is shown, as in stock Hermes, it is the first call of all.
    """
    held_back = (step for step in _CALLS if step.calls[0].name not in request.tools)
    return next(held_back, _CALLS[0])


def tool_called(first: Request) -> str:
    """Name of the held-back tool that was called, empty if none was held back."""
    name = call_what_was_held_back(first).calls[0].name
    return "" if name in first.tools else name


def ran(name: str, after: Request) -> bool:
    """Whether the transcript holds the result that the call of ``name`` should have."""
    return any(called == name and _RESULTS[name] in text for called, text in after.results)
