"""A surface over the turns of a session: it stays, or it grows at its end."""

from __future__ import annotations

import base64

import pytest

from hermes_tool_router.probe import plan, wire
from hermes_tool_router.probe.home import ENFORCE, Contents
from hermes_tool_router.probe.scene import Scene
from hermes_tool_router.probe.script import Request, Step, call, say

pytestmark = pytest.mark.hermes

SIX = (
    "Write a small program that prints the first ten primes, save it as primes.py and run it.",
    "Now make it twenty.",
    "Thanks!",
    "Add a short comment at the top.",
    "Run it once more.",
    "Good, that is all.",
)
NEED = "Rename the function helper to support in all Python files of this project."
NEW_NEED = "Now remind me every Friday at nine in the morning to run the tests."
GREETING = "hi"
TASK = "Run the tests in this folder and tell me which of them fail."
PIXEL = base64.b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
        "0000000d49444154789c6360f8cf500f0003860180345a7f0b0000000049454e44ae426082"
    )
).decode()
IMAGE = (
    {"type": "text", "text": "What colour is this picture?"},
    {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}},
)


def scripted(request: Request) -> Step:
    """Work once in a session's first turn and in the task after a greeting, else answer."""
    if request.user_texts[-1] == TASK and not request.results:
        return call("terminal", command="echo the-task-ran")
    return say("Done.")


def test_a_surface_stays_or_grows_at_its_end(drive: Scene) -> None:
    """Six turns alike; one append for a new need; a greeting; a picture; the agent left alone."""
    drive.fill()
    stock = drive.hermes.drive([plan.agent("stock"), plan.turn("stock", SIX[0])])
    (bare,) = drive.model.turns

    drive.fill(Contents(settings=ENFORCE), scripted)
    driven = drive.hermes.drive(
        [
            plan.agent("six"),
            *(plan.turn("six", text) for text in SIX),
            plan.agent("need"),
            plan.turn("need", NEED),
            plan.turn("need", NEW_NEED),
            plan.agent("hi"),
            plan.turn("hi", GREETING),
            plan.turn("hi", TASK),
            plan.agent("image"),
            plan.turn("image", IMAGE),
            plan.turn("image", "And which size has it?"),
        ]
    )

    assert not stock.fatal
    assert not driven.fatal
    assert all(turn.answer == "Done." for turn in driven.turns)
    assert drive.model.errors == ()
    _six_turns_are_alike(drive.model.conversation(SIX[0]), bare)
    _a_new_need_is_one_append(drive.model.conversation(NEED))
    _a_greeting_does_not_use_up_the_first_turn(drive.model.conversation(GREETING))
    # Hermes puts a description of the picture in front where the model cannot see it itself.
    asked = str(IMAGE[0]["text"])
    _a_picture_shrinks_nothing(
        tuple(request for request in drive.model.turns if asked in request.user_texts[0])
    )
    for turn in driven.turns:
        assert set(turn.valid) - set(stock.turns[0].valid) == {"request_toolset"}
        assert len(turn.tools) == len(stock.turns[0].tools) + 1


def _six_turns_are_alike(requests: tuple[Request, ...], bare: Request) -> None:
    assert len(requests) == len(SIX)
    assert len({request.tools_raw for request in requests}) == 1
    assert len(requests[0].tools) < len(bare.tools)
    assert {request.system for request in requests} == {bare.system}


def _a_new_need_is_one_append(requests: tuple[Request, ...]) -> None:
    first, second = requests
    assert "cronjob" not in first.tools
    assert "cronjob" in second.tools
    assert wire.is_append(first.tools_raw, second.tools_raw)


def _a_greeting_does_not_use_up_the_first_turn(requests: tuple[Request, ...]) -> None:
    greeting, task, after = requests
    assert "terminal" not in greeting.tools
    assert {"terminal", "process"} <= set(task.tools)
    assert "the-task-ran" in after.results[-1][1]
    assert wire.is_append(greeting.tools_raw, task.tools_raw)
    assert after.tools_raw == task.tools_raw


def _a_picture_shrinks_nothing(requests: tuple[Request, ...]) -> None:
    first, second = requests
    assert set(first.tools) <= set(second.tools)
    assert second.tools_raw == first.tools_raw or wire.is_append(first.tools_raw, second.tools_raw)
