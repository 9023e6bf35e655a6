"""The pattern table: everything that the finders know, as values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from .hints import Hints, LiteralIndex

__all__ = ["HEADERS", "SCHEMES", "Command", "LabelBook", "PatternTable", "Shape"]


HEADERS = frozenset({"authorization", "cookie"})
"""HTTP headers that hold credentials."""
SCHEMES = frozenset({"bearer", "basic"})
"""Schemes of an Authorization header."""


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
    unless: str
    """Python regex that must not match what ends where the match begins; empty: none."""
    run: int
    """Characters that stand together in every match, at least (``RUN_CHARACTER`` of hints)."""


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
    links: frozenset[str]
    """Words that stand between a label and its secret in prose."""
    plain: frozenset[str]
    """Words that are no secret after a label: types, states, placeholders."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lookups:
    """Literals of the table by which a text is searched, all in lower case."""

    index: LiteralIndex
    by_keyword: Mapping[str, list[int]]
    """Keyword to places in ``shapes``."""
    phrases: Mapping[str, int]
    """Phrase to its place in the book."""
    by_command: Mapping[str, list[int]]
    """Name of a command to places in ``by_name``."""
    by_name: list[tuple[Command, str]]
    nouns: frozenset[str]
    """What the name of every label has in it."""
    prefixes: Mapping[str, list[str]]
    """To the prefixes as vendors write them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternTable:
    """All patterns, validated.  Regexes are compiled when they are first needed."""

    shapes: tuple[Shape, ...]
    labels: LabelBook
    commands: tuple[Command, ...]
    prefixes: frozenset[str]
    """Literal beginnings of vendor tokens."""
    families: dict[str, str] = field(default_factory=dict, repr=False, compare=False)
    """What names were found to announce; a memo of the labels' finder."""
    _compiled: dict[str, re.Pattern[str]] = field(default_factory=dict, repr=False, compare=False)
    _lookups: list[_Lookups] = field(default_factory=list, repr=False, compare=False)

    def regex(self, pattern: str) -> re.Pattern[str]:
        """Return the compiled pattern.  Safe from several threads: at worst compiled twice."""
        found = self._compiled.get(pattern)
        if found is None:
            found = self._compiled[pattern] = re.compile(pattern)
        return found

    def hints(self, text: str, other: tuple[Hints, Sequence[int]] | None = None) -> Hints:
        """Look for every literal of the table in a text.

        Args:
            text: the text.
            other: hints of the text that it was made of, and where it differs.
        """
        return Hints(text, self._indexed().index, other)

    def likely_shapes(self, hints: Hints) -> list[int]:
        """Places of the shapes one of whose keywords a text holds, case aside, in table order."""
        by_keyword = self._indexed().by_keyword
        return sorted({place for found in hints.found for place in by_keyword.get(found, ())})

    def phrases_in(self, hints: Hints) -> list[str]:
        """Label phrases that a text holds, case aside, in table order."""
        phrases = self._indexed().phrases
        return sorted((p for p in hints.found if p in phrases), key=phrases.__getitem__)

    def commands_in(self, hints: Hints) -> list[tuple[Command, str]]:
        """Commands whose name a text holds, case aside, with that name, in table order."""
        lookups = self._indexed()
        by_command = lookups.by_command
        places = sorted(place for name in hints.found for place in by_command.get(name, ()))
        return [lookups.by_name[place] for place in places]

    def nouns_in(self, hints: Hints) -> list[str]:
        """Nouns that a text holds, none of which has another one of them in it."""
        nouns = self._indexed().nouns
        found = sorted((n for n in hints.found if n in nouns), key=len)
        return [n for place, n in enumerate(found) if not any(o in n for o in found[:place])]

    def prefixes_in(self, hints: Hints) -> list[str]:
        """Beginnings of vendor tokens that a text holds, as vendors write them."""
        prefixes = self._indexed().prefixes
        return [p for found in hints.found for p in prefixes.get(found, ()) if p in hints.text]

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
    prefixes: dict[str, list[str]] = {}
    for prefix in sorted(table.prefixes):
        prefixes.setdefault(prefix.lower(), []).append(prefix)
    nouns = frozenset({*table.labels.heads, *table.labels.endings, *HEADERS, *SCHEMES})
    phrases = {phrase: place for place, phrase in enumerate(table.labels.phrases)}
    return _Lookups(
        index=LiteralIndex(chain(by_keyword, phrases, by_command, prefixes, nouns)),
        nouns=nouns,
        by_keyword=by_keyword,
        phrases=phrases,
        by_command=by_command,
        by_name=by_name,
        prefixes=prefixes,
    )
