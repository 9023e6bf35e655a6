"""A session keeps its surface when Hermes compresses its history."""

from __future__ import annotations

import pytest

from hermes_tool_router.probe import plan
from hermes_tool_router.probe.home import ENFORCE, Contents
from hermes_tool_router.probe.scene import Scene
from hermes_tool_router.probe.script import Request, Step, call, say

pytestmark = pytest.mark.hermes

QUESTION = "Why does the moon have phases?"
ITEM = {"id": "1", "content": "ran-in-the-step", "status": "pending"}
LONG = " ".join(f"An old mill stands by river {place}." for place in range(1850))
"""Some 60,000 characters; two of them pass half of the smallest window that Hermes accepts."""


def scripted(request: Request) -> Step:
    """A held-back tool is called in the second turn, so that the surface has grown by then."""
    asked = request.messages[-1].get("role") == "user"
    if asked and request.user_texts[-1].startswith("Thank you"):
        return call("todo", todos=[ITEM])
    return say("Fine.")


@pytest.mark.parametrize("in_place", [True, False], ids=["same session", "a session that follows"])
def test_the_surface_outlives_the_history(drive: Scene, in_place: bool) -> None:
    """Before and after, in the same session or in the next one: the same bytes."""
    compression = {"in_place": in_place, "threshold": 0.5, "protect_last_n": 2}
    config = {"model": {"context_length": 64_000}, "compression": compression}
    drive.fill(Contents(settings=ENFORCE, config=config), scripted)

    driven = drive.hermes.drive(
        [
            plan.agent("a"),
            plan.turn("a", QUESTION),
            plan.turn("a", "Thank you. What about its dark side?"),
            *(plan.turn("a", f"What do you think of part {part}? {LONG}") for part in (1, 2, 3)),
            plan.turn("a", "Good."),
        ]
    )

    assert not driven.fatal
    assert [turn.answer for turn in driven.turns] == ["Fine."] * 6
    first, grown, *later = (request for request in drive.model.turns if request.tools)
    assert "todo" not in first.tools
    assert grown.tools_raw == first.tools_raw
    assert {request.tools for request in later} == {(*first.tools, "todo")}
    assert len({request.tools_raw for request in later}) == 1
    # It was compressed: the first long text is not sent any more.
    assert not any("part 1?" in text for text in later[-1].user_texts)
    sessions = {turn.session for turn in driven.turns}
    assert (len(sessions) == 1) is in_place
