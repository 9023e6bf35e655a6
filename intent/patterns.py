"""The pattern language of the rule book, matched over tokens.

A pattern is a row of elements parted by spaces::

    word        that word, folded            word*    words that begin so (3 letters or more)
    (a|b c|d)   one of several phrases       [a|b]    the same, or nothing
    {name}      a named snippet              <kind>   an object: url, path, file, time, num, quote …
    @name       a concept, in any language
    ..          up to 3 tokens between       ...      up to 8 tokens between
    ^           start of a sentence or line  $        end of the message

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


@dataclass(frozen=True, slots=True)
class _Line:
    """Tokens and their concepts."""

    tokens: Sequence[Token]
    marks: Sequence[tuple[str, ...]]


def triggers(pattern: Pattern) -> Iterator[str]:
    """Keys of which one must occur for the pattern to match (first units of its anchor)."""
    anchor = next(element for element in pattern if element.kind == "any")
    yield from anchor.singles
    for phrase in anchor.phrases:
        unit = phrase[0]
        yield unit[:_WIDTH] + "*" if unit.endswith("*") and len(unit) > _WIDTH + 1 else unit


def _is(unit: str, token: Token, mark: tuple[str, ...]) -> bool:
    if unit == token.text or unit in mark:
        return True
    last = unit[-1]
    if last == "*":
        return token.kind == "word" and token.text.startswith(unit[:-1])
    if last == ">":
        kind, _, detail = unit[1:-1].partition(":")
        return kind == token.kind and (not detail or token.text.endswith("." + detail))
    return False


def _phrase(element: Element, line: _Line, at: int) -> Iterator[int]:
    """Ends of the phrases that match at a position."""
    tokens, marks = line.tokens, line.marks
    size = len(tokens)
    if at < size and (
        tokens[at].text in element.singles or not element.singles.isdisjoint(marks[at])
    ):
        yield at + 1
    for phrase in element.phrases:
        stop = at + len(phrase)
        if stop <= size and all(
            _is(unit, tokens[at + i], marks[at + i]) for i, unit in enumerate(phrase)
        ):
            yield stop


def _starts(line: _Line, at: int) -> bool:
    return at == 0 or line.tokens[at - 1].kind == "stop"


def _match(pattern: Pattern, index: int, line: _Line, at: int) -> int:
    """End of the match of ``pattern[index:]`` at a position, or -1."""
    if index == len(pattern):
        return at
    element = pattern[index]
    kind = element.kind
    if kind == "start":
        return _match(pattern, index + 1, line, at) if _starts(line, at) else -1
    if kind == "end":
        done = all(token.kind in {"stop", "ask"} for token in line.tokens[at:])
        return _match(pattern, index + 1, line, at) if done else -1
    if kind == "gap":
        return _gap(pattern, index, line, at)
    for stop in _phrase(element, line, at):
        end = _match(pattern, index + 1, line, stop)
        if end >= 0:
            return end
    return _match(pattern, index + 1, line, at) if kind == "maybe" else -1


def _gap(pattern: Pattern, index: int, line: _Line, at: int) -> int:
    for stop in range(at, min(at + pattern[index].reach, len(line.tokens)) + 1):
        end = _match(pattern, index + 1, line, stop)
        if end >= 0:
            return end
        if stop < len(line.tokens) and line.tokens[stop].kind == "stop":
            return -1
    return -1


def find(
    pattern: Pattern, tokens: Sequence[Token], marks: Sequence[tuple[str, ...]]
) -> tuple[int, int] | None:
    """First match of a pattern, as token positions ``[start, end)``.

    Args:
        pattern: compiled.
        tokens: of the instruction.
        marks: concepts of each token.
    """
    line = _Line(tokens, marks)
    lead = 0
    while pattern[lead].kind == "start":
        lead += 1
    for at in range(len(tokens)):
        if next(_phrase(pattern[lead], line, at), -1) < 0:
            continue
        end = _match(pattern, 0, line, at)
        if end >= 0:
            return at, end
    return None
