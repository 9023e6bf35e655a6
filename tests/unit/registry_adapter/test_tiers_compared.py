"""Each tier leaves a word on what it alone would have kept, and decides as before."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tool_router.registry_adapter.deciding import LocalTier, TieredDecider
from hermes_tool_router.registry_adapter.events import TurnEvent
from hermes_tool_router.registry_adapter.guard import Guard
from hermes_tool_router.registry_adapter.places import Place
from hermes_tool_router.registry_adapter.resources import rule_book
from hermes_tool_router.registry_adapter.store import StateStore
from hermes_tool_router.router.settings import Settings
from hermes_tool_router.router.values import (
    Catalog,
    Decision,
    Message,
    Opinion,
    Origin,
    Tier,
    ToolName,
    Toolset,
    ToolsetName,
    ToolSpec,
)

BOOK = rule_book()
VAGUE = "something is off with our numbers again"
QUESTION = "what is the capital of France"
SHELL = "is nginx running on this box"
NOTHING = dict.fromkeys(("terminal", "web", "cronjob", "tts"), 0.0)


def _toolset(name: str) -> Toolset:
    spec = ToolSpec(name=ToolName(name), toolset=ToolsetName(name), description="", tokens=1_500)
    return Toolset(name=ToolsetName(name), origin=Origin.BUILTIN, description="", tools=(spec,))


CATALOG = Catalog(toolsets=tuple(map(_toolset, ("memory", "terminal", "web", "cronjob", "tts"))))


def decide(
    home: Path, text: str, local: dict[str, float], network: dict[str, float] | None = None
) -> Decision:
    """Decide a message with fixed opinions of both later tiers."""

    def opinion(tier: Tier, chances: dict[str, float]) -> Opinion:
        return Opinion(tier=tier, probabilities={ToolsetName(k): v for k, v in chances.items()})

    decider = TieredDecider(
        book=lambda: BOOK,
        guard=Guard(),
        environ={},
        local=lambda place: lambda text, catalog: opinion(Tier.LOCAL, local),
        network=lambda place: None if network is None else lambda *_: opinion(Tier.CHAT, network),
    )
    return decider.decide(_turn(text), CATALOG, _place(home), later_turn=False)


def _turn(text: str) -> TurnEvent:
    return TurnEvent(
        session_id="s",
        turn_id="s:1",
        platform="cli",
        message=Message(text=text),
        is_first_turn=True,
    )


def _place(home: Path) -> Place:
    settings = Settings(enabled=True)
    return Place(home=home, settings=settings, store=StateStore(home), routes=True)


def words(decision: Decision) -> list[str]:
    """What the earlier tiers left, in their order."""
    return [reason.rule for reason in decision.reasons if "-alone-" in reason.rule]


@pytest.mark.parametrize(
    ("text", "chances", "relation"),
    [
        pytest.param(QUESTION, NOTHING, "same", id="both keep the floor"),
        pytest.param(QUESTION, {"cronjob": 0.99}, "fewer", id="the encoder keeps one more"),
        pytest.param(SHELL, NOTHING, "more", id="the encoder keeps less"),
        pytest.param(SHELL, {"cronjob": 0.99, "web": 0.0}, "other", id="one more and one less"),
    ],
)
def test_the_rules_leave_a_word(
    tmp_path: Path, text: str, chances: dict[str, float], relation: str
) -> None:
    """How their own choice compares with what is sent."""
    found = decide(tmp_path, text, chances)

    assert words(found) == [f"engine.rules-alone-{relation}"]
    assert found.tier is Tier.LOCAL


def test_a_network_tier_leaves_both_words(tmp_path: Path) -> None:
    """The rules compared with the encoder, the encoder with the model."""
    found = decide(tmp_path, SHELL, NOTHING, {"cronjob": 0.99})

    assert found.tier is Tier.CHAT
    assert words(found) == ["engine.rules-alone-more", "engine.local-alone-fewer"]


@pytest.mark.parametrize(
    ("start_s", "left_s"), [(0.0, 2.0), (0.75, 1.25), (1.9, 0.5)], ids=["warm", "cold", "very cold"]
)
def test_the_start_of_the_encoder_is_taken_off_the_deadline(
    tmp_path: Path, start_s: float, left_s: float
) -> None:
    """The user waits for both; the model keeps a fourth of it in any case."""
    now = 100.0
    told: list[float] = []

    def slowly(place: Place) -> LocalTier:
        nonlocal now
        now += start_s
        return lambda text, catalog: None

    def network(turn: TurnEvent, catalog: Catalog, place: Place, deadline_s: float) -> None:
        told.append(round(deadline_s, 6))

    decider = TieredDecider(
        book=lambda: BOOK,
        guard=Guard(),
        environ={},
        local=slowly,
        network=lambda place: network,
        clock=lambda: now,
    )
    decider.decide(_turn(VAGUE), CATALOG, _place(tmp_path), later_turn=False)
    assert told == [left_s]
