"""The same turn in the other wire formats that Hermes speaks: routed, recovered, appended.

Chat Completions is what every other test speaks.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from hermes_tool_router.probe import plan, wire
from hermes_tool_router.probe.home import ENFORCE, Contents
from hermes_tool_router.probe.model import StubModel
from hermes_tool_router.probe.scene import Scene
from hermes_tool_router.probe.script import call, say

pytestmark = pytest.mark.hermes

QUESTION = "Why do leaves turn red in autumn?"
ITEM = {"id": "1", "content": "ran-in-the-step", "status": "pending"}


def messages(model: StubModel) -> Mapping[str, Any]:
    """Anthropic's Messages API, which Hermes knows by the path."""
    return {"model": {"base_url": model.anthropic_url}}


def responses(model: StubModel) -> Mapping[str, Any]:
    """The Responses API, which a named endpoint may ask for."""
    endpoint = {
        "name": "other",
        "base_url": model.base_url,
        "api_key": "stub",
        "api_mode": "codex_responses",
    }
    return {"model": {"provider": "custom:other"}, "custom_providers": [endpoint]}


needs_anthropic = pytest.mark.skipif(
    importlib.util.find_spec("anthropic") is None, reason="the package anthropic is not installed"
)


@pytest.mark.parametrize(
    ("config_of", "member"),
    [pytest.param(messages, "input_schema", marks=needs_anthropic), (responses, "parameters")],
)
def test_a_turn_is_routed_and_recovered(
    drive: Scene, config_of: Callable[[StubModel], Mapping[str, Any]], member: str
) -> None:
    """Few tools at first, a held-back one runs in its step, the array only grows at its end."""
    script = [call("todo", todos=[ITEM]), say("Noted."), say("You are welcome.")]
    drive.fill(Contents(settings=ENFORCE, config=config_of(drive.model)), script)

    driven = drive.hermes.drive(
        [plan.agent("a"), plan.turn("a", QUESTION), plan.turn("a", "Thank you.")]
    )

    assert not driven.fatal
    assert [turn.answer for turn in driven.turns] == ["Noted.", "You are welcome."]
    first, after, later = drive.model.conversation(QUESTION)
    assert f'"{member}"'.encode() in first.tools_raw
    assert "todo" in driven.turns[0].valid
    assert "todo" not in first.tools
    assert len(first.tools) < len(driven.turns[0].valid) / 2
    assert after.results[-1][0] == "todo"
    assert "ran-in-the-step" in after.results[-1][1]
    assert after.tools == (*first.tools, "todo")
    assert wire.is_append(first.tools_raw, after.tools_raw)
    assert later.tools_raw == after.tools_raw
    assert first.system == later.system
