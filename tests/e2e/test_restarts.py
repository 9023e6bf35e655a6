"""A session keeps its surface in a new process and with a new agent per request."""

from __future__ import annotations

import pytest

from hermes_tool_router.probe import wire
from hermes_tool_router.probe.home import ENFORCE, Contents
from hermes_tool_router.probe.scene import Scene
from hermes_tool_router.probe.script import Request, call, say

pytestmark = pytest.mark.hermes

RECOVERED = {"id": "1", "content": "recovered", "status": "pending"}
QUESTION = "Why do cats purr?"
HEADER = "Explain the difference between a list and a tuple in Python."
HISTORY = "What is the capital of Mongolia?"


def test_a_resumed_session_sends_the_same_bytes(drive: Scene) -> None:
    """What was recovered in the first process is on the first request of the second."""
    drive.fill(
        Contents(settings=ENFORCE),
        [call("todo", todos=[RECOVERED]), say("Done."), say("Done.")],
    )

    first = drive.hermes.chat(QUESTION)
    second = drive.hermes.chat("Thank you!", resume=first.session)

    assert (first.status, second.status) == (0, 0), first.tail + second.tail
    opening, after, resumed = drive.model.conversation(QUESTION)
    assert wire.is_append(opening.tools_raw, after.tools_raw)
    assert resumed.tools_raw == after.tools_raw
    assert resumed.system == opening.system


def user(text: str) -> dict[str, str]:
    """A user's message."""
    return {"role": "user", "content": text}


def test_the_api_server_keeps_a_surface_over_fresh_agents(drive: Scene) -> None:
    """By session header, across a restart of the gateway, and with the client's own history."""
    recovery = [call("todo", todos=[RECOVERED]), say("Done.")]
    drive.fill(Contents(settings=ENFORCE), [say("Done."), *recovery, say("Done."), say("Done.")])

    with drive.hermes.api_server() as api:
        for text in (HEADER, "Show me.", "Thanks."):
            assert api.ask([user(text)], session="by-header") == "Done."
        turns = [user(HISTORY)]
        for text in ("Thank you!", "Thanks."):
            answer = {"role": "assistant", "content": api.ask(turns)}
            turns = [*turns, answer, user(text)]
        assert api.ask(turns) == "Done."
    with drive.hermes.api_server() as api:
        assert api.ask([user("One more.")], session="by-header") == "Done."

    by_header = drive.model.conversation(HEADER)
    first, before, after, kept, restarted = by_header
    assert "todo" not in first.tools
    assert before.tools_raw == first.tools_raw
    assert wire.is_append(before.tools_raw, after.tools_raw)
    assert kept.tools_raw == restarted.tools_raw == after.tools_raw
    by_history = drive.model.conversation(HISTORY)
    shapes = [_shape(by_history[0], request) for request in by_history]
    assert shapes == ["same", "same", "grown", "grown"]


def _shape(first: Request, request: Request) -> str:
    if request.tools_raw == first.tools_raw:
        return "same"
    return "grown" if wire.is_append(first.tools_raw, request.tools_raw) else "other"
