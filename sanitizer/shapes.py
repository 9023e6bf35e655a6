"""Find secrets by their looks: vendor tokens, password hashes, private keys' blobs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise

from .hints import Hints
from .table import PatternTable, Shape
from .values import Span

__all__ = ["find_shapes"]

_BEFORE = 80
"""Characters before a match that may make it another thing."""


def find_shapes(hints: Hints, table: PatternTable) -> Iterator[Span]:
    """Yield every match of a shape, in table order; spans may overlap."""
    for place in table.likely_shapes(hints):
        shape = table.shapes[place]
        if not hints.has_run(shape.run):
            continue
        where = hints.lower if shape.nocase else hints.text
        keywords = [keyword for keyword in shape.keywords if keyword in where]
        if not keywords:
            continue
        regex = table.regex(shape.pattern)
        if shape.anchored:
            matches: Iterable[re.Match[str]] = chain.from_iterable(
                _at(where, hints.text, keyword, regex) for keyword in keywords
            )
        else:
            matches = regex.finditer(hints.text)
        for match in matches:
            if shape.unless and _follows(hints.text, match.start(), table.regex(shape.unless)):
                continue
            span = _secret(hints.text, match, shape)
            if span:
                yield span


def _follows(text: str, start: int, before: re.Pattern[str]) -> bool:
    """Whether what stands before a match makes it another thing."""
    return before.search(text[max(0, start - _BEFORE) : start]) is not None


def _at(where: str, text: str, keyword: str, regex: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Yield the matches that begin with a keyword."""
    at = where.find(keyword)
    while at >= 0:
        found = regex.match(text, at)
        if found:
            yield found
        at = where.find(keyword, found.end() if found else at + 1)


def _secret(text: str, found: re.Match[str], shape: Shape) -> Span | None:
    """Return the secret part of a match, ``None`` if its context or its looks speak against it."""
    if found.re.groups and not found.lastindex:
        return None
    start, end = found.span(found.lastindex or 0)
    while end > start and text[end - 1] == ".":  # the end of a sentence
        end -= 1
    if shape.random and not _is_token(text[start:end]):
        return None
    return Span(start, end, shape.kind)


def _is_token(value: str) -> bool:
    """Tell a token from words and from a placeholder such as ``ghp_xxxxxxxx``."""
    body = value[4:] if len(value) > 12 else value
    if len(set(body)) < min(8, len(body) // 2):
        return False
    if any(c.isdigit() for c in body):
        return True
    turns = sum(a.islower() != b.islower() for a, b in pairwise(body))
    return turns * 4 >= len(body) and any(c.isupper() for c in body)
