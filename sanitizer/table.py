"""The pattern table: everything that the finders know, as values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from .hints import Hints, LiteralIndex

__all__ = ["Command", "LabelBook", "PatternTable", "Shape"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Something that is a secret by its looks, with or without context."""

    id: str
    kind: str
    """What stands in the marker."""
    keywords: tuple[str, ...]
    """Literal strings, one of which is in every match: the pattern runs only then."""
    pattern: str
    """Python regex; group 1, where there is one, is what is removed."""
    random: bool
    """What is removed must look random (digits, or letters of both cases mixed)."""
    anchored: bool
    """Every match begins with a keyword, so the pattern is tried there only."""
    nocase: bool
    """Keywords are lower case and are looked up in the lower-cased text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Where a command line tool takes a secret."""

    names: tuple[str, ...]
    flags: tuple[str, ...]
    """The next word is a secret, or what follows ``=``."""
    attached: tuple[str, ...]
    """A secret follows the flag in the same word."""
    pairs: tuple[str, ...]
    """The next word is ``user:secret``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelBook:
    """Words that say that a secret follows.  All are folded and lower case."""

    nouns: Mapping[str, str]
    """Noun, or nouns parted by a space, to its family."""
    heads: frozenset[str]
    """Last words of all nouns."""
    endings: tuple[str, ...]
    """Nouns that also end a compound without a gap, as in ``dbpassword``."""
    not_ending: frozenset[str]
    """Words that end like one and are none."""
    trailing: frozenset[str]
    """Words after the noun that change nothing, as in ``password_prod``."""
    about: frozenset[str]
    """Words after the noun that make it another thing, as in ``password_length``."""
    before: frozenset[str]
    """Words before ``key`` that make it another thing, as in ``primary_key``."""
    phrases: Mapping[str, str]
    """Labels of several words or without word boundaries, to their family."""
    links: tuple[str, ...]
    """Words that stand between a label and its secret in prose."""
    plain: frozenset[str]
    """Words that are no secret after a label: types, states, placeholders."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lookups:
    """Literals of the table by which a text is searched."""

    keywords: LiteralIndex
    by_keyword: Mapping[str, list[int]]
    """Lower-case keyword to places in ``shapes``."""
    phrases: LiteralIndex
    order_of_phrases: Mapping[str, int]
    names: LiteralIndex
    by_command: Mapping[str, list[int]]
    """Name of a command to places in ``by_name``."""
    by_name: list[tuple[Command, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternTable:
    """All patterns, validated.  Regexes are compiled when they are first needed."""

    shapes: tuple[Shape, ...]
    labels: LabelBook
    commands: tuple[Command, ...]
    prefixes: frozenset[str]
    """Literal beginnings of vendor tokens."""
    _compiled: dict[str, re.Pattern[str]] = field(default_factory=dict, repr=False, compare=False)
    _lookups: list[_Lookups] = field(default_factory=list, repr=False, compare=False)

    def regex(self, pattern: str) -> re.Pattern[str]:
        """Return the compiled pattern.  Safe from several threads: at worst compiled twice."""
        found = self._compiled.get(pattern)
        if found is None:
            found = self._compiled[pattern] = re.compile(pattern)
        return found

    def likely_shapes(self, hints: Hints) -> list[int]:
        """Places of the shapes one of whose keywords a text holds, case aside, in table order."""
        lookups = self._indexed()
        places: set[int] = set()
        for keyword in lookups.keywords.found_in(hints):
            places.update(lookups.by_keyword[keyword])
        return sorted(places)

    def phrases_in(self, hints: Hints) -> list[str]:
        """Label phrases that a text holds, case aside, in table order."""
        lookups = self._indexed()
        return sorted(lookups.phrases.found_in(hints), key=lookups.order_of_phrases.__getitem__)

    def commands_in(self, hints: Hints) -> list[tuple[Command, str]]:
        """Commands whose name a text holds, case aside, with that name, in table order."""
        lookups = self._indexed()
        return [
            lookups.by_name[place]
            for place in sorted(
                place
                for name in lookups.names.found_in(hints)
                for place in lookups.by_command[name]
            )
        ]

    def _indexed(self) -> _Lookups:
        """The lookups, built at their first use; at worst twice by several threads."""
        if not self._lookups:
            self._lookups.append(_lookups(self))
        return self._lookups[0]


def _lookups(table: PatternTable) -> _Lookups:
    by_keyword: dict[str, list[int]] = {}
    for place, shape in enumerate(table.shapes):
        for keyword in shape.keywords:
            by_keyword.setdefault(keyword.lower(), []).append(place)
    by_name = [(command, name) for command in table.commands for name in command.names]
    by_command: dict[str, list[int]] = {}
    for place, (_, name) in enumerate(by_name):
        by_command.setdefault(name, []).append(place)
    return _Lookups(
        keywords=LiteralIndex(by_keyword),
        by_keyword=by_keyword,
        phrases=LiteralIndex(table.labels.phrases),
        order_of_phrases={phrase: place for place, phrase in enumerate(table.labels.phrases)},
        names=LiteralIndex(by_command),
        by_command=by_command,
        by_name=by_name,
    )
