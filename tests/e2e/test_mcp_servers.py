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
QUESTION = "Why do leaves turn red in autumn?"
LATER = "Why do some trees keep their leaves?"
PRUNED = "mcp__ledger__record_7"


def server(name: str, count: int) -> dict[str, dict[str, Any]]:
    """The configuration of one fake server; Hermes adds four tools for resources and prompts."""
    return {name: {"command": sys.executable, "args": [str(SERVER), name, str(count)]}}


def test_mcp_tools_are_held_back_and_come_alone(drive: Scene) -> None:
    """44 tools: a small first request, one recovered by its call; a late server moves no byte."""
    mcp_servers = server("ledger", 40)
    script = [call(PRUNED, query="autumn"), say("Done."), say("Done."), say("Done.")]
    drive.fill(Contents(settings=ENFORCE, config={"mcp_servers": mcp_servers}), script)

    driven = drive.hermes.drive(
        [
            plan.mcp(),
            plan.agent("a"),
            plan.turn("a", QUESTION),
            plan.turn("a", "Thanks."),
            plan.config(mcp_servers={**mcp_servers, **server("atlas", 3)}),
            plan.mcp(),
            plan.turn("a", "And in spring?"),
        ]
    )

    assert not driven.fatal
    first, after, second, late = drive.model.conversation(QUESTION)
    granted = driven.turns[0].tools
    assert len([name for name in granted if name.startswith("mcp__ledger__")]) == 44
    assert not [name for name in first.tools if name.startswith("mcp__")]
    assert after.results[-1] == (PRUNED, after.results[-1][1])
    assert "ledger record 7: autumn" in after.results[-1][1]
    assert wire.is_append(first.tools_raw, after.tools_raw)
    assert set(after.tools) - set(first.tools) == {PRUNED}
    assert late.tools_raw == second.tools_raw == after.tools_raw
    assert [name for name in driven.turns[-1].tools if name.startswith("mcp__atlas__")]


ASK: dict[str, Any] = {"toolsets": ["terminal"], "reason": "to run a command"}


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
    assert "terminal" not in first.tools
    assert "terminal" in granted.tools
    assert wire.is_append(first.tools_raw, granted.tools_raw)
    assert "ledger record 7: bridge" in after.results[-1][1]
