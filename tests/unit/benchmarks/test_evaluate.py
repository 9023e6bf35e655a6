"""What ``evaluate`` counts, and that each of its promises can be broken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from hermes_tool_router.benchmarks.decision_server import Opinion, decision_server
from hermes_tool_router.benchmarks.evaluate_cases import Case, Due, Kind, Step, Turn, read
from hermes_tool_router.benchmarks.evaluate_play import PROFILES, CallTrace, TurnTrace
from hermes_tool_router.benchmarks.evaluate_score import COUNTS, INVARIANTS, broken, score
from hermes_tool_router.benchmarks.options import UsageError
from hermes_tool_router.classifier.packs import load_pack
from hermes_tool_router.classifier.presets import Backend, SystemOneConfig
from hermes_tool_router.classifier.scrubber import Scrubber
from hermes_tool_router.classifier.system_one import SystemOneClient
from hermes_tool_router.classifier.transport import Transport
from hermes_tool_router.router.questions import Answers, NoulAnswer, ScoreAnswer

RUNS = CallTrace(tool="terminal", offered=True, ran=True, result="{}")
ASKED = replace(RUNS, asked=1)
HELD = replace(RUNS, ran=False, result="denied")
TRACE = TurnTrace(
    requests=(b"first", b"second"),
    tools=(("terminal", "clarify"), ("terminal", "clarify")),
    calls=(RUNS,),
    continued=0,
    answer="Done.",
    engine=0,
    wall_ms=0.0,
    cpu_ms=0.0,
)


def case(due: Due = Due.RUN, *, nudge: bool = False) -> Case:
    """One turn with one call."""
    steps = (Step(tool="terminal", args={"command": "ls"}, due=due), Step(text="Done."))
    return Case(id="c", kind=Kind.RISKY, why="-", turns=(Turn(say="do", steps=steps, nudge=nudge),))


def counted(of: Case, trace: TurnTrace, stock: TurnTrace = TRACE) -> Mapping[str, int]:
    """Counts that are not zero."""
    found = score([of], {"c": trace}, {"c": stock})
    return {name: found.count(name) for name in COUNTS if found.count(name)}


@pytest.mark.parametrize(
    ("of", "trace", "expected"),
    [
        pytest.param(case(), TRACE, {}, id="nothing happens"),
        pytest.param(
            case(),
            replace(TRACE, calls=(ASKED,)),
            {"unnecessary_approvals": 1, "behaviour_differences": 1},
            id="a question too many",
        ),
        pytest.param(
            case(),
            replace(TRACE, calls=(HELD,)),
            {"unnecessary_approvals": 1, "behaviour_differences": 1},
            id="a refusal of ordinary work",
        ),
        pytest.param(case(Due.ASK), TRACE, {"missed_approvals": 1}, id="no question"),
        pytest.param(
            case(Due.ASK),
            replace(TRACE, calls=(replace(HELD, asked=1),)),
            {"behaviour_differences": 1},
            id="a question that is due",
        ),
        pytest.param(
            case(Due.ASK),
            replace(TRACE, calls=(replace(HELD, asked=2),)),
            {"unnecessary_approvals": 1, "behaviour_differences": 1},
            id="the same question twice",
        ),
        pytest.param(
            case(),
            replace(TRACE, continued=1),
            {"wrong_nudges": 1, "behaviour_differences": 1},
            id="a nudge too many",
        ),
        pytest.param(case(nudge=True), TRACE, {"missed_nudges": 1}, id="a nudge that is due"),
        pytest.param(
            case(),
            replace(TRACE, calls=(replace(RUNS, offered=False),)),
            {"false_removals": 1},
            id="a removed tool that came back",
        ),
        pytest.param(
            case(),
            replace(TRACE, calls=(replace(HELD, offered=False),)),
            {
                "false_removals": 1,
                "unrecovered": 1,
                "unnecessary_approvals": 1,
                "behaviour_differences": 1,
            },
            id="a removed tool that stayed away",
        ),
        pytest.param(
            case(),
            replace(TRACE, requests=(b"first", b"other"), engine=3),
            {"changed_requests": 1, "engine_calls": 3},
            id="another byte, and a model that was asked",
        ),
        pytest.param(
            case(),
            replace(TRACE, tools=(("clarify",), ("terminal", "clarify"))),
            {"narrowed_requests": 1},
            id="fewer tools",
        ),
    ],
)
def test_what_is_counted(of: Case, trace: TurnTrace, expected: Mapping[str, int]) -> None:
    """Against what is due, and against what stock Hermes did."""
    assert counted(of, trace) == expected


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        pytest.param(HELD, RUNS, True, id="a block that is gone"),
        pytest.param(HELD, ASKED, True, id="a block that became a question"),
        pytest.param(HELD, HELD, False, id="a block that holds"),
        pytest.param(ASKED, RUNS, True, id="a question that is gone"),
        pytest.param(ASKED, ASKED, False, id="a question that is asked"),
        pytest.param(ASKED, HELD, False, id="a question that became a block"),
    ],
)
def test_a_block_of_hermes_that_is_lost_is_counted(
    before: CallTrace, after: CallTrace, *, lost: bool
) -> None:
    """Stock stood in the way, and here the call ran."""
    trace, stock = replace(TRACE, calls=(after,)), replace(TRACE, calls=(before,))

    found = counted(case(Due.ASK), trace, stock)

    assert ("lost_native_blocks" in found) == lost


PLANTED = {
    "changed_requests": (replace(TRACE, requests=(b"x",)), TRACE),
    "behaviour_differences": (replace(TRACE, answer="Else."), TRACE),
    "engine_calls": (replace(TRACE, engine=1), TRACE),
    "narrowed_requests": (replace(TRACE, tools=((), ())), TRACE),
    "lost_native_blocks": (TRACE, replace(TRACE, calls=(HELD,))),
    "unrecovered": (replace(TRACE, calls=(replace(HELD, offered=False),)), TRACE),
}


@pytest.mark.parametrize(
    ("profile", "name"),
    [(invariant.profile, name) for invariant in INVARIANTS for name in invariant.zero],
)
def test_each_promise_is_broken_by_its_fault(profile: str, name: str) -> None:
    """And holds without it."""
    trace, stock = PLANTED[name]
    good = score([case()], {"c": TRACE}, {"c": TRACE})
    bad = score([case()], {"c": trace}, {"c": stock})

    assert broken(dict.fromkeys(PROFILES, good)) == ()
    found = broken({**dict.fromkeys(PROFILES, good), profile: bad})
    assert {(invariant.profile, what) for invariant, what in found} >= {(profile, name)}
    assert {invariant.profile for invariant, _ in found} == {profile}


def test_every_profile_promises_something() -> None:
    """So that a renamed profile cannot slip past."""
    assert {invariant.profile for invariant in INVARIANTS} == set(PROFILES)
    assert {name for invariant in INVARIANTS for name in invariant.zero} <= set(COUNTS)


def test_the_authored_cases_cover_every_kind() -> None:
    """The reference's list; each case says why it is there."""
    cases = read()

    assert {found.kind for found in cases} == set(Kind)
    assert all(found.why for found in cases)
    assert any(turn.nudge for found in cases for turn in found.turns)
    assert any(turn.opinion.fault for found in cases for turn in found.turns)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("cases: [", "cannot be read", id="no YAML"),
        pytest.param("turns: []", "cannot be read", id="no cases"),
        pytest.param("cases: [text]", "case 1: ", id="a case that is text"),
        pytest.param("cases: [{id: a}]", "a: has no 'turns'", id="a case without turns"),
        pytest.param(
            "cases: [{id: a, kind: risky, why: w, turns: []}]", "a: has no turns", id="no turns"
        ),
        pytest.param(
            "cases: [{id: a, kind: odd, why: w, turns: [{say: x, model: []}]}]",
            "a: 'odd' is not",
            id="kind",
        ),
        pytest.param(
            "cases: [{id: a, kind: risky, why: w, turn: []}]", "unknown keys ['turn']", id="key"
        ),
        pytest.param(
            "cases: [{id: a, kind: risky, why: w, turns: [{say: x, model: [{}]}]}]",
            "either text or call",
            id="an empty step",
        ),
        pytest.param(
            "cases: [{id: a, kind: risky, why: w, policy: {late: x}, "
            "turns: [{say: x, model: []}]}]",
            "expected 'before' or 'after'",
            id="policy",
        ),
        pytest.param(
            "cases: [{id: a, kind: risky, why: w, turns: [{say: x, human: odd, model: []}]}]",
            "expected 'once' or 'deny'",
            id="human",
        ),
        pytest.param(
            "cases: [{id: a, kind: risky, why: w, turns: [{say: x, fault: odd, model: []}]}]",
            "expected 'status' or 'truncated'",
            id="fault",
        ),
        pytest.param(
            "cases: [{id: a, kind: risky, why: w, turns: [{say: x, model: "
            "[{call: t, due: ask}, {call: t}]}]}]",
            "the turn's only one",
            id="a question beside other calls",
        ),
        pytest.param(
            "cases: [{id: a, kind: risky, why: w, turns: [{say: x, model: []}]},"
            " {id: b, kind: risky, why: w, turns: [{say: x, model: []}]}]",
            "that of 'a'",
            id="one opener twice",
        ),
    ],
)
def test_a_faulty_case_file_says_what_is_wrong(tmp_path: Path, text: str, said: str) -> None:
    """File, case, what was found and what is allowed."""
    path = tmp_path / "own.yaml"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(UsageError) as error:
        read(path)

    assert str(error.value).startswith("own.yaml: ")
    assert said in str(error.value)


def test_the_decision_server_says_what_it_is_told_and_counts_by_turn() -> None:
    """Through the real client: an opinion, a level between two, half a body, an error."""
    opinions = {
        "told": Opinion(says={"destructive": 0.9, "impact": 1.5}),
        "cut": Opinion(fault="truncated"),
        "down": Opinion(fault="status"),
    }
    found: dict[str, Answers] = {}
    with decision_server(opinions) as decisions:
        config = SystemOneConfig(
            backend=Backend.LOCAL, base_url=decisions.url, min_interval_s=0, cache_seconds=0
        )
        transport = Transport()
        client = SystemOneClient(config, transport, {}, Scrubber({}))
        for turn in ("told", "cut", "down"):
            decisions.begin(turn)
            found[turn] = client.ask(turn, load_pack("gate_v1"), deadline_s=10)
        transport.close()

    assert found["told"].by_id["destructive"] == NoulAnswer(probability=0.9)
    assert isinstance(impact := found["told"].by_id["impact"], ScoreAnswer)
    assert impact.score == 1.5
    assert found["cut"].outcome == "malformed"
    assert found["down"].outcome == "http_error"
    assert decisions.asked["told"] == decisions.asked["cut"] == 1
    assert decisions.asked["down"] >= 1
