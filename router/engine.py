"""Evidence and state to a decision: pure, total, deterministic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..intent.evidence import Evidence, weigh
from ..intent.reading import Reading, read
from ..intent.rulebook import RuleBook
from .combine import can_read, chance, combine, log_odds, price_of
from .naming import Named, match_names
from .values import Catalog, Decision, Grade, Message, Opinion, Outcome, Reason, Tier, ToolsetName

__all__ = ["decide"]

VAGUE = ToolsetName("vague")
"""Lane of the lexicon that stands for a message which names nothing."""
_PINNED = 6.0
"""Log-odds of a toolset that the message names."""
_PER_WORD = 1.5
"""Log-odds of each word that only this toolset is described by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Weighed:
    """Everything the outcome depends on."""

    odds: Mapping[ToolsetName, float]
    evident: frozenset[ToolsetName]
    reasons: tuple[Reason, ...]
    tier: Tier


def decide(
    message: Message,
    catalog: Catalog,
    *,
    floor: frozenset[ToolsetName],
    book: RuleBook,
    later_turn: bool = False,
    first_contact: bool = True,
    use_rules: bool = True,
    opinions: tuple[Opinion, ...] = (),
    confidence_threshold: float = 0.9,
) -> Decision:
    """Choose the toolsets for one message.

    Never raises: what cannot be read is answered with the full surface.  Same
    arguments, same decision, in every process.

    Args:
        message: what the user sent, host frames still around it.
        catalog: everything that this session was granted.
        floor: toolsets that stay whatever the text says.
        book: the compiled rule book.
        later_turn: the session was decided before; only ``evident`` matters.
        first_contact: nothing came before, so a follow-up has nothing to follow.
        use_rules: without, opinions speak alone.
        opinions: what later tiers said, in the order in which they were asked.
        confidence_threshold: least confidence of a network answer as a whole, 0 to 1.
    """
    if message.unreadable:
        return _full(catalog, "engine.unreadable")
    refused = next((o for o in opinions if _unusable(o, confidence_threshold)), None)
    if refused is not None:
        return _full(catalog, "engine.classifier_failed", tier=refused.tier)
    try:
        reading = read(message.text, book)
        evidence = weigh(reading, book)
        return _conclude(
            message,
            catalog,
            floor,
            book,
            reading,
            evidence,
            later_turn,
            first_contact,
            use_rules,
            opinions,
        )
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        return _full(catalog, "engine.error", errors=(f"{type(error).__name__}: {error}"[:200],))


def _unusable(opinion: Opinion, threshold: float) -> bool:
    if opinion.tier is Tier.LOCAL:
        return False
    return bool(opinion.failed) or not opinion.confidence >= threshold


def _full(
    catalog: Catalog,
    rule: str,
    *,
    evident: frozenset[ToolsetName] = frozenset(),
    reasons: tuple[Reason, ...] = (),
    follow_up: bool = False,
    substantive: bool = True,
    tier: Tier = Tier.RULES,
    errors: tuple[str, ...] = (),
) -> Decision:
    return Decision(
        outcome=Outcome.FULL,
        grade=Grade.FULL,
        toolsets=catalog.names,
        evident=evident,
        substantive=substantive,
        follow_up=follow_up,
        tier=tier,
        reasons=(Reason(rule=rule), *reasons),
        errors=errors,
    )


def _conclude(
    message: Message,
    catalog: Catalog,
    floor: frozenset[ToolsetName],
    book: RuleBook,
    reading: Reading,
    evidence: Evidence,
    later_turn: bool,
    first_contact: bool,
    use_rules: bool,
    opinions: tuple[Opinion, ...],
) -> Decision:
    weighed = _weigh(message, catalog, book, reading, evidence, use_rules, opinions)
    flags = evidence.flags
    if reading.peeled.unknown:
        return _full(catalog, "engine.unknown_frame", reasons=weighed.reasons)
    if not reading.tokens and not reading.peeled.skills:
        return _floor_only(catalog, floor, message, weighed, "engine.nothing_said")
    if "follow_up" in flags:
        return _full(
            catalog,
            "engine.follow_up",
            follow_up=True,
            reasons=weighed.reasons,
            substantive=first_contact,
        )
    if not use_rules and not opinions:
        return _full(catalog, "engine.nobody_spoke", reasons=weighed.reasons)
    if use_rules and "greeting" in flags:
        return _floor_only(catalog, floor, message, weighed, "engine.greeting")
    tongue = reading.tongue
    strange = tongue.words >= 2 and (
        tongue.familiar < book.policy.familiar or (tongue.foreign and tongue.familiar < 0.7)
    )
    if use_rules and strange and not can_read(opinions):
        return _full(
            catalog, "engine.unknown_language", evident=weighed.evident, reasons=weighed.reasons
        )
    if not use_rules and not opinions:
        return _full(catalog, "engine.nobody_asked", evident=weighed.evident)
    return _narrow(catalog, floor, book, reading, weighed)


def _floor_only(
    catalog: Catalog,
    floor: frozenset[ToolsetName],
    message: Message,
    weighed: _Weighed,
    rule: str,
) -> Decision:
    kept = floor | weighed.evident
    return Decision(
        outcome=Outcome.NARROWED,
        grade=Grade.TIGHT,
        toolsets=tuple(name for name in catalog.names if name in kept),
        evident=weighed.evident,
        substantive=bool(weighed.evident) or message.has_image or message.has_file,
        tier=weighed.tier,
        reasons=(Reason(rule=rule), *weighed.reasons),
    )


def _weigh(
    message: Message,
    catalog: Catalog,
    book: RuleBook,
    reading: Reading,
    evidence: Evidence,
    use_rules: bool,
    opinions: tuple[Opinion, ...],
) -> _Weighed:
    """Log-odds of every granted toolset, from all tiers."""
    reasons: list[Reason] = []
    odds: dict[ToolsetName, float] = {}
    forced: dict[ToolsetName, float] = {}
    strong: set[ToolsetName] = set()
    known = frozenset(evidence.lexicon)
    if use_rules:
        odds = {ToolsetName(name): value for name, value in evidence.lexicon.items()}
        for vote in evidence.votes:
            name = ToolsetName(vote.rule.toolset)
            if not name:
                continue
            odds[name] = odds.get(name, -5.0) + vote.weight
            forced[name] = forced.get(name, 0.0) + vote.weight
            if vote.rule.strong and not vote.negated:
                strong.add(name)
            reasons.append(
                Reason(rule=vote.rule.id, toolset=name, weight=vote.weight, span=vote.span)
            )
    attached = {
        "vision": 6.0 * message.has_image,
        "terminal": 2.0 * message.has_audio,
        "file": 2.0 * message.has_file,
    }
    for raw, weight in [*reading.peeled.evidence.items(), *attached.items()]:
        if weight:
            name = ToolsetName(raw)
            odds[name] = odds.get(name, -5.0) + weight
            reasons.append(Reason(rule="engine.attachment", toolset=name, weight=weight))
    for name, named in _named(catalog, known, reading).items():
        weight = _PINNED * named.pinned + _PER_WORD * min(named.words, 4)
        odds[name] = odds.get(name, _stranger(book)) + weight
        if weight:
            reasons.append(Reason(rule="engine.named", toolset=name, weight=weight))
    total, tier = combine(odds if use_rules else None, forced, opinions)
    evident = frozenset(
        name
        for name in catalog.names
        if name in strong or chance(total.get(name, -20.0)) >= book.policy.evident
    )
    return _Weighed(odds=total, evident=evident, reasons=tuple(reasons), tier=tier)


def _stranger(book: RuleBook) -> float:
    return log_odds(book.policy.stranger)


def _named(
    catalog: Catalog, known: frozenset[str], reading: Reading
) -> Mapping[ToolsetName, Named]:
    unknown = {name for name in catalog.names if name not in known}
    if not unknown:
        return {}
    units = [token.text for token in reading.tokens]
    return match_names(unknown, catalog, units, reading.folded.text)


def _thin(book: RuleBook, reading: Reading, weighed: _Weighed) -> bool:
    """Whether the message asks for something that the evidence does not name."""
    if reading.peeled.skills and not reading.text:
        return True
    if weighed.evident:
        return False
    vague = chance(weighed.odds.get(VAGUE, -20.0))
    return vague >= book.policy.vague


def _narrow(
    catalog: Catalog,
    floor: frozenset[ToolsetName],
    book: RuleBook,
    reading: Reading,
    weighed: _Weighed,
) -> Decision:
    """Keep what is worth its tokens."""
    price = price_of(book.policy.price, weighed.tier) / 1000
    kept = set(floor)
    for toolset in catalog.toolsets:
        if chance(weighed.odds.get(toolset.name, -20.0)) >= price * toolset.tokens:
            kept.add(toolset.name)
    grade = Grade.TIGHT
    if _thin(book, reading, weighed):
        grade = Grade.BROAD
        kept.update(ToolsetName(name) for name in book.policy.generalists)
    return Decision(
        outcome=Outcome.NARROWED,
        grade=grade,
        toolsets=tuple(name for name in catalog.names if name in kept),
        evident=weighed.evident,
        tier=weighed.tier,
        reasons=(Reason(rule=f"engine.{grade}"), *weighed.reasons),
    )
