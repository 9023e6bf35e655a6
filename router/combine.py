"""Rule evidence and the opinions of later tiers, combined in log-odds.

For each toolset::

    odds = (1 - share) * rules + share * encoder
    share = STRANGE_SHARE + (LOCAL_SHARE - STRANGE_SHARE) * confidence

where ``rules`` are the log-odds of the rules and their lexicon, ``encoder`` those of the
embedded encoder, and ``confidence`` its chance of knowing the language at all.  A rule
vote of ``FORCE`` or more in either direction is added once more and so stands whatever
the encoder says: rules may veto or force, the head fills.  Toolsets that only one of the
two speaks of keep what that one says.

A toolset that the rule book has no words for (an MCP server, a plugin) is different: both
start from the same prior, the rules by its names and the encoder by its description.  There
their evidence adds up, and a description that lies far from the message is no vote against.

A network opinion speaks last and alone, except for such forced votes.

A toolset stays when ``chance(odds) >= price * tokens``.  The price is the rule book's, or
``LOCAL_PRICE`` where the encoder had a say: its chances are calibrated, the lexicon's are
not (docs/adr/0010-encoder-on-every-first-turn.md).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import exp, log

from .values import Opinion, Tier, ToolsetName

__all__ = [
    "FORCE",
    "LOCAL_PRICE",
    "LOCAL_SHARE",
    "STRANGE_SHARE",
    "can_read",
    "chance",
    "chances",
    "combine",
    "log_odds",
    "price_of",
]

FORCE = 6.0
"""Log-odds of a rule vote that no encoder overrules."""
LOCAL_SHARE = 0.65
"""Share of the encoder on text in a language that it knows.

.6 to .9 score alike on sources that neither tier was trained on; the rules' own cases speak for
the lower end.
"""
STRANGE_SHARE = 0.5
"""Its share on text in a language that it does not know, where both are as good."""
LOCAL_PRICE = 0.035
"""Chance that 1,000 tokens of schema must be worth once the encoder spoke.

The policy's ``misses`` apply to it too, so half of this is asked for what counts twice.  A call
that misses its toolset costs one more request, whose prefix is written anew: about as much as
28,000 tokens of schema that were sent for nothing, or 57,000 where a miss counts twice.  On the
authored test split, which trains nothing, hit falls slowly from .03 to .04 (.999 to .997) while
saving rises by two points.
"""
_CAN_READ = 0.5
_FAR = 30.0


def chance(odds: float) -> float:
    """Probability of log-odds, 0 to 1, never rounded."""
    return chances((odds,))[0]


def chances(odds: Iterable[float]) -> list[float]:
    """:func:`chance` of each, for a whole catalog at once."""
    return [
        1.0 / (1.0 + exp(-(_FAR if each > _FAR else -_FAR if each < -_FAR else each)))
        for each in odds
    ]


def log_odds(probability: float) -> float:
    """Log-odds of a probability; NaN and values outside 0 to 1 count as no opinion (0)."""
    if not 0.0 <= probability <= 1.0:
        return 0.0
    if probability in {0.0, 1.0}:
        return _FAR if probability else -_FAR
    return log(probability / (1.0 - probability))


def can_read(opinions: Sequence[Opinion]) -> bool:
    """Whether some tier behind the rules knows the language of the message.

    A network model is taken to; the encoder says so by its confidence.
    """
    return any(o.tier is not Tier.LOCAL or o.confidence >= _CAN_READ for o in opinions)


def price_of(rules: float, tier: Tier) -> float:
    """Chance that 1,000 tokens must be worth, by the tier that spoke last.

    Args:
        rules: the price of the rule book.
        tier: the tier that spoke last.
    """
    return LOCAL_PRICE if tier is Tier.LOCAL else rules


def _share(opinion: Opinion, *, alone: bool) -> float:
    """Share of an opinion beside what was said before it."""
    if alone or opinion.tier is not Tier.LOCAL:
        return 1.0
    sure = min(1.0, max(0.0, opinion.confidence))
    return STRANGE_SHARE + (LOCAL_SHARE - STRANGE_SHARE) * sure


def combine(
    rules: Mapping[ToolsetName, float] | None,
    forced: Mapping[ToolsetName, float],
    opinions: Sequence[Opinion],
    *,
    strangers: Collection[ToolsetName] = (),
    prior: float = 0.0,
) -> tuple[dict[ToolsetName, float], Tier]:
    """Log-odds per toolset, and the tier that spoke last.

    Args:
        rules: log-odds of the rules and their lexicon; ``None``: rules are off.
        forced: rule votes that may veto or force, log-odds.
        opinions: usable opinions only, in the order in which they were asked.
        strangers: toolsets that the rule book has no words for.
        prior: their log-odds before anything is known of the message.
    """
    total: dict[ToolsetName, float] = dict(rules or {})
    tier = Tier.RULES
    for opinion in opinions:
        tier = opinion.tier
        share = _share(opinion, alone=rules is None)
        for name, probability in opinion.probabilities.items():
            if not 0.0 <= probability <= 1.0:
                continue  # NaN and the like are no opinion
            said = log_odds(probability)
            if name in strangers and opinion.tier is Tier.LOCAL:
                total[name] = total.get(name, prior) + max(0.0, said - prior)
                continue
            total[name] = share * said + (1.0 - share) * total.get(name, said)
    if opinions:
        for name, vote in forced.items():
            if abs(vote) >= FORCE:
                total[name] = total.get(name, 0.0) + vote
    return total, tier
