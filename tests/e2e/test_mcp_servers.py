"""Many MCP tools, one that arrives late, and Hermes' own Tool Search."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from hermes_tool_router.probe import plan, wire
from hermes_tool_router.probe.home import ENFORCE, Contents
from hermes_tool_router.probe.scene import Scene
from hermes_tool_router.probe.script import Request, Step, call, say

pytestmark = pytest.mark.hermes

SERVER = Path(__file__).with_name("fake_mcp.py")
BEFORE = "Why does the grass turn yellow in summer?"
QUESTION = "Why do leaves turn red in autumn?"
LATER = "Why do some trees keep their leaves?"
PRUNED = "mcp__ledger__record_7"


def server(name: str, count: int) -> dict[str, dict[str, Any]]:
    """The configuration of one fake server; Hermes adds four tools for resources and prompts."""
    return {name: {"command": sys.executable, "args": [str(SERVER), name, str(count)]}}


def test_mcp_tools_are_held_back_and_come_alone(drive: Scene) -> None:
    """44 tools: a small first request, one recovered by its call; a late server moves no byte."""
    script = [say("Done."), call(PRUNED, query="autumn"), say("Done."), say("Done.")]
    drive.fill(Contents(settings=ENFORCE, config={"mcp_servers": server("ledger", 40)}), script)

    driven = drive.hermes.drive(
        [
            plan.agent("early"),
            plan.turn("early", BEFORE),
            plan.mcp(),
            plan.turn("early", "And in spring?"),
            plan.turn("early", "Thanks."),
            plan.agent("late"),
            plan.turn("late", QUESTION),
            plan.turn("late", "And in spring?"),
            plan.turn("late", "Thanks."),
        ]
    )

    assert not driven.fatal
    assert [turn.answer for turn in driven.turns] == ["Done."] * 6
    granted = [sum(name.startswith("mcp__") for name in turn.tools) for turn in driven.turns]
    assert granted == [0, 44, 44, 44, 44, 44]
    for opener in (BEFORE, QUESTION):
        first, second, after, last = drive.model.conversation(opener)
        assert not [name for name in first.tools if name.startswith("mcp__")]
        assert second.tools_raw == first.tools_raw
        assert "ledger record 7: autumn" in after.results[-1][1]
        assert wire.is_append(first.tools_raw, after.tools_raw)
        assert set(after.tools) - set(first.tools) == {PRUNED}
        assert last.tools_raw == after.tools_raw


ASK: dict[str, Any] = {"toolsets": ["cronjob"], "reason": "to plan a reminder"}


def scripted(request: Request) -> Step:
    """Reach our request tool, by the bridge if it is deferred, then a deferred MCP tool."""
    said = sum(message.get("role") == "assistant" for message in request.messages)
    through = {"name": "request_toolset", "arguments": ASK}
    deferred = "request_toolset" not in request.tools
    steps = (
        call("tool_call", **through) if deferred else call("request_toolset", **ASK),
        call("tool_call", name=PRUNED, arguments={"query": "bridge"}),
        say("Done."),
    )
    return steps[said]


def test_tool_search_keeps_its_bridges_and_our_way_back(drive: Scene) -> None:
    """Bridges stay, request_toolset is reachable, and a deferred tool still runs."""
    config = {
        "mcp_servers": server("ledger", 40),
        "tools": {"tool_search": {"enabled": "on"}},
    }
    drive.fill(Contents(settings=ENFORCE, config=config), scripted)

    driven = drive.hermes.drive([plan.mcp(), plan.agent("a"), plan.turn("a", LATER)])

    assert not driven.fatal
    first, granted, after = drive.model.conversation(LATER)
    assert {"tool_search", "tool_describe", "tool_call"} <= set(first.tools)
    assert "cronjob" not in first.tools
    assert "cronjob" in granted.tools
    assert wire.is_append(first.tools_raw, granted.tools_raw)
    assert "ledger record 7: bridge" in after.results[-1][1]
