"""Bounds in log-odds say the same as chances and prices."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tool_router.benchmarks.routing import book, catalog
from hermes_tool_router.intent.rulebook import Policy
from hermes_tool_router.router.bounds import bounds_of
from hermes_tool_router.router.combine import chance, price_of
from hermes_tool_router.router.values import Tier

POLICY = replace(book().policy, misses={"near": 2.0}, strange_price=0.009)
LANES = ("near", "far")
NAMES = ("near", "far", "stranger")


def is_worth_it(policy: Policy, name: str, tokens: int, odds: float, tier: Tier) -> bool:
    """The rule that bounds are worked out from, as the policy states it."""
    price = price_of(policy.price, tier) if name in LANES else policy.strange_price
    return chance(odds) * policy.misses.get(name, 1.0) >= price * tokens / 1000


@settings(derandomize=True, deadline=None, max_examples=300)
@given(
    st.lists(st.integers(1, 60_000), min_size=3, max_size=3),
    st.floats(-12, 12, allow_nan=False),
    st.sampled_from([Tier.RULES, Tier.LOCAL]),
)
def test_a_bound_parts_what_is_worth_its_tokens_from_what_is_not(
    tokens: list[int], odds: float, tier: Tier
) -> None:
    """A toolset is kept from the same log-odds on, by bounds and by chances."""
    granted = catalog(dict(zip(NAMES, tokens, strict=True)))

    bounds = bounds_of(granted, POLICY, LANES, tier)

    for name, cost, least in zip(granted.names, tokens, bounds.worth, strict=True):
        if abs(odds - least) > 1e-6:  # nearer, rounding decides
            assert (odds >= least) is is_worth_it(POLICY, name, cost, odds, tier)


def test_what_costs_nothing_stays_and_what_costs_too_much_never_does() -> None:
    """A chance of more than 1 cannot be had; a free toolset needs none."""
    granted = catalog({"near": 0, "far": 10_000_000})

    bounds = bounds_of(granted, POLICY, LANES, Tier.RULES)

    assert bounds.worth == (float("-inf"), float("inf"))


def test_bounds_are_worked_out_once_for_a_policy_and_a_tier() -> None:
    """Decisions of one session share them; another policy has its own."""
    granted = catalog(dict.fromkeys(NAMES, 500))
    first = bounds_of(granted, POLICY, LANES, Tier.RULES)

    again = bounds_of(granted, POLICY, LANES, Tier.RULES)
    local = bounds_of(granted, POLICY, LANES, Tier.LOCAL)
    other = bounds_of(granted, replace(POLICY, price=POLICY.price * 2), LANES, Tier.RULES)

    assert again is first
    assert local.worth > first.worth
    assert other.worth[1] > first.worth[1]


@pytest.mark.parametrize("known", [LANES, ()])
def test_strangers_are_what_the_book_has_no_words_for(known: tuple[str, ...]) -> None:
    """They start from the prior of strangers and have a price of their own."""
    granted = catalog(dict.fromkeys(NAMES, 500))

    bounds = bounds_of(granted, POLICY, known, Tier.RULES)

    assert set(bounds.strangers) == set(NAMES) - set(known)
    assert chance(bounds.stranger) == pytest.approx(POLICY.stranger)


def test_every_granted_toolset_has_a_place_in_the_row() -> None:
    """Lanes come first, strangers behind them with their prior; picked in catalog order."""
    granted = catalog({"stranger": 500, "far": 500, "other": 500})

    bounds = bounds_of(granted, POLICY, LANES, Tier.RULES)

    row = [0.25, 0.75, *bounds.priors]  # near, far, the strangers
    assert bounds.granted(row) == (bounds.stranger, 0.75, bounds.stranger)


@pytest.mark.parametrize("names", [(), ("far",)])
def test_a_catalog_of_one_toolset_or_none_has_a_row_too(names: tuple[str, ...]) -> None:
    """The smallest grants are read like all others."""
    bounds = bounds_of(catalog(dict.fromkeys(names, 500)), POLICY, LANES, Tier.RULES)

    assert bounds.granted([0.25, 0.75, *bounds.priors]) == (0.75,) * len(names)
