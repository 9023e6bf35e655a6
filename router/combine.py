"""Rule evidence and the opinions of later tiers, combined in log-odds.

The formula: a toolset's log-odds are the mean of what the rules and the local
encoder say, each with its share; a rule vote of ``FORCE`` or more in either
direction stands whatever the encoder says.  A network opinion speaks last and
alone, except for such forced votes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, log

from .values import Opinion, Tier, ToolsetName

__all__ = ["FORCE", "LOCAL_SHARE", "chance", "combine", "log_odds"]

FORCE = 6.0
"""Log-odds of a rule vote that no encoder overrules."""
LOCAL_SHARE = 0.5
"""Share of the local encoder; the mean of both logits measured best (data notes of the project)."""
_FAR = 30.0


def chance(odds: float) -> float:
    """Probability of log-odds, 0 to 1, never rounded."""
    return 1.0 / (1.0 + exp(-max(-_FAR, min(_FAR, odds))))


def log_odds(probability: float) -> float:
    """Log-odds of a probability; NaN and values outside 0 to 1 count as no opinion (0)."""
    if not 0.0 <= probability <= 1.0:
        return 0.0
    if probability in {0.0, 1.0}:
        return _FAR if probability else -_FAR
    return log(probability / (1.0 - probability))


def combine(
    rules: Mapping[ToolsetName, float] | None,
    forced: Mapping[ToolsetName, float],
    opinions: Sequence[Opinion],
) -> tuple[dict[ToolsetName, float], Tier]:
    """Log-odds per toolset, and the tier that spoke last.

    Args:
        rules: log-odds of the rules and their lexicon; ``None``: rules are off.
        forced: rule votes that may veto or force, log-odds.
        opinions: usable opinions only, in the order in which they were asked.
    """
    total: dict[ToolsetName, float] = dict(rules or {})
    tier = Tier.RULES
    for opinion in opinions:
        tier = opinion.tier
        share = LOCAL_SHARE if opinion.tier is Tier.LOCAL and rules is not None else 1.0
        for name, probability in opinion.probabilities.items():
            said = log_odds(probability)
            total[name] = share * said + (1.0 - share) * total.get(name, said)
    if opinions:
        for name, vote in forced.items():
            if abs(vote) >= FORCE:
                total[name] = total.get(name, 0.0) + vote
    return total, tier
