"""Each way of driving Hermes reaches the model and comes back."""

from __future__ import annotations

import pytest

from hermes_tool_router.probe.home import ENFORCE, Contents
from hermes_tool_router.probe.scene import Scene
from hermes_tool_router.probe.script import call, say

pytestmark = pytest.mark.hermes


def test_a_chat_is_resumed_in_a_new_process(drive: Scene) -> None:
    """``hermes chat -q`` and ``--resume`` are one conversation for the model."""
    drive.fill(Contents(settings=ENFORCE), [say("first"), say("second")])

    first = drive.hermes.chat("Say something")
    second = drive.hermes.chat("Go on", resume=first.session)

    assert (first.status, second.status) == (0, 0), first.tail + second.tail
    assert "second" in second.stdout
    assert drive.model.turns[-1].user_texts == ("Say something", "Go on")


def test_a_plan_runs_several_agents_in_one_process(drive: Scene) -> None:
    """Turns of one agent, then two sessions in threads, in one start of Hermes."""
    drive.fill(Contents(settings=ENFORCE), [call("todo", todos=[]), say("first"), say("second")])

    driven = drive.hermes.drive(
        [
            {"do": "agent", "agent": "a"},
            {"do": "turn", "agent": "a", "say": "Plan my day"},
            {"do": "turn", "agent": "a", "say": "Go on"},
            {
                "do": "threads",
                "sessions": [{"agent": "b", "say": ["One"]}, {"agent": "c", "say": ["Two"]}],
            },
            {"do": "plugins"},
        ]
    )

    assert not driven.fatal
    assert [(turn.agent, turn.answer, turn.error) for turn in driven.turns[:2]] == [
        ("a", "first", ""),
        ("a", "second", ""),
    ]
    assert len({turn.session for turn in driven.turns}) == 3
    assert any(plugin["name"] == "tool-router" for plugin in driven.facts["plugins"])


def test_the_api_server_answers(drive: Scene) -> None:
    """A request to Hermes' own API server reaches the model."""
    drive.fill(Contents(settings=ENFORCE), [say("from the model")])

    with drive.hermes.api_server() as api:
        answer = api.ask([{"role": "user", "content": "Hello"}], session="one")

    assert answer == "from the model"
    assert drive.model.turns[0].opener == "Hello"
