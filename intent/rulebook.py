"""The rule book as a value: rules, lexicon, languages, frames, policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .concepts import Concepts
from .dictionary import Dictionary, Sources, dictionary
from .followup_table import FollowupTable
from .frames import Frame
from .language import TongueTable
from .lexicon import Lexicon
from .patterns import Pattern

__all__ = ["Policy", "Rule", "RuleBook", "Trial"]


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
class Policy:
    """Numbers that turn chances into a surface.

    Attributes:
        price: a toolset is kept when its chance is at least ``price`` per 1,000 tokens it costs.
        strange_price: the same for a toolset that the book does not know.
        misses: how many times as bad as any other it is to miss a toolset, at least 1; a
            toolset that is not listed counts once.
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
    strange_price: float
    misses: Mapping[str, float]
    evident: float
    familiar: float
    trusted: float
    plain: float
    stranger: float
    vague: float
    generalists: tuple[str, ...]
    hands: tuple[str, ...]


class Trial(NamedTuple):
    """One pattern of the book.

    Attributes:
        position: of its rule.
        pattern: what is sought.
        excepts: it is an exception: the rule does not fire where it matches.
    """

    position: int
    pattern: Pattern
    excepts: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleBook:
    """Everything that reading a message needs.

    Attributes:
        version: digest of the sources, in hex.
        trials: patterns and exceptions of all rules, in the order in which they are tried.
        index: key to the trials that may begin there, by number.
        entries: what all of it says of single tokens.
    """

    version: str
    rules: tuple[Rule, ...]
    lexicon: Lexicon
    concepts: Concepts
    tongues: TongueTable
    phrases: FollowupTable
    frames: tuple[Frame, ...]
    suspects: tuple[str, ...]
    openers: frozenset[str]
    policy: Policy
    trials: tuple[Trial, ...] = field(init=False, repr=False, compare=False)
    index: Mapping[str, tuple[int, ...]] = field(init=False, repr=False, compare=False)
    entries: Dictionary = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Prepare what is looked up for every token."""
        trials = tuple(
            [
                Trial(position, pattern, number >= len(rule.patterns))
                for position, rule in enumerate(self.rules)
                for number, pattern in enumerate((*rule.patterns, *rule.unless))
            ]
        )
        index = _index(trials)
        sources = Sources(
            concepts=self.concepts, tongues=self.tongues, lexicon=self.lexicon, index=index
        )
        object.__setattr__(self, "trials", trials)
        object.__setattr__(self, "index", index)
        object.__setattr__(self, "entries", dictionary(sources))


def _index(trials: Sequence[Trial]) -> dict[str, tuple[int, ...]]:
    """Key to the trials that may begin there, by number."""
    index: dict[str, list[int]] = {}
    for number, trial in enumerate(trials):
        for key in trial.pattern.keys:
            index.setdefault(key, []).append(number)
    return {key: tuple(numbers) for key, numbers in index.items()}
