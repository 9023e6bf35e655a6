"""registry_adapter.turn_feature: turn answers as opinions, and the greeting case."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hermes_tool_router.intent.followup_table import FollowupTable
from hermes_tool_router.registry_adapter.events import RequestEvent, TurnEvent
from hermes_tool_router.registry_adapter.models import Models
from hermes_tool_router.registry_adapter.places import Place
from hermes_tool_router.registry_adapter.resources import phrase_table
from hermes_tool_router.registry_adapter.store import StateStore
from hermes_tool_router.registry_adapter.turn_feature import TurnFeature, opinion_of
from hermes_tool_router.router.questions import Answer, Answers, ChoiceAnswer, NoulAnswer
from hermes_tool_router.router.settings import Settings
from hermes_tool_router.router.settings_model import ToolShaping


def _choice(confidence: float) -> ChoiceAnswer:
    return ChoiceAnswer(choice="chat", probabilities={"chat": 1.0}, confidence=confidence)


def _answers(**changed: Answer | None) -> Answers:
    found: dict[str, Answer | None] = {
        "intent": _choice(0.99),
        "complexity": _choice(0.93),
        "side_effects": _choice(0.97),
        "needs_web": NoulAnswer(probability=0.8),
        "needs_files": NoulAnswer(probability=0.1),
        **changed,
    }
    return Answers(by_id={name: answer for name, answer in found.items() if answer is not None})


def test_needs_become_probabilities_of_toolsets() -> None:
    """The least confident choice speaks for the whole."""
    opinion = opinion_of(_answers())

    assert opinion is not None
    assert opinion.probabilities == {"web": 0.8, "file": 0.1}
    assert opinion.confidence == 0.93


@pytest.mark.parametrize("missing", ["intent", "complexity", "side_effects"])
def test_a_missing_choice_is_no_opinion(missing: str) -> None:
    """What was not answered is never read as an answer."""
    assert opinion_of(_answers(**{missing: None})) is None


def test_a_failed_question_is_a_failed_opinion() -> None:
    """A model that was asked and failed keeps the full surface (D7)."""
    opinion = opinion_of(Answers(by_id={}, outcome="timeout"))

    assert opinion is not None
    assert opinion.failed == "timeout"


def test_nobody_asked_is_no_opinion() -> None:
    """A resting endpoint leaves the earlier tier's result alone."""
    assert opinion_of(Answers(by_id={}, outcome="breaker_open")) is None


def test_many_requests_read_the_phrases_once(tmp_path: Path) -> None:
    """Reading them takes 30 ms, and every request that nobody narrowed passes here."""
    read: list[FollowupTable] = []

    def phrases() -> FollowupTable:
        read.append(phrase_table())
        return read[-1]

    place = Place(
        home=tmp_path,
        settings=Settings(enabled=True, tool_shaping=ToolShaping(enabled=True)),
        store=StateStore(tmp_path),
        routes=True,
    )
    feature = TurnFeature(Models({}), phrases)
    ids = {"session_id": "s", "turn_id": "s:t:1", "platform": "cli", "api_mode": "chat_completions"}
    feature.turn(TurnEvent.read({**ids, "user_message": "hello", "is_first_turn": True}), place)
    tool = {"type": "function", "function": {"name": "terminal", "parameters": {}}}
    request: dict[str, Any] = {"messages": [{"role": "user", "content": "hello"}], "tools": [tool]}

    answers = [feature.reshape(RequestEvent.read(ids), request, place) for _ in range(3)]

    assert all(answer is request for answer in answers)
    assert len(read) == 1
