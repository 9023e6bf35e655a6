"""Answers read leniently in form and strictly in meaning."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jevcompat.validate import choice_confidence as reference_choice
from jevcompat.validate import score_confidence as reference_score

from hermes_tool_router.classifier.errors import ClassifierError
from hermes_tool_router.classifier.reading import (
    choice_confidence,
    read_answers,
    score_confidence,
)
from hermes_tool_router.router.questions import (
    Answer,
    ChoiceAnswer,
    NoulAnswer,
    Question,
    ScoreAnswer,
)

NOUL = Question(id="q", kind="noul", instructions="?", criteria={})
CHOICE = Question(id="q", kind="choice", instructions="?", criteria={"a": "A", "b": "B", "é": "E"})
SCORE = Question(id="q", kind="score", instructions="?", criteria={"0": "l", "1": "m", "2": "h"})
OTHER = Question(id="other", kind="noul", instructions="?", criteria={})


def read(question: Question, answer: Any) -> Answer | None:
    """Read one answer beside another that is fine."""
    body = json.dumps({"answers": {"q": answer, "other": {"noul": 0.5}}}).encode()
    return read_answers(body, (question, OTHER)).answers.get("q")


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        pytest.param(NOUL, {"noul": 0.7}, NoulAnswer(probability=0.7), id="no type"),
        pytest.param(
            NOUL, {"type": "boolean", "probability": 1}, NoulAnswer(probability=1.0), id="boolean"
        ),
        pytest.param(
            NOUL,
            {"type": "noul", "noul": 0.7, "x_debug": float("nan")},
            NoulAnswer(probability=0.7),
            id="NaN in a field that nobody reads",
        ),
        pytest.param(
            CHOICE,
            {"choice": "a"},
            ChoiceAnswer(choice="a", probabilities={}, confidence=0.0),
            id="a choice that nobody vouches for",
        ),
        pytest.param(
            CHOICE,
            {"choice": "a", "probabilities": {"a": 1.0}, "confidence": 0.2},
            ChoiceAnswer(choice="a", probabilities={"a": 1.0, "b": 0.0, "é": 0.0}, confidence=1.0),
            id="options left out, confidence recomputed",
        ),
        pytest.param(
            CHOICE,
            {"choice": "e\u0301", "probabilities": {"a": 0.0, "b": 0.0, "e\u0301": 1.0}},
            ChoiceAnswer(choice="é", probabilities={"a": 0.0, "b": 0.0, "é": 1.0}, confidence=1.0),
            id="another Unicode form",
        ),
        pytest.param(
            SCORE,
            {"score": 2, "probabilities": {"0": 0.5, "1": 0.5, "2": 0}},
            ScoreAnswer(score=0.5, probabilities={"0": 0.5, "1": 0.5, "2": 0.0}, confidence=0.25),
            id="the expectation, not what the server calls score",
        ),
        pytest.param(
            SCORE,
            {"score": 1.25},
            ScoreAnswer(score=1.25, probabilities={}, confidence=0.0),
            id="a bare score",
        ),
    ],
)
def test_unusual_form_is_read(question: Question, answer: Any, expected: Answer) -> None:
    """What servers leave out or write otherwise."""
    assert read(question, answer) == expected


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        pytest.param(NOUL, None, id="null"),
        pytest.param(NOUL, 0.5, id="a bare number"),
        pytest.param(NOUL, {"noul": "0.7"}, id="text"),
        pytest.param(NOUL, {"noul": True}, id="a boolean"),
        pytest.param(NOUL, {"noul": 1.0001}, id="above 1"),
        pytest.param(NOUL, {"noul": -0.1}, id="below 0"),
        pytest.param(NOUL, {"noul": float("nan")}, id="NaN"),
        pytest.param(NOUL, {"noul": float("inf")}, id="infinity"),
        pytest.param(NOUL, {"noul": 10**400}, id="a number beyond floats"),
        pytest.param(NOUL, {"type": "choice", "choice": "a"}, id="another kind"),
        pytest.param(CHOICE, {"choice": "c"}, id="an option that was not asked"),
        pytest.param(CHOICE, {"probabilities": {"a": 1}}, id="no choice"),
        pytest.param(CHOICE, {"choice": "a", "probabilities": {"A": 1}}, id="another case"),
        pytest.param(
            CHOICE, {"choice": "a", "probabilities": {"a": 0.5, "b": 0.7}}, id="a sum of 1.2"
        ),
        pytest.param(CHOICE, {"choice": "a", "probabilities": {"a": 0.5}}, id="a sum of 0.5"),
        pytest.param(
            CHOICE, {"choice": "a", "probabilities": {"a": 0.2, "b": 0.8}}, id="not the likeliest"
        ),
        pytest.param(CHOICE, {"choice": "a", "probabilities": [1]}, id="a list"),
        pytest.param(SCORE, {"score": 2.5}, id="above the scale"),
        pytest.param(SCORE, {"score": 1, "probabilities": {"3": 1}}, id="a level above"),
        pytest.param(SCORE, {"score": 1, "probabilities": {"1": float("nan")}}, id="NaN level"),
    ],
)
def test_wrong_meaning_is_missing_and_the_others_stand(question: Question, answer: Any) -> None:
    """Never read as 0, never repaired."""
    assert read(question, answer) is None


@given(st.lists(st.floats(0.001, 1), min_size=2, max_size=10))
@settings(derandomize=True, deadline=None, max_examples=60)
def test_confidence_is_the_documented_formula(weights: list[float]) -> None:
    """The same as the reference implementation of the contract."""
    total = sum(weights)
    spread = [weight / total for weight in weights]

    assert choice_confidence(spread) == pytest.approx(reference_choice(spread))
    assert score_confidence(spread) == pytest.approx(reference_score(spread))


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["answers", "q", "type", "noul", "choice", "probabilities", "score", "a"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON)
@settings(derandomize=True, deadline=None, max_examples=100)
def test_any_json_is_read_or_refused_with_our_own_error(found: object) -> None:
    """No other exception, and every probability is one."""
    try:
        reading = read_answers(json.dumps({"answers": found}).encode(), (CHOICE,))
    except ClassifierError:
        return

    answer = reading.answers["q"]
    assert isinstance(answer, ChoiceAnswer)
    assert all(0 <= p <= 1 for p in answer.probabilities.values())
