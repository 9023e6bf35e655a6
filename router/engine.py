"""Evidence and state to a decision: pure, total, deterministic."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import compress
from operator import ge

from ..intent.evidence import Evidence, weigh
from ..intent.reading import Reading, read
from ..intent.rulebook import Policy, RuleBook
from .bounds import NOT_AT_ALL
from .combine import can_read
from .values import Catalog, Decision, Grade, Message, Opinion, Outcome, Reason, Tier, ToolsetName
from .weighing import Weighed, weigh_catalog

__all__ = ["decide"]

_BY_NAME = frozenset(("engine.called", "engine.named"))
_BY_GRADE = {grade: Reason(rule=f"engine.{grade}") for grade in Grade}
_BLOCKS = frozenset(("fence", "log", "mail", "source", "table"))
_GARBLED = re.compile("[\ud800-\udfff\ufffd]")
"""Marks of text that was decoded wrongly: beside no word, they stand for words nobody can read."""
_MARKS = frozenset(("stop", "ask"))
_ANSWER = 3
"""Words of a later message that may only answer a question; it adds what it plainly means."""
_BARELY_FAMILIAR = 0.7
"""Share of known words below which a foreign-looking text is not read."""


@dataclass(slots=True)  # made by position: names would double what it costs
class _Case:
    """One message with everything that its decision rests on."""

    message: Message
    catalog: Catalog
    floor: frozenset[ToolsetName]
    policy: Policy
    reading: Reading
    evidence: Evidence
    weighed: Weighed
    later_turn: bool
    use_rules: bool
    asked: bool
    """A later tier gave an opinion."""
    read: bool
    """A later tier knows the language of the message."""


def decide(
    message: Message,
    catalog: Catalog,
    *,
    floor: frozenset[ToolsetName],
    book: RuleBook,
    later_turn: bool = False,
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
        use_rules: without, opinions speak alone.
        opinions: what later tiers said, in the order in which they were asked.
        confidence_threshold: least confidence of a network answer as a whole, 0 to 1.
    """
    if message.unreadable:
        return _full(catalog, "engine.unreadable")
    for opinion in opinions:
        if _unusable(opinion, confidence_threshold):
            return _full(catalog, "engine.classifier_failed", tier=opinion.tier)
    # A local encoder that failed is one that was not asked (design D7).
    heard = tuple([opinion for opinion in opinions if not opinion.failed])
    try:
        reading = read(message.text, book)
        evidence = weigh(reading, book)
        weighed = weigh_catalog(
            message, catalog, book.policy, reading, evidence, heard, use_rules=use_rules
        )
        asked = bool(heard)
        read_by_another = asked and can_read(heard)
        return _conclude(
            _Case(
                message,
                catalog,
                floor,
                book.policy,
                reading,
                evidence,
                weighed,
                later_turn,
                use_rules,
                asked,
                read_by_another,
            )
        )
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        return _full(catalog, "engine.error", errors=(f"{type(error).__name__}: {error}"[:200],))


def _unusable(opinion: Opinion, threshold: float) -> bool:
    """Whether a network tier was asked and gave nothing to go by."""
    if opinion.tier is Tier.LOCAL:
        return False
    # Written so that NaN is no confidence.
    return bool(opinion.failed) or not opinion.confidence >= threshold


def _conclude(case: _Case) -> Decision:
    """The outcome, most binding reason first."""
    reading, flags = case.reading, case.evidence.flags
    if reading.peeled.unknown:
        return _open(case, "engine.unknown_frame")
    if _wordless(reading) and not reading.peeled.skills:
        if _GARBLED.search(reading.text):
            return _open(case, "engine.unreadable")
        return _floor_only(case, "engine.nothing_said")
    if "follow_up" in flags and not _brings_its_object(case):
        return _follow_up(case)
    if "greeting" in flags:
        return _floor_only(case, "engine.greeting")
    if not case.use_rules and not case.asked:
        return _open(case, "engine.nobody_asked", evident=case.weighed.evident)
    if case.use_rules and not case.read and _strange(case):
        return _open(case, "engine.unknown_language", evident=_usual(case))
    return _narrow(case)


def _wordless(reading: Reading) -> bool:
    """Whether nothing stands there but marks: "?", "...", a smile."""
    tokens = reading.tokens
    return not tokens or (
        tokens[0].kind in _MARKS and all(token.kind in _MARKS for token in tokens)
    )


def _brings_its_object(case: _Case) -> bool:
    """Whether "summarise this" comes with the thing: an attachment or a pasted block."""
    message = case.message
    attached = message.has_image or message.has_audio or message.has_file
    return (
        attached
        or any(weight > 0 for weight in case.reading.peeled.evidence.values())
        or any(span.kind in _BLOCKS for span in case.reading.material)
    )


def _strange(case: _Case) -> bool:
    """Whether the text is in a language that the book does not read."""
    tongue = case.reading.tongue
    return tongue.words >= 2 and (
        tongue.familiar < case.policy.familiar
        or (tongue.foreign and tongue.familiar < _BARELY_FAMILIAR)
    )


def _usual(case: _Case) -> frozenset[ToolsetName]:
    """On a later turn nothing opens up; the tools of most tasks come instead."""
    usual = frozenset(ToolsetName(name) for name in case.policy.generalists)
    return (case.weighed.evident | usual) & frozenset(case.catalog.names)


def _plain(case: _Case) -> frozenset[ToolsetName]:
    """Toolsets that even a message like "log it in Notion" names or plainly means."""
    named = {
        reason.toolset
        for reason in case.weighed.reasons
        if reason.rule in _BY_NAME and reason.toolset in case.weighed.evident
    }
    return frozenset(
        name
        for name, found in zip(case.catalog.names, case.weighed.likely, strict=True)
        if name in named or found >= case.weighed.bounds.plain
    )


def _follow_up(case: _Case) -> Decision:
    """A message that rests on an earlier one never tightens.

    "Do that" after talk that needed nothing needs hands; "yes" does not say.
    """
    evident: frozenset[ToolsetName] = frozenset()
    if case.later_turn:
        evident = _plain(case)
        if "act" in case.evidence.flags and not evident:
            evident = frozenset(ToolsetName(name) for name in case.policy.hands)
    return _full(
        case.catalog,
        "engine.follow_up",
        evident=evident & frozenset(case.catalog.names),
        follow_up=True,
        reasons=case.weighed.reasons,
    )


def _open(case: _Case, rule: str, *, evident: frozenset[ToolsetName] = frozenset()) -> Decision:
    """Everything, because the message cannot be read."""
    return _full(case.catalog, rule, evident=evident, reasons=case.weighed.reasons)


def _full(
    catalog: Catalog,
    rule: str,
    *,
    evident: frozenset[ToolsetName] = frozenset(),
    reasons: tuple[Reason, ...] = (),
    follow_up: bool = False,
    tier: Tier = Tier.RULES,
    errors: tuple[str, ...] = (),
) -> Decision:
    return Decision(
        outcome=Outcome.FULL,
        grade=Grade.FULL,
        toolsets=catalog.names,
        evident=evident,
        follow_up=follow_up,
        tier=tier,
        reasons=(Reason(rule=rule), *reasons),
        errors=errors,
    )


def _floor_only(case: _Case, rule: str) -> Decision:
    """The floor and what an attachment or frame brings; words ask for nothing."""
    brought = frozenset(
        reason.toolset
        for reason in case.weighed.reasons
        if reason.rule == "engine.attachment" and reason.toolset in case.weighed.evident
    )
    kept = case.floor | brought
    return Decision(
        outcome=Outcome.NARROWED,
        grade=Grade.TIGHT,
        toolsets=tuple(name for name in case.catalog.names if name in kept),
        evident=frozenset(name for name in case.catalog.names if name in brought),
        substantive=bool(brought),
        tier=case.weighed.tier,
        reasons=(Reason(rule=rule), *case.weighed.reasons),
    )


def _unfamiliar(case: _Case) -> bool:
    """Whether too few of the words are known to trust that nothing is asked for."""
    tongue = case.reading.tongue
    return tongue.words >= 2 and tongue.familiar < case.policy.trusted


def _thin(case: _Case, *, plain: bool) -> bool:
    """Whether the message asks for something that the evidence does not name.

    Args:
        case: the message and what is known of it.
        plain: something is plainly meant.
    """
    if case.reading.peeled.skills and not case.reading.text:
        return True
    if "vague" in case.evidence.flags:
        return True
    if plain:
        return False
    if case.use_rules and not case.read and _unfamiliar(case):
        return True
    return case.weighed.vague >= case.weighed.bounds.vague


def _said_outright(case: _Case) -> frozenset[ToolsetName]:
    """What a later message adds; few words may be an answer, and add what they plainly mean."""
    evident = case.weighed.evident
    if not evident or sum([entry.is_word for entry in case.reading.entries]) > _ANSWER:
        return evident
    strong = {vote.rule.toolset for vote in case.evidence.votes if vote.rule.strong}
    return _plain(case) | (evident & strong)


def _nothing(case: _Case) -> bool:
    """Whether plainly no tool is needed."""
    return case.weighed.quiet >= case.weighed.bounds.quiet


def _worth(case: _Case) -> set[ToolsetName]:
    """The floor, and toolsets whose chance outweighs what their schemas cost."""
    weighed = case.weighed
    worth = map(ge, weighed.likely, weighed.bounds.worth)
    return {*case.floor, *compress(case.catalog.names, worth)}


def _narrow(case: _Case) -> Decision:
    """Keep what is worth its tokens."""
    weighed = case.weighed
    kept = _worth(case)
    plain = max(weighed.likely, default=NOT_AT_ALL) >= weighed.bounds.plain
    grade = Grade.TIGHT
    if _thin(case, plain=plain):
        grade = Grade.BROAD
        kept.update(ToolsetName(name) for name in case.policy.generalists)
    return Decision(
        outcome=Outcome.NARROWED,
        grade=grade,
        toolsets=tuple(filter(kept.__contains__, case.catalog.names)),
        evident=_said_outright(case) if case.later_turn else weighed.evident,
        settled=plain or _nothing(case),
        tier=weighed.tier,
        reasons=(_BY_GRADE[grade], *weighed.reasons),
    )
