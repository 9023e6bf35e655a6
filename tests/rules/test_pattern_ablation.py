"""No pattern is there for nothing: without it a case of its own, or an authored one, leaks."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from hermes_tool_router.benchmarks.secrets_cases import authored
from hermes_tool_router.console.patterns import TABLE, sources
from hermes_tool_router.sanitizer import PatternTable, table_from_bytes
from hermes_tool_router.sanitizer.book import expanded, read_cases
from hermes_tool_router.sanitizer.find import find_secrets
from hermes_tool_router.sanitizer.table import Command, LabelBook, Shape

GENERAL = frozenset({"authorization", "cookie", "encoded", "password", "sk-style", "token"}) | {
    "url-password",
    "webhook",
}
"""Kinds that name no vendor."""
AUTHORED = tuple(case.text for case in authored(seed=1))
SETS = ("not_ending", "trailing", "about", "before", "links", "plain")


def _table(
    shapes: tuple[Shape, ...], labels: LabelBook, commands: tuple[Command, ...]
) -> PatternTable:
    """A table of its own memos and lookups, its prefixes those of the shipped one."""
    return PatternTable(shapes=shapes, labels=labels, commands=commands, prefixes=FULL.prefixes)


FULL = table_from_bytes(TABLE.read_bytes())


def _kinds(text: str, table: PatternTable) -> dict[int, str]:
    """Characters that go, and what each is called."""
    return {
        place: span.kind
        for span in find_secrets(text, table)
        for place in range(span.start, span.end)
    }


def _matters(texts: Iterable[str], table: PatternTable) -> bool:
    """Whether something stays without a pattern, or loses its vendor's name for a general one."""
    for text in texts:
        before, after = _kinds(text, FULL), _kinds(text, table)
        for place, kind in before.items():
            if after.get(place, kind) != kind and kind not in GENERAL and after[place] in GENERAL:
                return True
            if place not in after:
                return True
        if after.keys() - before.keys():  # what kept a harmless text as it is
            return True
    return False


def test_every_shape_is_needed_by_a_case() -> None:
    """Of its own, or else of the authored ones."""
    own: dict[str, list[str]] = {}
    for case in read_cases(sources()):
        if case.secret:
            for seed in range(3):
                choose = random.Random(f"{case.template}{seed}").choice
                own.setdefault(case.shape, []).append(expanded(case.template, choose))

    superfluous = []
    for shape in FULL.shapes:
        rest = tuple(other for other in FULL.shapes if other.id != shape.id)
        table = _table(rest, FULL.labels, FULL.commands)
        if not _matters(own[shape.id], table) and not _matters(AUTHORED, table):
            superfluous.append(shape.id)

    assert superfluous == []


def test_every_command_is_needed_by_an_authored_case() -> None:
    """Each line of ``commands.yaml``."""
    superfluous = []
    for command in FULL.commands:
        rest = tuple(other for other in FULL.commands if other is not command)
        if not _matters(AUTHORED, _table(FULL.shapes, FULL.labels, rest)):
            superfluous.append(command.names)

    assert superfluous == []


@pytest.mark.parametrize("kind", ["nouns", "phrases"])
def test_every_family_of_labels_is_needed_by_an_authored_case(kind: str) -> None:
    """Nouns and phrases of one family gone, a case leaks."""
    words: dict[str, str] = dict(getattr(FULL.labels, kind))

    superfluous = []
    for family in sorted(set(words.values())):
        rest = {word: other for word, other in words.items() if other != family}
        changed: dict[str, Any] = {kind: rest}
        labels = replace(FULL.labels, **changed)
        if kind == "nouns":
            heads = frozenset(noun.rsplit(" ", 1)[-1] for noun in rest)
            labels = replace(labels, heads=heads)
        if not _matters(AUTHORED, _table(FULL.shapes, labels, FULL.commands)):
            superfluous.append(family)

    assert superfluous == []


@pytest.mark.parametrize("field", SETS)
def test_every_list_of_words_is_needed_by_an_authored_case(field: str) -> None:
    """Without it a secret stays, or a harmless text changes."""
    changed: dict[str, Any] = {field: frozenset()}
    labels = replace(FULL.labels, **changed)

    assert _matters(AUTHORED, _table(FULL.shapes, labels, FULL.commands))


def test_endings_of_compounds_are_needed_by_an_authored_case() -> None:
    """As in ``dbpassword``."""
    labels = replace(FULL.labels, endings=())

    assert _matters(AUTHORED, _table(FULL.shapes, labels, FULL.commands))
