"""What to change, from what a history missed and what it carried for nothing.

Suggestions are found by counting and then measured: each is replayed over the
same history, and one that does not help there is not made.  A rule holds words
of the user's own messages, so callers show it only where people ask for text.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ..intent.tokens import fold, tokenise
from ..router.values import Decision

__all__ = [
    "Effect",
    "Seen",
    "Suggestion",
    "own_file",
    "phrase_rules",
    "phrases_in",
    "silent_rules",
    "votes_of",
]

_WEIGHT = 4.0
"""Log-odds of a suggested rule: it decides (docs/rules.md)."""
_SESSIONS, _MESSAGES = 2, 3
"""Fewest sessions and messages that a phrase must have been missed in."""
_RIGHT = 0.7
"""Least share of messages with a phrase in which its toolset was called."""
_PHRASES, _RULES = 4, 5
_FIRED = 5
"""Sessions in which a rule must have kept a toolset that none of them called."""
_LETTERS = 4
_PER_MISS = 43_000
"""Schema tokens that a call which misses its toolset is worth (router/combine.py)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One message of a history, and what became of it.

    Attributes:
        session: its session's id.
        later: a message after the first decision.
        text: as the user wrote it.
        visible: toolsets that its first request carried.
        votes: ids of shipped rules that spoke for a toolset, each with it.
        called: toolsets of the tools that its turn called.
        missed: those of them that had to be brought back.
    """

    session: str
    later: bool
    text: str
    visible: frozenset[str]
    votes: tuple[tuple[str, str], ...]
    called: frozenset[str]
    missed: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """Figures of a history before and after a change."""

    missed_before: int
    missed_after: int
    tokens_before: int
    tokens_after: int

    @property
    def helps(self) -> bool:
        """Fewer misses at a price worth it, or as few with fewer tokens."""
        fixed = self.missed_before - self.missed_after
        added = self.tokens_after - self.tokens_before
        return added < 0 if fixed == 0 else fixed > 0 and added <= fixed * _PER_MISS


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """One change, and what it would have done.

    Attributes:
        kind: ``pin``, ``rule`` or ``off``.
        name: the toolset, or the rule's id.
        rule: as it is written in a file of own rules; only for ``rule``.
        why: in words, without text of messages.
    """

    kind: str
    name: str
    why: str
    effect: Effect
    rule: Mapping[str, Any] | None = None


def votes_of(decision: Decision | None) -> tuple[tuple[str, str], ...]:
    """Rules of the book that spoke for a toolset, each with it."""
    return tuple(
        (reason.rule, str(reason.toolset))
        for reason in (decision.reasons if decision else ())
        if reason.toolset is not None
        and reason.weight > 0
        and not reason.rule.startswith("engine.")
    )


def phrases_in(text: str) -> frozenset[str]:
    """Words and pairs of words of a text, folded; objects, numbers and short words are none."""
    tokens = tokenise(fold(text).text)
    words = [token.text if token.kind == "word" else "" for token in tokens]
    alone = {word for word in words if len(word) >= _LETTERS and word.isalpha()}
    pairs = {
        f"{one} {two}"
        for one, two in pairwise(words)
        if one.isalpha() and two.isalpha() and (one in alone or two in alone)
    }
    return frozenset(alone | pairs)


def phrase_rules(seen: Sequence[Seen]) -> list[dict[str, Any]]:
    """Rules in shadow for toolsets that were missed, the most missed first."""
    wanting = Counter(name for item in seen for name in item.missed)
    if not wanting:
        return []
    holding: defaultdict[str, list[int]] = defaultdict(list)
    for place, item in enumerate(seen):
        for phrase in phrases_in(item.text):
            holding[phrase].append(place)
    found = []
    for toolset, _ in wanting.most_common():
        chosen = _chosen(toolset, seen, holding)
        if chosen:
            found.append(
                {
                    "id": f"own.{re.sub('[^a-z0-9]+', '-', toolset.lower()).strip('-')}",
                    "toolset": toolset,
                    "any": chosen,
                    "weight": _WEIGHT,
                    "stage": "shadow",
                }
            )
    return found[:_RULES]


def _chosen(toolset: str, seen: Sequence[Seen], holding: Mapping[str, Sequence[int]]) -> list[str]:
    """Phrases that between them stand in most messages which missed a toolset."""
    open_ = {place for place, item in enumerate(seen) if toolset in item.missed}
    good: dict[str, set[int]] = {}
    for phrase, places in holding.items():
        hits = {place for place in places if place in open_}
        right = sum(toolset in seen[place].called for place in places)
        sessions = {seen[place].session for place in hits}
        if len(hits) >= _MESSAGES and len(sessions) >= _SESSIONS and right >= _RIGHT * len(places):
            good[phrase] = hits
    chosen: list[str] = []
    while good and len(chosen) < _PHRASES:
        # Of phrases that catch the same the rarest, then the longest: it says least else.
        best = min(
            good,
            key=lambda phrase: (
                -len(good[phrase] & open_),
                len(holding[phrase]),
                -len(phrase),
                phrase,
            ),
        )
        caught = good.pop(best) & open_
        if len(caught) < _MESSAGES and chosen:
            break
        chosen.append(best)
        open_ -= caught
        if not open_:
            break
    return chosen


def silent_rules(seen: Iterable[Seen]) -> list[tuple[str, str, int]]:
    """Shipped rules that kept a toolset again and again which no such session called.

    Returns:
        Rule id, toolset and number of sessions, the most frequent first.
    """
    fired: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    called: defaultdict[str, set[str]] = defaultdict(set)
    for item in seen:
        called[item.session] |= item.called
        for rule, toolset in item.votes:
            if toolset in item.visible:
                fired[rule, toolset].add(item.session)
    found = [
        (rule, toolset, len(sessions))
        for (rule, toolset), sessions in fired.items()
        if len(sessions) >= _FIRED and not any(toolset in called[name] for name in sessions)
    ]
    several = Counter(rule for rule, _ in fired)
    alone = [row for row in found if several[row[0]] == 1]
    return sorted(alone, key=lambda row: (-row[2], row[0]))[:_RULES]


def own_file(suggestions: Iterable[Suggestion], *, with_rules: bool) -> dict[str, Any]:
    """The content of a file of own rules that follows the suggestions; empty if none is for it.

    Args:
        suggestions: any.
        with_rules: rules are shown, which hold words of messages.
    """
    listed = list(suggestions)
    rules = [dict(item.rule) for item in listed if item.rule is not None]
    off = [item.name for item in listed if item.kind == "off"]
    return {**({"rules": rules} if rules and with_rules else {}), **({"off": off} if off else {})}
