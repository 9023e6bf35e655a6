"""Chances that a toolset must have, as log-odds, worked out once for a catalog.

A toolset is kept when its chance is worth its tokens, and added on a later turn when it is
plainly worth them.  Tokens and prices stay the same from decision to decision, so what is
compared is log-odds with log-odds, and no chance is worked out that nobody asks for.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from math import inf
from typing import NamedTuple

from ..intent.rulebook import Policy
from .combine import log_odds, price_of
from .values import Catalog, Tier, ToolsetName

__all__ = ["Bounds", "bounds_of"]

_LEAST_EVIDENT = 0.1
"""Chance below which a later turn adds nothing, however cheap: an append rewrites the prefix."""


class Bounds(NamedTuple):
    """Least log-odds, in catalog order.

    Attributes:
        policy: whose numbers they rest on.
        strangers: granted toolsets that the rule book has no words for.
        worth: from which a toolset is kept.
        evident: from which a later turn adds it.
        plain: from which any toolset is plainly meant.
        stranger: log-odds of a stranger before anything is known of the message.
    """

    policy: Policy
    strangers: frozenset[ToolsetName]
    worth: tuple[float, ...]
    evident: tuple[float, ...]
    plain: float
    stranger: float


def bounds_of(catalog: Catalog, policy: Policy, lanes: Container[str], tier: Tier) -> Bounds:
    """The bounds of a catalog; the same object for as long as the policy is the same.

    Args:
        catalog: what is granted.
        policy: of the rule book.
        lanes: toolsets that the same rule book has words for.
        tier: who spoke last.
    """
    kept = catalog.memo.get(tier)
    if not isinstance(kept, Bounds) or kept.policy is not policy:
        kept = catalog.memo[tier] = _worked_out(catalog.costs, policy, lanes, tier)
    return kept


def _worked_out(
    costs: Mapping[ToolsetName, int], policy: Policy, lanes: Container[str], tier: Tier
) -> Bounds:
    strangers = frozenset([name for name in costs if name not in lanes])
    price = price_of(policy.price, tier)
    # What the rule book has no words for starts from its prior, whoever else spoke.
    prices = {name: policy.strange_price if name in strangers else price for name in costs}
    return Bounds(
        policy=policy,
        strangers=strangers,
        worth=tuple(
            [
                _least(prices[name] * tokens / 1000 / policy.misses.get(name, 1.0))
                for name, tokens in costs.items()
            ]
        ),
        evident=tuple(
            [
                _least(max(_LEAST_EVIDENT, policy.evident * tokens / 1000))
                for tokens in costs.values()
            ]
        ),
        plain=_least(policy.plain),
        stranger=log_odds(policy.stranger),
    )


def _least(chance: float) -> float:
    """Log-odds of a chance that must be reached; never, where it is above 1."""
    if chance <= 0.0:
        return -inf
    return inf if chance > 1.0 else log_odds(chance)
