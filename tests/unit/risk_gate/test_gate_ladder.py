"""A model's answers on top of the rules."""

from __future__ import annotations

import pytest

from hermes_tool_router.risk_gate import Decision, Finding, Thresholds, Verdict, climb
from hermes_tool_router.router.questions import Answer, Answers, NoulAnswer, ScoreAnswer

CLEAR = Verdict(decision=Decision.ALLOW)
BLOCKED = Verdict(
    decision=Decision.BLOCK,
    findings=(
        Finding(id="a.b", risk="destroy", severity=3, decision=Decision.BLOCK, words="does x"),
    ),
    reversible=False,
)


def _answers(values: dict[str, float], missing: tuple[str, ...] = ()) -> Answers:
    scores = {"impact", "blast_radius"}
    by_id: dict[str, Answer] = {
        name: ScoreAnswer(score=value, probabilities={}, confidence=1.0)
        if name in scores
        else NoulAnswer(probability=value)
        for name, value in values.items()
    }
    return Answers(by_id=by_id, missing=missing)


@pytest.mark.parametrize(
    ("pack", "values", "fired"),
    [
        pytest.param("gate_v1", {"destructive": 0.91}, ("judge.destructive",), id="v1 destructive"),
        pytest.param("gate_v1", {"destructive": 0.89}, (), id="v1 below its threshold"),
        pytest.param(
            "gate_v1", {"exfiltration": 0.7}, ("judge.exfiltration",), id="v1 exfiltration"
        ),
        pytest.param("gate_v1", {"impact": 2.5}, ("judge.impact",), id="v1 impact"),
        pytest.param("gate_v2", {"reads_secrets": 0.8}, ("judge.reads-secrets",), id="v2 reads"),
        pytest.param("gate_v2", {"sends_outbound": 0.8}, ("judge.sends-outbound",), id="v2 sends"),
        pytest.param(
            "gate_v2",
            {"reads_secrets": 0.8, "sends_outbound": 0.8},
            ("judge.exfiltration",),
            id="v2 reading and sending is exfiltration",
        ),
        pytest.param(
            "gate_v2",
            {"destructive": 0.99, "self_advocating": 0.9},
            ("judge.self-advocating", "judge.destructive"),
            id="v2 self-advocacy speaks first",
        ),
        pytest.param(
            "risk_assessment",
            {"requested": 0.05, "changes_state": 0.9},
            ("judge.assessed-unrequested",),
            id="unrequested change",
        ),
        pytest.param(
            "risk_assessment", {"requested": 0.05, "changes_state": 0.1}, (), id="unrequested look"
        ),
        pytest.param(
            "risk_assessment",
            {"hard_to_reverse": 0.9},
            ("judge.assessed-lasting",),
            id="an unknown change is no reason for calm",
        ),
    ],
)
def test_answers_become_findings(
    pack: str, values: dict[str, float], fired: tuple[str, ...]
) -> None:
    """With the seeds' thresholds."""
    judgment = climb(CLEAR, {pack: _answers(values)}, Thresholds())

    assert judgment.fired == fired
    assert judgment.verdict.decision is (Decision.ASK if fired else Decision.ALLOW)


def test_a_missing_answer_hides_nothing_and_counts_for_nothing() -> None:
    """It is recorded; what was answered still counts."""
    given = _answers({"destructive": 0.99}, ("exfiltration", "impact"))

    judgment = climb(CLEAR, {"gate_v1": given}, Thresholds())

    assert judgment.answer_missing
    assert judgment.missing == ("gate_v1.exfiltration", "gate_v1.impact")
    assert judgment.values == {"gate_v1.destructive": 0.99}
    assert judgment.verdict.decision is Decision.ASK


def test_no_answer_at_all_leaves_the_rules_alone() -> None:
    """Every question missing: the verdict is what it was."""
    judgment = climb(CLEAR, {"gate_v1": _answers({}, ("destructive",))}, Thresholds())

    assert judgment.verdict == CLEAR
    assert judgment.answer_missing


def test_the_model_never_weakens_the_rules() -> None:
    """A calm model changes nothing about a block."""
    calm = _answers({"destructive": 0.0, "exfiltration": 0.0, "impact": 0.0})

    assert climb(BLOCKED, {"gate_v1": calm}, Thresholds()).verdict == BLOCKED


@pytest.mark.parametrize(
    ("flags", "finding"),
    [
        ({"ambiguous": True}, "judge.ambiguous-follow-up"),
        ({"whole": False}, "judge.cut-input"),
    ],
)
def test_what_the_model_could_not_know_asks(flags: dict[str, bool], finding: str) -> None:
    """A follow-up without an action, and an input that was cut."""
    judgment = climb(CLEAR, {}, Thresholds(), **flags)

    assert judgment.fired == (finding,)
    assert judgment.verdict.decision is Decision.ASK
