"""``hermes tool-router replay`` on a history that real Hermes wrote."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from itertools import pairwise
from random import Random
from typing import Any

import pytest
import yaml

from hermes_tool_router.probe import plan
from hermes_tool_router.probe.home import ENFORCE, SOURCE, Contents
from hermes_tool_router.probe.scene import Scene
from hermes_tool_router.probe.script import Request, Step, ToolCall, call, say
from hermes_tool_router.registry_adapter.tokens import schema_tokens

pytestmark = pytest.mark.hermes

TODO = ToolCall(
    name="todo",
    arguments={"todos": [{"id": "1", "content": "one", "status": "pending"}]},
)
SECRET = "-".join(("sk", "proj", "f4Kq9Zt2Lm7Xw1Rb" * 3))
SESSIONS: dict[str, tuple[str, ...]] = {
    "unread": ("ነገ ዝናብ ይዘንባል?", "Thank you."),
    "question": ("Why is the sea salty?", "And why are lakes not?"),
    "greeting": ("Hello!", "Search the web for the tide times of tomorrow.", "Thanks."),
    "pruned": (f"Who painted that ceiling? {SECRET}", "And when was that?"),
    "asked": ("What does the word petrichor mean?", "Where does it come from?"),
    "coding": ("Fix the failing test in tests/test_tides.py and run pytest.", "Go on."),
    "grows": (
        "Translate 'good evening' into Norwegian.",
        "Now write it into the file greetings.txt.",
        "Remind me every day at 9 to practise.",
    ),
    "web": ("Search the web for the latest release of SQLite.", "Who wrote it?"),
    "past": ("What did we decide last week about the garden?", "Good."),
    "shell": ("Run df -h and tell me which disk is full.", "And the second one?"),
}
STEPS: dict[str, tuple[Step, ...]] = {
    SESSIONS["pruned"][0]: (Step(calls=(TODO,)), say("Done."), say("Done.")),
    SESSIONS["asked"][0]: (
        call("request_toolset", toolsets=["cronjob"]),
        say("Done."),
        say("Done."),
    ),
}
MESSAGES = sum(len(texts) for texts in SESSIONS.values())


def scripted(request: Request) -> Step:
    """The n-th step of the conversation; text where nothing is scripted."""
    said = [message for message in request.messages if message.get("role") == "assistant"]
    steps = STEPS.get(request.opener, ())
    return steps[len(said)] if len(said) < len(steps) else say("Done.")


def replayed(drive: Scene, *arguments: str) -> Any:
    """The replay's JSON."""
    run = drive.hermes.command("tool-router", "replay", "--json", *arguments)
    assert run.status == 0, run.tail
    return json.loads(run.stdout)


def tokens(request: Request) -> int:
    """What the schemas of a request cost, as the router weighs them."""
    return sum(schema_tokens(tool["function"]) for tool in request.body["tools"])


@pytest.mark.nightly
def test_two_hundred_messages_of_the_corpus_are_replayed_as_they_were_sent(drive: Scene) -> None:
    """Random cases one after the other: what greets, what abstains, what adds."""
    lines = (SOURCE / "benchmarks" / "cases" / "routes.jsonl").read_text(encoding="utf-8")
    prompts = [json.loads(line)["prompt"] for line in lines.splitlines()]
    drawn = Random(8).sample(prompts, 200)
    sessions = {f"s{start}": drawn[start : start + 4] for start in range(0, 200, 4)}
    drive.fill(Contents(settings=ENFORCE), scripted)
    steps = [
        step
        for name, texts in sessions.items()
        for step in (plan.agent(name), *(plan.turn(name, text) for text in texts))
    ]

    driven = drive.hermes.drive(steps, timeout_s=900)
    found = replayed(drive)

    ids = {turn.agent: turn.session for turn in driven.turns}
    rows = {row["session"]: row for row in found["sessions"]}
    assert found["total"]["turns"] == 200
    for name, texts in sessions.items():
        live = [r for r in drive.model.turns if r.opener == texts[0]]
        assert rows[ids[name]]["sent"] == [tokens(request) for request in live], texts


def test_replay_tells_what_live_routing_of_the_same_messages_sent(drive: Scene) -> None:
    """Each request of each session has the same tokens, and the history is as it was."""
    drive.fill(Contents(settings=ENFORCE), scripted)
    steps = [
        step
        for name, texts in SESSIONS.items()
        for step in (plan.agent(name), *(plan.turn(name, text) for text in texts))
    ]

    driven = drive.hermes.drive(steps)
    history = drive.home.home / "state.db"
    with closing(sqlite3.connect(history)) as db:
        before = list(db.iterdump())
    found = replayed(drive)
    spoken = replayed(drive, "--show-text")
    report = drive.hermes.command("tool-router", "report", "--json")
    with closing(sqlite3.connect(history)) as db:
        after = list(db.iterdump())

    assert not driven.fatal, driven.fatal
    assert MESSAGES >= 20
    assert found["total"]["turns"] == MESSAGES
    ids = {turn.agent: turn.session for turn in driven.turns}
    rows = {row["session"]: row for row in found["sessions"]}
    for name, texts in SESSIONS.items():
        live = [r for r in drive.model.turns if r.opener == texts[0]]
        assert rows[ids[name]]["sent"] == [tokens(request) for request in live], name
        moves = sum(a.tools_raw != b.tools_raw for a, b in pairwise(live))
        assert rows[ids[name]]["moves"] == moves, name
    assert found["total"]["moves"] >= 3
    (untouched, *_) = [r for r in drive.model.turns if r.opener == SESSIONS["unread"][0]]
    own = next(t for t in untouched.body["tools"] if t["function"]["name"] == "request_toolset")
    stock = tokens(untouched) - schema_tokens(own["function"])
    assert {row["first_full"] for row in found["sessions"]} == {stock}
    missed = rows[ids["pruned"]]["recoveries"]
    assert missed == [{"turn": 0, "toolset": "todo", "tool": "todo"}]
    assert rows[ids["asked"]]["recoveries"] == []
    assert "ceiling" not in json.dumps(found)
    assert "ceiling" in json.dumps(spoken)
    assert SECRET not in json.dumps(spoken)
    log = json.loads(report.stdout)
    assert log["sessions"] == len(SESSIONS)
    assert 0 < log["tokens_sent"] < log["tokens_full"]
    assert log["by_mode"].keys() == {"enforce"}
    assert log["counters"]["recovery"] == found["total"]["recoveries"]
    assert before == after
    assert drive.model.errors == ()


def test_replay_works_before_the_router_is_switched_on(drive: Scene) -> None:
    """As shipped: the history of stock turns, our own tool counted on top of what is sent."""
    drive.fill(Contents(), [say("Salt.")])
    drive.hermes.chat("Why is the sea salty?")

    found = replayed(drive)
    page, log = drive.home.root / "replay.html", drive.home.root / "log.html"
    shown = drive.hermes.command(
        "tool-router", "replay", "--html", str(page), env={"COLUMNS": "80", "NO_COLOR": "1"}
    )
    empty = drive.hermes.command("tool-router", "report", "--html", str(log))

    (row,) = found["sessions"]
    (request,) = drive.model.turns
    assert row["first_full"] == tokens(request)
    assert 0 < row["first_sent"] < row["first_full"] / 2
    assert shown.status == 0, shown.tail
    assert shown.stdout.isascii()
    assert "1 session, 1 message, 1 request\n" in shown.stdout
    assert "What the tool router would have sent" in page.read_text(encoding="utf-8")
    assert empty.status == 0, empty.tail
    assert "the log is empty" in empty.stdout
    assert "What the tool router did" in log.read_text(encoding="utf-8")


def test_a_history_that_is_not_there_is_said_in_a_sentence(drive: Scene) -> None:
    """Status 1, one line on the error output, no stack trace."""
    drive.fill(Contents())

    run = drive.hermes.command("tool-router", "replay")
    damaged = drive.home.home / "state.db"
    damaged.write_bytes(b"this was a database once" * 400)
    broken = drive.hermes.command("tool-router", "replay", "--json")

    assert run.status == 1
    assert "there is no history" in run.stderr
    assert "Traceback" not in run.stderr
    assert broken.status == 1
    assert "does not read as a history" in json.loads(broken.stdout)["error"]
    assert damaged.read_bytes() == b"this was a database once" * 400


def test_a_suggested_rule_loads_changes_nothing_in_shadow_and_helps_live(drive: Scene) -> None:
    """From four sessions that missed the same toolset to a file, checked and replayed."""
    texts = [f"What says the ledger page about {name}?" for name in ("rent", "tea", "oil", "wool")]
    steps = (Step(calls=(TODO,)), say("Done."))

    def todo_first(request: Request) -> Step:
        said = [message for message in request.messages if message.get("role") == "assistant"]
        return steps[min(len(said), 1)]

    drive.fill(Contents(settings=ENFORCE), todo_first)
    driven = drive.hermes.drive(
        [step for text in texts for step in (plan.agent(text), plan.turn(text, text))]
    )
    assert not driven.fatal, driven.fatal
    found = replayed(drive, "--show-text")
    silent = replayed(drive)
    rules = drive.home.home / "tool-router" / "rules.yaml"
    text = yaml.safe_dump(found["own_rules"])

    rules.write_text(text, encoding="utf-8")
    checked = drive.hermes.command("tool-router", "rules", "check", "--json")
    shadow = replayed(drive)
    rules.write_text(text.replace("stage: shadow", "stage: live"), encoding="utf-8")
    live = replayed(drive)

    assert found["missing"] == {"todo": 4}
    (rule,) = [row for row in found["suggestions"] if row["kind"] == "rule"]
    assert (rule["name"], rule["effect"]["missed_before"]) == ("own.todo", 4)
    assert rule["effect"]["missed_after"] == 0
    assert found["suggestion"] == {"global": {"floor_toolsets": ["todo"]}}
    assert "ledger" in json.dumps(found["own_rules"])
    assert "ledger" not in json.dumps(silent)
    assert json.loads(checked.stdout)["ok"], checked.stdout
    assert "1 own rules, 1 of them in shadow" in json.loads(checked.stdout)["text"]
    assert (shadow["missing"], live["missing"]) == ({"todo": 4}, {})
