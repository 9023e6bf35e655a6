"""Compile phrase files into the table that :mod:`followups` reads.

One YAML file a language, or one file with a mapping ``languages``.  A unit's
phrases stand in one string, separated by
``;``; ``(a|b)`` is a choice and ``[x]`` may be left out.  The kinds of unit:

======== ==================================================================
agree    agreement            refuse   refusal, stop, "not that"
go       carry on             retry    once more
undo     take it back         pick     a choice among things already named
refer    verb and pronoun in one word
clitic   verb and pronoun joined with a hyphen, or two words
verb     needs an object from ``it`` (a bare pronoun), ``this`` or ``pick``
bare     verb that may stand alone ("commit")
more     change or extend the last answer ("shorter", "in detail")
ask      question about the last answer ("why?"), never beside a verb
broken   it still fails        glue     words without weight ("please")
and_the  opens "and the tests": one or two words may follow
too      closes "the docs too", after ``det`` and one or two words
hello    greeting              how      small talk after a greeting
thanks   thanks                bye      farewell
address  who is greeted ("everyone")
never    a whole message that only looks like a follow-up
======== ==================================================================
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from .followup_table import MAGIC, UNITS, PhraseError
from .phrases import phrase_tokens
from .sections import join

__all__ = ["compile_books", "expand"]

_PIECE = re.compile(r"[^()\[\]|]+|[()\[\]|]")
_MAX_EXPANSION = 4000
"""Phrases that one template may give; more is a slip of the pen."""


def expand(template: str) -> list[str]:
    """Return every phrase that a template stands for; groups may be nested.

    Raises:
        PhraseError: brackets do not match, or the template gives too many phrases.
    """
    pieces = _PIECE.findall(template)
    phrases, rest = _alternatives(pieces, 0, template)
    if rest != len(pieces):
        raise PhraseError(f"template {template!r} has brackets that do not match")
    return phrases


def _alternatives(pieces: list[str], index: int, template: str) -> tuple[list[str], int]:
    """Parse up to the bracket that closes this group, or to the end."""
    done: list[str] = []
    current = [""]
    while index < len(pieces) and pieces[index] not in ")]":
        piece = pieces[index]
        index += 1
        if piece == "|":
            done, current = done + current, [""]
            continue
        inner = [piece]
        if piece in "([":
            inner, index = _alternatives(pieces, index, template)
            if index >= len(pieces) or pieces[index] != {"(": ")", "[": "]"}[piece]:
                raise PhraseError(f"template {template!r} has brackets that do not match")
            index += 1
            inner = inner if piece == "(" else ["", *inner]
        current = [head + tail for head in current for tail in inner]
        if len(current) + len(done) > _MAX_EXPANSION:
            raise PhraseError(f"template {template!r} gives more than {_MAX_EXPANSION} phrases")
    return done + current, index


def compile_books(sources: Mapping[str, bytes]) -> bytes:
    """Compile YAML files, keyed by file name, to the bytes of one table.

    The result depends on the contents alone, not on the order of the files.

    Raises:
        PhraseError: a file has an unknown key, a value that is not a string, or
            a template that does not parse; the message names the file.
    """
    books = [book for name, data in sorted(sources.items()) for book in _read_books(name, data)]
    languages = sorted({language for language, _ in books})
    entries: dict[str, dict[int, int]] = {}
    for language, units in books:
        mask = 1 << languages.index(language)
        for unit, templates in units.items():
            bit = UNITS.index(unit)
            for key in _keys(templates):
                masks = entries.setdefault(key, {})
                masks[bit] = masks.get(bit, 0) | mask
    return _pack(languages, entries)


def _pack(languages: list[str], entries: Mapping[str, Mapping[int, int]]) -> bytes:
    """The table as columns, of which a reader takes apart only what a message begins with.

    Four sections: the languages and below them each meaning; the first tokens of all phrases;
    for each of those the tokens of its longest phrase and the rests of all, as ``longest TAB rest
    TAB number of the meaning …``; and the tokens that stand in rests only.
    """
    meanings: dict[str, int] = {}
    openers: dict[str, dict[str, int]] = {}
    for key in sorted(entries):
        meaning = " ".join(f"{bit}:{mask:x}" for bit, mask in sorted(entries[key].items()))
        number = meanings.setdefault(meaning, len(meanings))
        first = key.partition(" ")[0]
        openers.setdefault(first, {})[key[len(first) :]] = number
    inner = {token for key in entries for token in key.split(" ")} - openers.keys()
    columns = (
        [" ".join(languages), *meanings],
        openers,
        [_rests(rests) for rests in openers.values()],
        sorted(inner),
    )
    # Not compressed: that would be a quarter of the time that loading takes.
    return MAGIC + join(["\n".join(column).encode() for column in columns])


def _rests(rests: Mapping[str, int]) -> str:
    """Tokens of the longest phrase, and the rest of each with the number of its meaning."""
    longest = 1 + max(rest.count(" ") for rest in rests)
    return "\t".join([str(longest), *[f"{rest}\t{number}" for rest, number in rests.items()]])


def _read_books(name: str, data: bytes) -> list[tuple[str, dict[str, str]]]:
    try:
        book = yaml.safe_load(data)
    except yaml.YAMLError as error:
        raise PhraseError(f"{name}: not YAML: {error}") from error
    if not isinstance(book, dict) or not isinstance(book.get("provenance"), str):
        raise PhraseError(f"{name}: expected a mapping with a provenance")
    unknown = set(book) - {"language", "languages", "provenance", "units", "cases"}
    if unknown or ("languages" in book) == ("language" in book):
        raise PhraseError(
            f"{name}: allowed keys: provenance, cases, and language with units or languages"
        )
    many: Any = book["languages"] if "languages" in book else {book["language"]: book.get("units")}
    if not isinstance(many, dict):
        raise PhraseError(f"{name}: languages must be a mapping")
    return [(_language(name, tag), _units(name, units)) for tag, units in many.items()]


def _language(name: str, tag: object) -> str:
    if not isinstance(tag, str):
        raise PhraseError(f"{name}: language {tag!r} must be a quoted string")
    return tag


def _units(name: str, units: Any) -> dict[str, str]:
    if not isinstance(units, dict):
        raise PhraseError(f"{name}: units must be a mapping")
    for unit, templates in units.items():
        if unit not in UNITS:
            raise PhraseError(f"{name}: unknown unit {unit!r}; allowed: {', '.join(UNITS)}")
        if not isinstance(templates, str):
            raise PhraseError(f"{name}: unit {unit!r} must be one quoted string, separated by ';'")
    return dict(units)


def _keys(templates: str) -> Iterator[str]:
    for template in templates.split(";"):
        for phrase in expand(template):
            tokens = phrase_tokens(phrase)
            if tokens:
                yield " ".join(tokens)
