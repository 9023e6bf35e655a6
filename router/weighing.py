"""All evidence for each granted toolset, in log-odds, with its reasons."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from math import inf
from operator import ge
from typing import cast

from ..intent.evidence import Evidence
from ..intent.reading import Reading
from ..intent.rulebook import Policy
from .bounds import NOT_AT_ALL, Bounds, bounds_of
from .combine import combine
from .naming import match_names
from .values import Catalog, Message, Opinion, Reason, Tier, ToolsetName

__all__ = ["Weighed", "weigh_catalog"]

_PINNED = 6.0
"""Log-odds of a toolset that the message names."""
_PER_WORD = 1.5
"""Log-odds of each word that only this toolset is described by."""
_MOST_WORDS = 4
_VAGUE, _NONE = "vague", "none"
"""Lanes that stand for a message which names nothing, and for one that needs no tool."""
_ELSEWHERE = 1.6
"""Log-odds that a plain request for something else takes from a stranger."""
_IMAGE, _FILE = 6.0, 2.0
"""Log-odds that a picture brings for vision, that a file or sound brings for reading it."""


@dataclass(slots=True)  # made by position: names would double what it costs
class Weighed:
    """What all tiers say of one message.

    Attributes:
        likely: log-odds of each granted toolset, in catalog order.
        vague: log-odds that the message names nothing.
        quiet: log-odds that no tool is needed.
        bounds: what they must reach.
        evident: granted toolsets that a later turn may add.
        reasons: votes, attachments and names, in that order.
        tier: who spoke last.
    """

    likely: Sequence[float]
    vague: float
    quiet: float
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


def _named(
    catalog: Catalog, strangers: Collection[ToolsetName], reading: Reading
) -> Iterator[Reason]:
    """Names and descriptions of toolsets that the rule book has no lane for."""
    units = [token.text for token in reading.tokens]
    found = match_names(strangers, catalog, units, reading.folded.text)
    for name, named in found.items():
        weight = _PINNED * named.pinned + _PER_WORD * min(named.words, _MOST_WORDS)
        if weight:
            yield Reason(rule="engine.named", toolset=name, weight=weight)


def _facts(
    message: Message, catalog: Catalog, strangers: Collection[ToolsetName], reading: Reading
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
    bounds = bounds_of(catalog, policy, evidence.lanes, Tier.RULES)
    strangers, place = bounds.strangers, bounds.place
    votes = _votes(evidence) if use_rules and evidence.votes else []
    facts = _facts(message, catalog, strangers, reading)
    row = [*evidence.learned, *bounds.priors]
    forced: dict[ToolsetName, float] = {}
    for name, weight in [(reason.toolset, reason.weight) for reason in (*votes, *facts)]:
        if name is not None:
            forced[name] = forced.get(name, 0.0) + weight
            if name in place:  # else it is not granted, and no lane speaks of it
                row[place[name]] += weight
    known, tier = row, Tier.RULES
    if opinions or not use_rules:
        row, tier = _heard(row, forced, opinions, bounds, use_rules=use_rules)
        bounds = bounds_of(catalog, policy, evidence.lanes, tier)
    if strangers:
        spoken_for = {fact.toolset for fact in facts} | _described(opinions, policy.stranger)
        unnamed = set(strangers) - spoken_for
        named = [place[name] for name in catalog.names if name not in unnamed]
        if unnamed and _plain(known if use_rules else row, named, bounds):
            for name in unnamed:
                row[place[name]] -= _ELSEWHERE
    likely = bounds.granted(row)
    evident = frozenset(compress(catalog.names, map(ge, likely, bounds.evident)))
    if votes:
        evident |= _strong(evidence) & catalog.costs.keys()
    vague = row[place[_VAGUE]] if _VAGUE in place else NOT_AT_ALL
    quiet = row[place[_NONE]] if _NONE in place else NOT_AT_ALL
    return Weighed(likely, vague, quiet, bounds, evident, (*votes, *facts), tier)


def _heard(
    row: Sequence[float],
    forced: Mapping[ToolsetName, float],
    opinions: Sequence[Opinion],
    bounds: Bounds,
    *,
    use_rules: bool,
) -> tuple[list[float], Tier]:
    """The row after later tiers spoke, and the last of them.

    Without rules nothing is known of a lane but what they say; of a stranger, what it is called.
    """
    strangers = frozenset(bounds.strangers)
    order = cast("Mapping[ToolsetName, int]", bounds.place)
    total, tier = combine(
        dict(zip(order, row, strict=True)) if use_rules else None,
        forced,
        opinions,
        strangers=strangers,
        prior=bounds.stranger,
    )
    pairs = zip(order, row, strict=True)
    return [total.get(n, own if n in strangers else NOT_AT_ALL) for n, own in pairs], tier


def _described(opinions: Sequence[Opinion], usual: float) -> frozenset[ToolsetName]:
    """Toolsets that some tier finds likelier than one that nothing is known of."""
    return frozenset(
        name
        for opinion in opinions
        for name, probability in opinion.probabilities.items()
        if probability > usual
    )


def _plain(row: Sequence[float], places: Sequence[int], bounds: Bounds) -> bool:
    """Whether something that is known by its words is plainly meant.

    Strangers that nothing names are doubted then.  The rules say so where they are on: an
    encoder that is sure of a built-in toolset has not seen the server that does it better.
    """
    return max([row[at] for at in places], default=-inf) >= bounds.plain


def _strong(evidence: Evidence) -> frozenset[ToolsetName]:
    return frozenset(
        ToolsetName(vote.rule.toolset)
        for vote in evidence.votes
        if vote.rule.strong and not vote.negated and vote.rule.toolset
    )
