"""The pattern language of the rule book, matched over tokens.

A pattern is a row of elements parted by spaces::

    word        that word, folded            word*    words that begin so (3 letters or more)
    (a|b c|d)   one of several phrases       [a|b]    the same, or nothing
    {name}      a named snippet              <kind>   an object: url, path, file, time, num, quote …
    ..          up to 3 tokens between       ...      up to 8 tokens between
    ^           start of a sentence or line  $        end of one

Nothing crosses a full stop or a line end, except where an element says so.
Matching is bounded by the length of the pattern: no backtracking blow-up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .tokens import Token

__all__ = ["Element", "Pattern", "find", "triggers"]

_WIDTH = 6


@dataclass(frozen=True, slots=True)
class Element:
    """One element of a pattern.

    Attributes:
        kind: ``any`` (one of the phrases), ``maybe`` (the same, or nothing),
            ``gap``, ``start``, ``end``.
        phrases: rows of units; a unit is a folded word, ``word*`` or ``<kind>``.
        reach: tokens that a gap may hold.
        singles: phrases of one plain word, apart so that they cost one look-up.
    """

    kind: str
    phrases: tuple[tuple[str, ...], ...] = ()
    reach: int = 0
    singles: frozenset[str] = frozenset()


Pattern = tuple[Element, ...]


def triggers(pattern: Pattern) -> Iterator[str]:
    """Keys of which one must occur for the pattern to match (first units of its anchor)."""
    anchor = next(element for element in pattern if element.kind == "any")
    yield from anchor.singles
    for phrase in anchor.phrases:
        unit = phrase[0]
        yield unit[:_WIDTH] + "*" if unit.endswith("*") and len(unit) > _WIDTH + 1 else unit


def _is(unit: str, token: Token) -> bool:
    if unit == token.text:
        return True
    last = unit[-1]
    if last == "*":
        return token.kind == "word" and token.text.startswith(unit[:-1])
    if last == ">":
        kind, _, detail = unit[1:-1].partition(":")
        return kind == token.kind and (not detail or token.text.endswith("." + detail))
    return False


def _phrase(element: Element, tokens: Sequence[Token], at: int) -> Iterator[int]:
    """Ends of the phrases that match at a position."""
    size = len(tokens)
    if at < size and tokens[at].text in element.singles:
        yield at + 1
    for phrase in element.phrases:
        stop = at + len(phrase)
        if stop <= size and all(_is(unit, tokens[at + i]) for i, unit in enumerate(phrase)):
            yield stop


def _starts(tokens: Sequence[Token], at: int) -> bool:
    return at == 0 or tokens[at - 1].kind == "stop"


def _match(pattern: Pattern, index: int, tokens: Sequence[Token], at: int) -> int:
    """End of the match of ``pattern[index:]`` at a position, or -1."""
    if index == len(pattern):
        return at
    element = pattern[index]
    kind = element.kind
    if kind == "start":
        return _match(pattern, index + 1, tokens, at) if _starts(tokens, at) else -1
    if kind == "end":
        done = at == len(tokens) or tokens[at].kind in {"stop", "ask"}
        return _match(pattern, index + 1, tokens, at) if done else -1
    if kind == "gap":
        return _gap(pattern, index, tokens, at)
    for stop in _phrase(element, tokens, at):
        end = _match(pattern, index + 1, tokens, stop)
        if end >= 0:
            return end
    return _match(pattern, index + 1, tokens, at) if kind == "maybe" else -1


def _gap(pattern: Pattern, index: int, tokens: Sequence[Token], at: int) -> int:
    for stop in range(at, min(at + pattern[index].reach, len(tokens)) + 1):
        end = _match(pattern, index + 1, tokens, stop)
        if end >= 0:
            return end
        if stop < len(tokens) and tokens[stop].kind == "stop":
            return -1
    return -1


def find(pattern: Pattern, tokens: Sequence[Token]) -> tuple[int, int] | None:
    """First match of a pattern, as token positions ``[start, end)``."""
    lead = 0
    while pattern[lead].kind == "start":
        lead += 1
    for at in range(len(tokens)):
        if next(_phrase(pattern[lead], tokens, at), -1) < 0:
            continue
        end = _match(pattern, 0, tokens, at)
        if end >= 0:
            return at, end
    return None
