"""Places of toolsets among log-odds, and what those must reach, worked out once for a catalog.

A toolset is kept when its chance is worth its tokens, and added on a later turn when it is
plainly worth them.  Tokens and prices stay the same from decision to decision, so what is
compared is log-odds with log-odds, and no chance is worked out that nobody asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from operator import itemgetter
from typing import NamedTuple

from ..intent.rulebook import Policy
from .combine import log_odds, price_of
from .values import Catalog, Origin, Tier, ToolsetName

__all__ = ["NOT_AT_ALL", "Bounds", "bounds_of"]

NOT_AT_ALL = -20.0
"""Log-odds of a toolset that nothing spoke for."""

_LEAST_EVIDENT = 0.1
"""Chance below which a later turn adds nothing, however cheap: an append rewrites the prefix."""

_TOOLS_FOR_TOOLS = frozenset((Origin.OWN, Origin.BRIDGE))
"""They always stay, and no message is about them: "my router is slow" names no toolset."""
_QUIET = 0.6
"""Chance that no tool is needed, from which a message without a plain need is settled."""


class Bounds(NamedTuple):
    """Least log-odds, in catalog order.

    Attributes:
        policy: whose numbers they rest on.
        lanes: toolsets that the rule book has words for, and the message as a whole.
        strangers: granted toolsets that it has no words for, in catalog order.
        place: position of each lane, of each stranger and of whatever else is granted, in that
            order, in a row of log-odds.
        granted: picks from such a row what is granted.
        worth: from which a toolset is kept.
        evident: from which a later turn adds it.
        plain: from which any toolset is plainly meant.
        vague: from which the message names nothing.
        quiet: from which plainly no tool is needed.
        stranger: log-odds of a stranger before anything is known of the message.
        priors: log-odds of what has a place behind the lanes, likewise.
    """

    policy: Policy
    lanes: tuple[str, ...]
    strangers: tuple[ToolsetName, ...]
    place: Mapping[str, int]
    granted: Callable[[Sequence[float]], tuple[float, ...]]
    worth: tuple[float, ...]
    evident: tuple[float, ...]
    plain: float
    vague: float
    quiet: float
    stranger: float
    priors: tuple[float, ...]


def bounds_of(catalog: Catalog, policy: Policy, lanes: tuple[str, ...], tier: Tier) -> Bounds:
    """The bounds of a catalog; the same object for as long as policy and lanes are the same.

    Args:
        catalog: what is granted.
        policy: of the rule book.
        lanes: what its lexicon speaks of.
        tier: who spoke last.
    """
    kept = catalog.memo.get(tier)
    if not isinstance(kept, Bounds) or kept.policy is not policy or kept.lanes is not lanes:
        kept = catalog.memo[tier] = _worked_out(catalog, policy, lanes, tier)
    return kept


def _worked_out(catalog: Catalog, policy: Policy, lanes: tuple[str, ...], tier: Tier) -> Bounds:
    costs = catalog.costs
    others = [each for each in catalog.toolsets if each.name not in lanes]
    strangers = tuple([each.name for each in others if each.origin not in _TOOLS_FOR_TOOLS])
    tools = [each.name for each in others if each.origin in _TOOLS_FOR_TOOLS]
    place = {name: at for at, name in enumerate((*lanes, *strangers, *tools))}
    stranger = log_odds(policy.stranger)
    price = price_of(policy.price, tier)
    # What the rule book has no words for starts from its prior, whoever else spoke.
    prices = {name: policy.strange_price if name in strangers else price for name in costs}
    return Bounds(
        policy=policy,
        lanes=lanes,
        strangers=strangers,
        place=place,
        granted=_picker([place[name] for name in costs]),
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
        vague=_least(policy.vague),
        quiet=_least(_QUIET),
        stranger=stranger,
        priors=(*[stranger] * len(strangers), *[NOT_AT_ALL] * len(tools)),
    )


def _picker(places: Sequence[int]) -> Callable[[Sequence[float]], tuple[float, ...]]:
    """What picks those places from a row."""
    if len(places) > 1:
        return itemgetter(*places)  # of one place alone it gives no tuple
    return lambda row: tuple([row[at] for at in places])


def _least(chance: float) -> float:
    """Log-odds of a chance that must be reached; never, where it is above 1."""
    if chance <= 0.0:
        return -inf
    return inf if chance > 1.0 else log_odds(chance)
