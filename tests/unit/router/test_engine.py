"""First messages to decisions, through the committed rule book."""

from __future__ import annotations

import pytest

from hermes_tool_router.benchmarks.routing import FLOOR, book, catalog, surface
from hermes_tool_router.intent.rulebook import RuleBook
from hermes_tool_router.router.engine import decide
from hermes_tool_router.router.values import (
    Catalog,
    Decision,
    Message,
    Opinion,
    Outcome,
    Tier,
    ToolsetName,
)


@pytest.fixture(scope="module")
def rules() -> RuleBook:
    """The committed book."""
    return book()


@pytest.fixture(scope="module")
def granted() -> Catalog:
    """The reference surface."""
    return catalog(surface(None))


def _route(text: str, granted: Catalog, rules: RuleBook) -> Decision:
    return decide(Message(text=text), granted, floor=FLOOR, book=rules)


@pytest.mark.parametrize(
    ("text", "toolset"),
    [
        pytest.param("dim the lamps in the study", "homeassistant", id="a lamp"),
        pytest.param("wake me at 6:45 tomorrow", "cronjob", id="a time to come"),
        pytest.param("look up train strikes on the web", "web", id="the web"),
        pytest.param("kannst du im Internet nach Zugstreiks suchen", "web", id="the web, German"),
    ],
)
def test_an_object_brings_its_toolset(
    text: str, toolset: str, granted: Catalog, rules: RuleBook
) -> None:
    """What the instruction acts on decides."""
    decision = _route(text, granted, rules)

    assert decision.outcome is Outcome.NARROWED
    assert toolset in decision.toolsets
    assert toolset in decision.evident


def test_a_greeting_keeps_the_floor_and_the_first_turn(granted: Catalog, rules: RuleBook) -> None:
    """A greeting does not use up the first turn (design D4)."""
    decision = _route("hello there!", granted, rules)

    assert set(decision.toolsets) == FLOOR
    assert not decision.substantive


def test_a_follow_up_with_nothing_to_follow_gets_everything(
    granted: Catalog, rules: RuleBook
) -> None:
    """A bare yes never tightens."""
    decision = _route("yes please", granted, rules)

    assert decision.outcome is Outcome.FULL
    assert decision.follow_up


def test_an_unreadable_message_gets_everything(granted: Catalog, rules: RuleBook) -> None:
    """A shape that nobody here knows is no reason to narrow."""
    message = Message(text="", unreadable=True)

    decision = decide(message, granted, floor=FLOOR, book=rules)

    assert decision.toolsets == granted.names


def test_a_failed_network_tier_gets_everything(granted: Catalog, rules: RuleBook) -> None:
    """Asked and failed is full, whatever the rules say (design D7)."""
    opinion = Opinion(tier=Tier.SYSTEM_ONE, probabilities={}, failed="timeout")

    decision = decide(
        Message(text="dim the lamps"), granted, floor=FLOOR, book=rules, opinions=(opinion,)
    )

    assert decision.outcome is Outcome.FULL
    assert decision.tier is Tier.SYSTEM_ONE


def test_without_rules_the_opinion_speaks_alone(granted: Catalog, rules: RuleBook) -> None:
    """With the rules off the lexicon has no say."""
    opinion = Opinion(
        tier=Tier.LOCAL,
        probabilities={name: 0.9 if name == "spotify" else 0.0 for name in granted.names},
    )

    decision = decide(
        Message(text="dim the lamps"),
        granted,
        floor=FLOOR,
        book=rules,
        use_rules=False,
        opinions=(opinion,),
    )

    assert set(decision.toolsets) == FLOOR | {ToolsetName("spotify")}


def test_without_rules_and_without_an_opinion_nothing_is_narrowed(
    granted: Catalog, rules: RuleBook
) -> None:
    """A network tier that cannot be reached must not leave the floor alone."""
    decision = decide(
        Message(text="dim the lamps"), granted, floor=FLOOR, book=rules, use_rules=False
    )

    assert decision.outcome is Outcome.FULL
    assert decision.undecided
