"""The formula that joins rules, encoder and network."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tool_router.router.combine import (
    FORCE,
    LOCAL_PRICE,
    LOCAL_SHARE,
    STRANGE_SHARE,
    can_read,
    chance,
    combine,
    log_odds,
    price_of,
)
from hermes_tool_router.router.values import Opinion, Tier, ToolsetName

WEB, CRON = ToolsetName("web"), ToolsetName("cronjob")


def _local(chances: dict[ToolsetName, float], confidence: float = 1.0) -> Opinion:
    return Opinion(tier=Tier.LOCAL, probabilities=chances, confidence=confidence)


def test_without_opinions_the_rules_stand() -> None:
    """An encoder that abstains is no encoder."""
    odds, tier = combine({WEB: 1.5}, {}, ())

    assert (odds, tier) == ({WEB: 1.5}, Tier.RULES)


@pytest.mark.parametrize(
    ("confidence", "share"),
    [
        pytest.param(1.0, LOCAL_SHARE, id="a language it knows"),
        pytest.param(0.0, STRANGE_SHARE, id="a language it does not know"),
        pytest.param(0.5, (LOCAL_SHARE + STRANGE_SHARE) / 2, id="in between"),
    ],
)
def test_the_share_of_the_encoder_follows_its_confidence(confidence: float, share: float) -> None:
    """Where it cannot read, the lexicon counts for more."""
    odds, tier = combine({WEB: -1.0}, {}, (_local({WEB: chance(2.0)}, confidence),))

    assert odds[WEB] == pytest.approx(share * 2.0 - (1 - share))
    assert tier is Tier.LOCAL


def test_what_only_one_of_them_speaks_of_stays_as_it_was_said() -> None:
    """No opinion is no vote against."""
    odds, _ = combine({WEB: 1.0}, {}, (_local({CRON: chance(3.0)}),))

    assert odds == pytest.approx({WEB: 1.0, CRON: 3.0})


@pytest.mark.parametrize("vote", [FORCE, -FORCE])
def test_a_forced_vote_stands_against_a_sure_encoder(vote: float) -> None:
    """Rules may veto or force: the head only fills."""
    against = chance(math.copysign(4.0, -vote))

    odds, _ = combine({WEB: vote}, {WEB: vote}, (_local({WEB: against}),))

    assert math.copysign(1.0, odds[WEB]) == math.copysign(1.0, vote)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param(1.0, 2.0 + (1.0 + 4.0), id="near its description"),
        pytest.param(-7.0, 2.0, id="far from its description"),
    ],
)
def test_evidence_for_a_stranger_adds_up(said: float, expected: float) -> None:
    """A server that the message names is not dropped because its description reads otherwise."""
    crm = ToolsetName("mcp-crm")

    odds, _ = combine({crm: 2.0}, {}, (_local({crm: chance(said)}),), strangers={crm}, prior=-4.0)

    assert odds[crm] == pytest.approx(expected)


def test_a_network_opinion_speaks_alone() -> None:
    """It was asked because the tiers before it were not sure."""
    network = Opinion(tier=Tier.CHAT, probabilities={WEB: chance(-4.0)})

    odds, tier = combine({WEB: 2.0}, {}, (_local({WEB: 0.9}), network))

    assert odds[WEB] == pytest.approx(-4.0)
    assert tier is Tier.CHAT


@pytest.mark.parametrize("junk", [math.nan, -0.1, 1.1, math.inf])
def test_a_number_that_is_no_probability_changes_nothing(junk: float) -> None:
    """A lying tier is an abstaining one."""
    odds, _ = combine({WEB: 1.0}, {}, (_local({WEB: junk}),))

    assert odds == {WEB: 1.0}


def test_the_encoder_alone_needs_no_average() -> None:
    """With the rules switched off its chances are taken as they are."""
    odds, _ = combine(None, {}, (_local({WEB: chance(1.0)}, confidence=0.2),))

    assert odds[WEB] == pytest.approx(1.0)


def test_who_can_read_decides_whether_a_language_is_unknown() -> None:
    """A low confidence of the encoder reads nothing; a network model is taken to read all."""
    assert not can_read(())
    assert not can_read((_local({}, confidence=0.3),))
    assert can_read((_local({}, confidence=0.8),))
    assert can_read((Opinion(tier=Tier.SYSTEM_ONE, probabilities={}),))


def test_the_price_follows_the_tier_that_spoke_last() -> None:
    """Calibrated chances have a price of their own."""
    assert price_of(0.01, Tier.RULES) == 0.01
    assert price_of(0.01, Tier.CHAT) == 0.01
    assert price_of(0.01, Tier.LOCAL) == LOCAL_PRICE


@given(st.floats(min_value=1e-9, max_value=1 - 1e-9))
def test_log_odds_and_chance_are_inverse(probability: float) -> None:
    """Nothing is rounded or clipped on the way, down to one in a billion."""
    assert chance(log_odds(probability)) == pytest.approx(probability, rel=1e-6)
