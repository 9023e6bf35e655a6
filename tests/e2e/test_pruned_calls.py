"""A call to a tool that was held back runs in its step, and the tool stays."""

from __future__ import annotations

import json

import pytest

from hermes_tool_router.probe import plan, wire
from hermes_tool_router.probe.home import ENFORCE, Contents
from hermes_tool_router.probe.scene import Scene
from hermes_tool_router.probe.script import Request, Step, ToolCall, call, say

pytestmark = pytest.mark.hermes

ALONE = "Why is the sky blue in the daytime?"
BATCH = "What does the word serendipity mean?"
THREE = "Who wrote the play Hamlet?"
ASKED = "How far away is the moon?"

ITEM = {"id": "1", "content": "ran-in-the-step", "status": "pending"}
TODO = ToolCall(name="todo", arguments={"todos": [ITEM]})
SKILLS = ToolCall(name="skills_list", arguments={})
CRON = ToolCall(name="cronjob", arguments={"action": "list"})
PAST = ToolCall(name="session_search", arguments={"query": "anything"})

SCRIPTS: dict[str, tuple[Step, ...]] = {
    ALONE: (Step(calls=(TODO,)), say("Done."), say("Done.")),
    BATCH: (Step(calls=(SKILLS, TODO)), say("Done.")),
    THREE: (Step(calls=(TODO, CRON, PAST)), say("Done.")),
    ASKED: (
        call("request_toolset", toolsets=["cronjob"], reason="to plan"),
        say("Done."),
        call("request_toolset", toolsets=["no_such_toolset"]),
        say("Done."),
    ),
}


def scripted(request: Request) -> Step:
    """The n-th step of the conversation, n being the answers that it holds."""
    said = [message for message in request.messages if message.get("role") == "assistant"]
    return SCRIPTS[request.opener][len(said)]


def test_pruned_calls_run_at_once_and_their_tools_stay(drive: Scene) -> None:
    """Alone, beside a visible call, three in one message, and asked for by name."""
    drive.fill(Contents(settings=ENFORCE), scripted)

    driven = drive.hermes.drive(
        [
            plan.agent("alone"),
            plan.turn("alone", ALONE),
            plan.turn("alone", "Thank you. And at night?"),
            plan.agent("batch"),
            plan.turn("batch", BATCH),
            plan.agent("three"),
            plan.turn("three", THREE),
            plan.agent("asked"),
            plan.turn("asked", ASKED),
            plan.turn("asked", "Another question: how old is it?"),
        ]
    )

    assert not driven.fatal
    assert [turn.answer for turn in driven.turns] == ["Done."] * 6
    assert drive.model.errors == ()
    _runs_alone(drive.model.conversation(ALONE))
    _runs_in_a_batch(drive.model.conversation(BATCH))
    _runs_three_at_once(drive.model.conversation(THREE))
    _is_asked_for(drive.model.conversation(ASKED))
    assert "todo" in driven.turns[0].valid


def _runs_alone(requests: tuple[Request, ...]) -> None:
    first, after, later = requests
    assert "todo" not in first.tools
    assert after.results[0][0] == "todo"
    assert "ran-in-the-step" in after.results[0][1]
    assert wire.is_append(first.tools_raw, after.tools_raw)
    assert "todo" in after.tools
    assert later.tools_raw == after.tools_raw


def _runs_in_a_batch(requests: tuple[Request, ...]) -> None:
    first, after = requests
    assert "skills_list" in first.tools
    assert [name for name, _ in after.results] == ["skills_list", "todo"]
    assert "ran-in-the-step" in after.results[1][1]
    assert wire.is_append(first.tools_raw, after.tools_raw)


def _runs_three_at_once(requests: tuple[Request, ...]) -> None:
    first, after = requests
    names = ["todo", "cronjob", "session_search"]
    assert not set(names) & set(first.tools)
    assert [name for name, _ in after.results] == names
    assert "ran-in-the-step" in after.results[0][1]
    assert all(json.loads(text).get("success") for _, text in after.results[1:])
    assert wire.is_append(first.tools_raw, after.tools_raw)
    assert set(names) <= set(after.tools)


def _is_asked_for(requests: tuple[Request, ...]) -> None:
    first, granted, _, refused = requests
    assert "cronjob" not in first.tools
    assert wire.is_append(first.tools_raw, granted.tools_raw)
    assert "cronjob" in granted.tools
    assert refused.tools_raw == granted.tools_raw
    answer = json.loads(refused.results[-1][1])
    assert "no_such_toolset" in json.dumps(answer)
