"""The compiled rule book from its bytes; the adapter reads the file and passes them in."""

from __future__ import annotations

import json
import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from .concepts import arrange
from .followups import FollowupTable
from .frames import Frame, openers_of
from .lexicon import LANE, widen
from .magic import MAGIC
from .patterns import Pattern, element, pattern
from .rulebook import Lexicon, Policy, Rule, RuleBook, TongueTable

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


NO_PHRASES = FollowupTable(languages=(), phrases={}, longest={})
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
        parts = zlib.decompress(data[len(MAGIC) :])
    except zlib.error as error:
        raise ValueError("the compiled rule book is damaged; install it again") from error
    size = int.from_bytes(parts[16:20], "big")
    body = json.loads(parts[20 : 20 + size])
    rules = tuple(rule_of(row) for row in body["rules"])
    frames = tuple(_frame(row) for row in body["frames"])
    index = _index(rules)
    return RuleBook(
        version=parts[:16].decode(),
        rules=rules,
        index=index,
        stems=_stems(index),
        lexicon=_lexicon(parts[20 + size :], body["policy"]["prior"]),
        concepts=arrange(body["concepts"]),
        phrases=phrases,
        tongues=tongue_table(body["languages"]),
        frames=frames,
        suspects=tuple(body["suspects"]),
        openers=openers_of(frames),
        policy=_policy(body["policy"]),
    )


def _index(rules: Sequence[Rule]) -> dict[str, tuple[tuple[int, int], ...]]:
    """Key to the patterns that it may trigger; none for a key of an exception."""
    index: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for position, rule in enumerate(rules):
        for number, each in enumerate(rule.patterns):
            for key in each.keys:
                index[key].append((position, number))
        for each in rule.unless:
            for key in each.keys:
                index[key] += ()
    return {key: tuple(hits) for key, hits in index.items()}


def _stems(index: Mapping[str, object]) -> frozenset[str]:
    return frozenset(key[:3] for key in index if key[-1] == "*")


def with_rules(book: RuleBook, rules: Sequence[Rule]) -> RuleBook:
    """The book with other rules, in the order given: for ablation and what-if questions."""
    index = _index(rules)
    return replace(book, rules=tuple(rules), index=index, stems=_stems(index))


def _policy(row: dict[str, Any]) -> Policy:
    return Policy(
        price=row["price"],
        evident=row["evident"],
        familiar=row["familiar"],
        trusted=row["trusted"],
        plain=row["plain"],
        stranger=row["stranger"],
        vague=row["vague"],
        generalists=tuple(row["generalists"]),
        hands=tuple(row["hands"]),
    )


def _lexicon(parts: bytes, prior: Mapping[str, float]) -> Lexicon:
    size = int.from_bytes(parts[:4], "big")
    header = json.loads(parts[4 : 4 + size])
    parts = parts[4 + size :]
    size = int.from_bytes(parts[:4], "big")
    names = parts[4 : 4 + size].decode()
    lanes = len(header["lanes"])
    cells = widen(parts[4 + size :])
    return Lexicon(
        lanes=tuple(header["lanes"]),
        places=dict(zip(names.split("\n"), range(0, len(cells), LANE * lanes), strict=True)),
        cells=cells,
        bias=tuple(
            bias + prior.get(lane, 0.0)
            for lane, bias in zip(header["lanes"], header["bias"], strict=True)
        ),
        scale=header["scale"],
    )
