"""The pattern language of the rule book, matched over tokens.

A pattern is a row of elements parted by spaces::

    word        that word, folded            word*    words that begin so (3 letters or more)
    (a|b c|d)   one of several phrases       [a|b]    the same, or nothing
    {name}      a named snippet              <kind>   an object: url, path, file, time, num, quote …
    @name       a concept, in any language
    ..          up to 3 tokens between       ...      up to 8 tokens between
    ^           start of a sentence or line  $        end of the message

Nothing crosses a full stop or a line end, except where an element says so.
Matching starts only where a key of the pattern stands, and is bounded by the
length of the pattern: no backtracking blow-up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .tokens import Token

__all__ = [
    "LEAST_STEM",
    "STEM",
    "Element",
    "Line",
    "Pattern",
    "element",
    "find",
    "keys_of_object",
    "pattern",
]

STEM = 6
"""Letters by which a stem is found; the rest is compared."""
LEAST_STEM = 3
"""Letters of the shortest stem."""
_ENDS = frozenset(("stop", "ask"))
_PHRASES = frozenset(("any", "maybe"))


@dataclass(frozen=True, slots=True)
class Element:
    """One element of a pattern.

    Attributes:
        kind: ``any`` (one of the phrases), ``maybe`` (the same, or nothing),
            ``gap``, ``start``, ``end``.
        reach: tokens that a gap may hold.
        singles: words and concepts that stand alone.
        phrases: first word or concept to the rests of longer phrases.
        loose: phrases that begin with a stem or the kind of an object.
    """

    kind: str
    reach: int
    singles: frozenset[str]
    phrases: Mapping[str, tuple[tuple[str, ...], ...]]
    loose: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Pattern:
    """Elements, and what can be known of a match before it is sought.

    Attributes:
        keys: one of them stands where a match begins.
        needs: words and concepts of which one stands behind that; empty: nothing is known.
    """

    elements: tuple[Element, ...]
    lead: int
    keys: frozenset[str]
    needs: frozenset[str]


@dataclass(slots=True)
class Line:
    """Tokens, their texts and their concepts."""

    tokens: Sequence[Token]
    texts: Sequence[str]
    marks: Sequence[tuple[str, ...]]


def element(kind: str, phrases: Sequence[Sequence[str]], reach: int) -> Element:
    """An element from its phrases, each a row of units."""
    singles: set[str] = set()
    longer: dict[str, list[tuple[str, ...]]] = {}
    loose: list[tuple[str, ...]] = []
    for first, *rest in phrases:
        if first[-1] in "*>":
            loose.append((first, *rest))
        elif rest:
            longer.setdefault(first, []).append(tuple(rest))
        else:
            singles.add(first)
    return Element(
        kind,
        reach,
        frozenset(singles),
        {first: tuple(rests) for first, rests in longer.items()},
        tuple(loose),
    )


def pattern(elements: Sequence[Element]) -> Pattern:
    """A pattern with the keys of its first element that is no position."""
    lead = next(at for at, part in enumerate(elements) if part.kind != "start")
    anchor = elements[lead]
    stems = (phrase[0] for phrase in anchor.loose)
    cut = {
        unit[:STEM] + "*" if unit[-1] == "*" and len(unit) > STEM + 1 else unit for unit in stems
    }
    later = (part for part in elements[lead + 1 :] if part.kind == "any" and not part.loose)
    needs = next((part.singles | set(part.phrases) for part in later), frozenset())
    return Pattern(tuple(elements), lead, anchor.singles | set(anchor.phrases) | cut, needs)


def _key(unit: str) -> str:
    return unit[:STEM] + "*" if unit[-1] == "*" and len(unit) > STEM + 1 else unit


def keys_of_object(kind: str, text: str) -> list[str]:
    """Keys under which a token that is no word may begin a match."""
    if text[0] == "<" or kind == "stop":
        return [text]
    if kind == "file":
        return [text, "<file>", f"<file:{text.rsplit('.', 1)[-1]}>"]
    return [text, f"<{kind}>"]


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


def _follows(rest: Sequence[str], line: Line, at: int) -> bool:
    """Whether the units stand from a position on."""
    if at + len(rest) > len(line.tokens):
        return False
    for unit in rest:
        if not _is(unit, line.tokens[at], line.marks[at]):
            return False
        at += 1
    return True


def _ends(part: Element, line: Line, at: int) -> Sequence[int]:
    """Ends of the phrases that match at a position."""
    if at >= len(line.texts):
        return ()
    text, marks = line.texts[at], line.marks[at]
    alone = text in part.singles or (marks and not part.singles.isdisjoint(marks))
    if not part.phrases and not part.loose:  # most elements
        return (at + 1,) if alone else ()
    ends = [at + 1] if alone else []
    for first in (text, *marks):
        for rest in part.phrases.get(first, ()):
            if _follows(rest, line, at + 1):
                ends.append(at + 1 + len(rest))
    for phrase in part.loose:
        if _follows(phrase, line, at):
            ends.append(at + len(phrase))
    return ends


def _starts(line: Line, at: int) -> bool:
    return at == 0 or line.tokens[at - 1].kind == "stop"


def _match(elements: Sequence[Element], index: int, line: Line, at: int) -> int:
    """End of the match of ``elements[index:]`` at a position, or -1."""
    while index < len(elements):
        part = elements[index]
        kind = part.kind
        index += 1
        if kind in _PHRASES:
            ends = _ends(part, line, at)
            if kind == "maybe":
                ends = [*ends, at]
            if not ends:
                return -1
            if len(ends) > 1:
                return _any(elements, index, line, ends)
            at = ends[0]
        elif kind == "gap":
            return _gap(elements, index - 1, line, at)
        elif not (_starts(line, at) if kind == "start" else _done(line, at)):
            return -1
    return at


def _any(elements: Sequence[Element], index: int, line: Line, starts: Sequence[int]) -> int:
    """End of the first match of ``elements[index:]`` at one of the positions, or -1."""
    for at in starts:
        end = _match(elements, index, line, at)
        if end >= 0:
            return end
    return -1


def _done(line: Line, at: int) -> bool:
    """Whether nothing but full stops and question marks follows."""
    return all(token.kind in _ENDS for token in line.tokens[at:])


def _gap(elements: Sequence[Element], index: int, line: Line, at: int) -> int:
    for stop in range(at, min(at + elements[index].reach, len(line.tokens)) + 1):
        end = _match(elements, index + 1, line, stop)
        if end >= 0:
            return end
        if stop < len(line.tokens) and line.tokens[stop].kind == "stop":
            return -1
    return -1


def find(sought: Pattern, line: Line, starts: Iterable[int]) -> tuple[int, int] | None:
    """First match of a pattern, as token positions ``[start, end)``.

    Args:
        sought: the pattern.
        line: where it is sought.
        starts: where a key of the pattern stands, rising.
    """
    for at in starts:
        end = _match(sought.elements, 0, line, at)
        if end > at:
            return at, end
    return None
