"""Eight sessions at once."""

from __future__ import annotations

import pytest

from hermes_tool_router.probe import plan
from hermes_tool_router.probe.home import ENFORCE, Contents
from hermes_tool_router.probe.scene import Scene
from hermes_tool_router.probe.script import Request, Step, call, say

pytestmark = pytest.mark.hermes

OPENERS = {
    "one": "What is a prime number?",
    "two": "Run the unit tests and fix what fails.",
    "three": "Search the web for the height of the Eiffel Tower.",
    "four": "Read notes.txt and count its words.",
    "five": "How do I say thank you in Japanese?",
    "six": "Install the package requests with pip and show its version.",
    "seven": "Look up the latest release of Django online.",
    "eight": "Replace every tab by four spaces in main.py.",
}
RECOVERS = {"one", "five"}


def scripted(request: Request) -> Step:
    """Two of the sessions call a tool that was held back."""
    name = next(key for key, text in OPENERS.items() if text in request.opener)
    if name in RECOVERS and not request.results:
        return call("terminal", command=f"echo only-{name}")
    return say(f"answer for {name}")


def test_sessions_in_threads_do_not_touch_each_other(drive: Scene) -> None:
    """Each sends exactly what it sends alone, and gets its own answers."""
    turns = {name: [text, "Go on."] for name, text in OPENERS.items()}
    drive.fill(Contents(settings=ENFORCE), scripted)

    driven = drive.hermes.drive(
        [
            *(
                step
                for name, texts in turns.items()
                for step in (
                    plan.agent(f"{name} alone"),
                    *(plan.turn(f"{name} alone", text) for text in texts),
                )
            ),
            plan.sessions(turns),
        ],
        timeout_s=240,
    )

    assert not driven.fatal
    assert drive.model.errors == ()
    for name, text in OPENERS.items():
        sent = [item.tools_raw for item in drive.model.conversation(text)]
        half = len(sent) // 2
        assert half == (3 if name in RECOVERS else 2)
        assert sent[half:] == sent[:half], name
        answers = [turn.answer for turn in driven.turns if turn.agent.split()[0] == name]
        assert answers == [f"answer for {name}"] * 4
    surfaces = {drive.model.conversation(text)[0].tools_raw for text in OPENERS.values()}
    assert len(surfaces) >= 3
