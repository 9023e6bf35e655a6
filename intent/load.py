"""The compiled rule book from its bytes; the adapter reads the file and passes them in."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from struct import unpack
from typing import Any

from .concepts import arrange
from .followup_table import FollowupTable
from .frames import Frame, openers_of
from .language import TongueTable
from .lexicon import Lexicon, Rows
from .magic import MAGIC
from .patterns import Pattern, element, pattern
from .rulebook import Policy, Rule, RuleBook
from .sections import split

_SECTIONS = 8
"""Version, rules and tables as JSON, and six of the lexicon."""

__all__ = ["NO_PHRASES", "book_from_bytes", "rule_of", "tongue_table", "with_rules"]


def _pattern(rows: list[list[Any]]) -> Pattern:
    return pattern([element(kind, phrases, reach) for kind, phrases, reach in rows])


def rule_of(row: dict[str, Any]) -> Rule:
    """A rule from its row in the compiled book."""
    return Rule(
        id=row["id"],
        toolset=row["toolset"],
        weight=row["weight"],
        strong=row["strong"],
        flag=row["flag"],
        patterns=tuple(_pattern(p) for p in row["any"]),
        unless=tuple(_pattern(p) for p in row["not"]),
    )


def _frame(row: dict[str, Any]) -> Frame:
    return Frame(
        id=row["id"],
        begin=row["begin"],
        take=row["take"],
        until=tuple(row.get("until", ())),
        last=row.get("last", False),
        stop=tuple(row.get("stop", ())),
        evidence=row.get("evidence", {}),
    )


def tongue_table(languages: dict[str, Any]) -> TongueTable:
    """Function words by word, from folded rows by language."""
    words: defaultdict[str, list[str]] = defaultdict(list)
    for code, entry in languages.items():
        for word in entry["words"].split():
            words[word].append(code)
    return TongueTable(
        words={word: tuple(codes) for word, codes in words.items()},
        covered=frozenset(code for code, entry in languages.items() if entry["covered"]),
    )


NO_PHRASES = FollowupTable(languages=(), meanings=(), packed={}, inner=frozenset())
"""For tools that look at rules alone: no message is a follow-up or a greeting."""


def book_from_bytes(data: bytes, phrases: FollowupTable = NO_PHRASES) -> RuleBook:
    """Read a compiled rule book.

    Args:
        data: the bytes of ``data/book.bin``.
        phrases: follow-ups and greetings, from ``data/phrases.bin``.

    Raises:
        ValueError: the bytes are not a rule book of this version.
    """
    if not data.startswith(MAGIC):
        raise ValueError(f"not a compiled rule book: expected it to begin with {MAGIC!r}")
    try:
        version, rows, *lexicon = split(data, len(MAGIC), _SECTIONS)
    except ValueError as error:
        raise ValueError(f"the compiled rule book is {error}; install it again") from error
    body = json.loads(rows)
    rules = tuple(rule_of(row) for row in body["rules"])
    frames = tuple(_frame(row) for row in body["frames"])
    return RuleBook(
        version=version.decode(),
        rules=rules,
        lexicon=_lexicon(lexicon, body["policy"]["prior"]),
        concepts=arrange(body["concepts"]),
        phrases=phrases,
        tongues=tongue_table(body["languages"]),
        frames=frames,
        suspects=tuple(body["suspects"]),
        openers=openers_of(frames),
        policy=_policy(body["policy"]),
    )


def with_rules(book: RuleBook, rules: Sequence[Rule]) -> RuleBook:
    """The book with other rules, in the order given: for ablation and what-if questions."""
    return replace(book, rules=tuple(rules))


def _policy(row: dict[str, Any]) -> Policy:
    return Policy(
        price=row["price"],
        strange_price=row["strange_price"],
        misses=row["misses"],
        evident=row["evident"],
        familiar=row["familiar"],
        trusted=row["trusted"],
        plain=row["plain"],
        stranger=row["stranger"],
        vague=row["vague"],
        generalists=tuple(row["generalists"]),
        hands=tuple(row["hands"]),
    )


def _lexicon(sections: Sequence[bytes], prior: Mapping[str, float]) -> Lexicon:
    head, names, firsts, chains, numbers, cells = sections
    header = json.loads(head)
    lanes = tuple(header["lanes"])
    keys = names.decode().split("\n")
    return Lexicon(
        lanes=lanes,
        rows=dict(zip(keys, unpack(f"<{len(keys)}I", numbers), strict=True)),
        chains=dict(zip(firsts.decode().split("\n"), chains.decode().split("\n"), strict=True)),
        numbered=Rows(cells, len(lanes)),
        bias=tuple(
            bias + prior.get(lane, 0.0)
            for lane, bias in zip(header["lanes"], header["bias"], strict=True)
        ),
        scale=header["scale"],
    )
