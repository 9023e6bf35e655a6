"""``replay`` for people: suggestions with their effect, and where to write what."""

from __future__ import annotations

import io
from typing import Any

from rich.console import Console

from hermes_tool_router.console import replay
from hermes_tool_router.console.output import Output


def shown(**more: Any) -> str:
    """What the command prints for one session."""
    row = {
        "started_at": 1.7e9,
        "platform": "cli",
        "requests": 2,
        "tokens_full": 200,
        "tokens_sent": 100,
        "recoveries": [],
    }
    total = {
        "sessions": 1,
        "turns": 2,
        "requests": 2,
        "tokens_full": 200,
        "tokens_sent": 100,
        "recoveries": 0,
        "moves": 0,
        "cost_full": None,
        "cost_sent": None,
    }
    data: dict[str, Any] = {
        "sessions": [row],
        "left_out": 0,
        "total": total,
        "missing": {},
        "suggestion": {},
        "suggestions": [],
        "own_rules": {},
        **more,
    }
    out = io.StringIO()
    replay.show(data, Output(as_json=False, console=Console(file=out, width=80)))
    return out.getvalue()


def suggestion(kind: str, name: str, **more: Any) -> dict[str, Any]:
    """One suggestion of the JSON."""
    effect = {
        "missed_before": 9,
        "missed_after": 2,
        "tokens_before": 1_000,
        "tokens_after": 3_500,
    }
    return {"kind": kind, "name": name, "why": "it was called", "effect": effect, **more}


def test_without_a_suggestion_nothing_is_said() -> None:
    """The table of sessions, and what was not stored."""
    text = shown()

    assert "Worth a try" not in text
    assert "today's grant was taken" in text


def test_a_suggestion_shows_its_effect_and_its_place() -> None:
    """A pin in the settings, a rule in the file of own rules."""
    rule = {"id": "own.todo", "toolset": "todo", "any": ["ledger"], "stage": "shadow"}

    text = shown(
        suggestion={"global": {"floor_toolsets": ["web"]}},
        own_rules={"rules": [rule], "off": ["web.weather"]},
        suggestions=[suggestion("pin", "web"), suggestion("rule", "own.todo", rule=rule)],
    )

    assert "9 to 2" in text
    assert "+2,500" in text
    assert "rule in shadow" in text
    assert "floor_toolsets:" in text
    assert "tool-router/rules.yaml" in text
    assert "stage: shadow" in text
    assert "--show-text" not in text


def test_a_rule_is_not_shown_without_leave() -> None:
    """It is made of words of messages."""
    text = shown(suggestions=[suggestion("rule", "own.todo")])

    assert "1 rule made of words of your messages: --show-text shows them" in text
