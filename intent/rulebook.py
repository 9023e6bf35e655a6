"""The rule book as a value: rules, lexicon, languages, frames, policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .concepts import Concepts
from .followups import FollowupTable
from .frames import Frame
from .patterns import Pattern

__all__ = ["Lexicon", "Policy", "Rule", "RuleBook", "TongueTable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule of the book.

    Attributes:
        id: ``toolset.pattern-name``, or ``topic.pattern-name`` for rules about the whole message.
        toolset: what it votes on; empty for a rule that only sets a flag.
        weight: log-odds; negative speaks against.
        strong: names its toolset plainly enough for a later turn to add it.
        flag: ``negation``: what follows in the clause is not wanted;
            ``follow_up``: it rests on an earlier message; ``vague``: it
            names nothing; or empty.
        patterns: any of them suffices.
        unless: none of them may match.
    """

    id: str
    toolset: str
    weight: float
    strong: bool
    flag: str
    patterns: tuple[Pattern, ...]
    unless: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """Learned weights, see :mod:`.lexicon`.

    Attributes:
        lanes: toolsets, lowest lane first.
        places: key to the position of its row in ``cells``.
        cells: rows of lanes, each weight plus ``OFFSET``.
        bias: log-odds of a toolset before any key.
        scale: log-odds of one unit.
    """

    lanes: tuple[str, ...]
    places: Mapping[str, int]
    cells: bytes
    bias: tuple[float, ...]
    scale: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TongueTable:
    """Evidence of languages.

    Attributes:
        words: folded function word to the codes of its languages.
        covered: codes that the rules and the lexicon read.
    """

    words: Mapping[str, tuple[str, ...]]
    covered: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Numbers that turn chances into a surface.

    Attributes:
        price: a toolset is kept when its chance is at least ``price`` per 1,000 tokens it costs.
        evident: the same for what a later turn may add.
        familiar: least share of known words for a narrow decision.
        trusted: share of known words below which silence is not believed.
        plain: chance from which a toolset is plainly meant.
        stranger: chance of a toolset that the book does not know and nothing in the message names.
        vague: chance that a message names nothing, from which the surface is broad.
        generalists: toolsets of a broad surface.
        hands: toolsets that a later "do that" may add.
    """

    price: float
    evident: float
    familiar: float
    trusted: float
    plain: float
    stranger: float
    vague: float
    generalists: tuple[str, ...]
    hands: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleBook:
    """Everything that reading a message needs.

    Attributes:
        version: digest of the sources, in hex.
        index: key to what it may trigger, as position of the rule in ``rules`` and of the
            pattern in the rule; nothing for a key that only exceptions have.
        stems: first three letters of the stems in ``index``; most words begin otherwise.
    """

    version: str
    rules: tuple[Rule, ...]
    index: Mapping[str, tuple[tuple[int, int], ...]]
    stems: frozenset[str]
    lexicon: Lexicon
    concepts: Concepts
    tongues: TongueTable
    phrases: FollowupTable
    frames: tuple[Frame, ...]
    suspects: tuple[str, ...]
    openers: frozenset[str]
    policy: Policy
