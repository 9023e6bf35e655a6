"""The verifier on real Hermes: a claim after a failing run is sent back once, and turns end."""

from __future__ import annotations

import pytest

from hermes_tool_router.probe import plan
from hermes_tool_router.probe.home import Contents
from hermes_tool_router.probe.scene import Scene
from hermes_tool_router.probe.script import Request, Step, call, say

pytestmark = pytest.mark.hermes

SETTINGS = {
    "global": {
        "enabled": True,
        "mode": "enforce",
        "verify": {"enabled": True, "mode": "enforce", "max_nudges": 2},
    }
}
FAILS = "Write the module shop.py and run its tests; they will fail."
FIXES = "Write the module till.py, run its tests, and fix what fails."
DOCS = "Write the file NOTES.md with one sentence."
LOUD = "Write the module loud.py and run its very talkative tests."
CLAIM = "Done, all tests pass."


def _script(request: Request) -> Step:
    task, done = request.user_texts[0], len(request.results)
    if task == DOCS:
        return (
            call("write_file", path="NOTES.md", content="One sentence.\n")
            if not done
            else say("Done, I wrote the notes.")
        )
    name = {FAILS: "shop", FIXES: "till", LOUD: "loud"}[task]
    failing = f"{'loud' if task == LOUD else 'red'}/bin/pytest tests"
    passing = "green/bin/pytest tests"
    steps = [
        call("write_file", path=f"{name}.py", content=f"VALUE = '{name}'\n"),
        call("terminal", command=failing),
    ]
    if task == FIXES:
        steps += [
            call("write_file", path=f"{name}.py", content="VALUE = 'fixed'\n"),
            call("terminal", command=passing),
        ]
    return steps[done] if done < len(steps) else say(CLAIM)


def _runner(drive: Scene, name: str, output: str, status: int) -> None:
    """A program that is pytest by name and prints what is wanted."""
    path = drive.home.work / name / "bin" / "pytest"
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\ncat <<'END'\n{output}\nEND\nexit {status}\n")
    path.chmod(0o755)


def test_claims_are_held_against_what_ran(drive: Scene) -> None:
    """One nudge that names the failing run; none after a fix or for notes; no endless turn."""
    _runner(drive, "red", "=== 1 failed, 2 passed in 0.05s ===", 1)
    _runner(drive, "green", "=== 3 passed in 0.05s ===", 0)
    _runner(drive, "loud", "x " * 10_000 + "\n=== 1 failed, 2 passed in 0.05s ===", 1)
    drive.fill(Contents(settings=SETTINGS), _script)

    driven = drive.hermes.drive(
        [
            step
            for name, text in (("fails", FAILS), ("fixes", FIXES), ("docs", DOCS), ("loud", LOUD))
            for step in (plan.agent(name), plan.turn(name, text))
        ],
        timeout_s=240,
    )

    assert not driven.fatal
    assert all(turn.completed for turn in driven.turns)
    nudges = {
        text: [
            said
            for said in drive.model.conversation(text)[-1].user_texts[1:]
            if "The last check failed" in said
        ]
        for text in (FAILS, FIXES, DOCS, LOUD)
    }
    assert len(nudges[FAILS]) == 2  # the model stays stubborn; max_nudges bounds it
    assert "1 failed" in nudges[FAILS][0]
    assert nudges[FIXES] == []
    assert nudges[DOCS] == []
    assert nudges[LOUD]
