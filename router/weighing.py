"""All evidence for each granted toolset, in log-odds, with its reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from math import inf
from typing import cast

from ..intent.evidence import Evidence
from ..intent.reading import Reading
from ..intent.rulebook import Policy
from .bounds import Bounds, bounds_of
from .combine import combine
from .naming import match_names
from .values import Catalog, Message, Opinion, Reason, Tier, ToolsetName

__all__ = ["Weighed", "weigh_catalog"]

_PINNED = 6.0
"""Log-odds of a toolset that the message names."""
_PER_WORD = 1.5
"""Log-odds of each word that only this toolset is described by."""
_MOST_WORDS = 4
_UNHEARD = -5.0
"""Log-odds of a toolset before any vote, where the lexicon has no lane for it."""
_NOT_AT_ALL = -20.0
_ELSEWHERE = 1.6
"""Log-odds that a plain request for something else takes from a stranger."""
_IMAGE, _FILE = 6.0, 2.0
"""Log-odds that a picture brings for vision, that a file or sound brings for reading it."""


@dataclass(slots=True, kw_only=True)
class Weighed:
    """What all tiers say of one message.

    Attributes:
        odds: log-odds per toolset and lane.
        likely: log-odds of each granted toolset, in catalog order.
        bounds: what they must reach.
        evident: granted toolsets that a later turn may add.
        reasons: votes, attachments and names, in that order.
        tier: who spoke last.
    """

    odds: Mapping[ToolsetName, float]
    likely: Sequence[float]
    bounds: Bounds
    evident: frozenset[ToolsetName]
    reasons: tuple[Reason, ...]
    tier: Tier


def _votes(evidence: Evidence) -> list[Reason]:
    return [
        Reason(
            rule=vote.rule.id,
            toolset=ToolsetName(vote.rule.toolset),
            weight=vote.weight,
            span=vote.span,
        )
        for vote in evidence.votes
        if vote.rule.toolset
    ]


def _attached(message: Message, reading: Reading) -> list[Reason]:
    """What the host's frames and the message's own parts bring."""
    brought = list(reading.peeled.evidence.items())
    if message.has_image:
        brought.append(("vision", _IMAGE))
    if message.has_audio:
        brought.append(("terminal", _FILE))
    if message.has_file:
        brought.append(("file", _FILE))
    return [
        Reason(rule="engine.attachment", toolset=ToolsetName(name), weight=weight)
        for name, weight in brought
        if weight
    ]


def _called(catalog: Catalog, reading: Reading) -> Iterator[Reason]:
    """Tools and toolsets that the message writes out, such as ``web_search``."""
    text = reading.folded.text
    said = {token.text for token in reading.tokens if token.kind == "ident"}
    code = (span for span in reading.material if span.kind == "code")
    said.update(text[span.start : span.end].strip("`") for span in code)
    for toolset in catalog.toolsets:
        names = {str(toolset.name), *(str(tool.name) for tool in toolset.tools)}
        if any("_" in name and name.lower() in said for name in names):
            yield Reason(rule="engine.called", toolset=toolset.name, weight=_PINNED)


def _named(catalog: Catalog, strangers: Set[ToolsetName], reading: Reading) -> Iterator[Reason]:
    """Names and descriptions of toolsets that the rule book has no lane for."""
    units = [token.text for token in reading.tokens]
    found = match_names(strangers, catalog, units, reading.folded.text)
    for name, named in found.items():
        weight = _PINNED * named.pinned + _PER_WORD * min(named.words, _MOST_WORDS)
        if weight:
            yield Reason(rule="engine.named", toolset=name, weight=weight)


def _facts(
    message: Message, catalog: Catalog, strangers: Set[ToolsetName], reading: Reading
) -> list[Reason]:
    """Attachments and names, whatever the rules say."""
    facts = _attached(message, reading)
    if "_" in reading.folded.text:
        facts += _called(catalog, reading)
    if strangers:
        facts += _named(catalog, strangers, reading)
    return facts


def weigh_catalog(
    message: Message,
    catalog: Catalog,
    policy: Policy,
    reading: Reading,
    evidence: Evidence,
    opinions: Sequence[Opinion],
    *,
    use_rules: bool,
) -> Weighed:
    """Weigh every granted toolset.

    Without rules the attachments and the toolset's own names still count:
    they are facts of the message, not readings of it.
    """
    bounds = bounds_of(catalog, policy, evidence.lexicon, Tier.RULES)
    strangers, stranger = bounds.strangers, bounds.stranger
    votes = _votes(evidence) if use_rules and evidence.votes else []
    facts = _facts(message, catalog, strangers, reading)
    odds: dict[ToolsetName, float] = {}
    if use_rules:
        odds = dict(cast("Mapping[ToolsetName, float]", evidence.lexicon))
    odds.update(dict.fromkeys(strangers, stranger))
    forced: dict[ToolsetName, float] = {}
    for reason in [*votes, *facts]:
        if reason.toolset is not None:
            odds[reason.toolset] = odds.get(reason.toolset, _UNHEARD) + reason.weight
            forced[reason.toolset] = forced.get(reason.toolset, 0.0) + reason.weight
    total, tier = odds, Tier.RULES
    if opinions or not use_rules:
        total, tier = combine(
            odds if use_rules else None, forced, opinions, strangers=strangers, prior=stranger
        )
        bounds = bounds_of(catalog, policy, evidence.lexicon, tier)
    if strangers:
        for name in strangers:  # with the rules off too: nobody has said that it is not needed
            total.setdefault(name, odds[name])
        spoken_for = {fact.toolset for fact in facts} | _described(opinions, policy.stranger)
        unnamed = strangers - spoken_for
        if unnamed and _plain(odds if use_rules else total, catalog.costs.keys() - unnamed, bounds):
            for name in unnamed:
                total[name] -= _ELSEWHERE
    likely = [total.get(name, _NOT_AT_ALL) for name in catalog.names]
    rows = zip(catalog.names, likely, bounds.evident, strict=True)
    evident = frozenset([name for name, found, least in rows if found >= least])
    if votes:
        evident |= _strong(evidence) & catalog.costs.keys()
    return Weighed(
        odds=total,
        likely=likely,
        bounds=bounds,
        evident=evident,
        reasons=(*votes, *facts),
        tier=tier,
    )


def _described(opinions: Sequence[Opinion], usual: float) -> frozenset[ToolsetName]:
    """Toolsets that some tier finds likelier than one that nothing is known of."""
    return frozenset(
        name
        for opinion in opinions
        for name, probability in opinion.probabilities.items()
        if probability > usual
    )


def _plain(odds: Mapping[ToolsetName, float], names: Set[ToolsetName], bounds: Bounds) -> bool:
    """Whether something that is known by its words is plainly meant.

    Strangers that nothing names are doubted then.  The rules say so where they are on: an
    encoder that is sure of a built-in toolset has not seen the server that does it better.
    """
    return max([odds.get(name, _NOT_AT_ALL) for name in names], default=-inf) >= bounds.plain


def _strong(evidence: Evidence) -> frozenset[ToolsetName]:
    return frozenset(
        ToolsetName(vote.rule.toolset)
        for vote in evidence.votes
        if vote.rule.strong and not vote.negated and vote.rule.toolset
    )
