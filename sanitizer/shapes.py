"""Find secrets by their looks: vendor tokens, password hashes, private keys' blobs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from .hints import Hints
from .table import PatternTable, Shape
from .values import Span

__all__ = ["find_shapes"]


def find_shapes(hints: Hints, table: PatternTable) -> Iterator[Span]:
    """Yield every match of a shape, in table order; spans may overlap."""
    for place in table.likely_shapes(hints):
        shape = table.shapes[place]
        where = hints.lower if shape.nocase else hints.text
        if any(keyword in where for keyword in shape.keywords):
            yield from _matches(hints.text, shape, table)


def _matches(text: str, shape: Shape, table: PatternTable) -> Iterator[Span]:
    for found in table.regex(shape.pattern).finditer(text):
        if found.re.groups and not found.lastindex:
            continue  # the context that makes it no secret
        start, end = found.span(found.lastindex or 0)
        while end > start and text[end - 1] == ".":  # the end of a sentence
            end -= 1
        value = text[start:end]
        if shape.random and not _is_token(value):
            continue
        yield Span(start, end, shape.kind)


def _is_token(value: str) -> bool:
    """Tell a token from words and from a placeholder such as ``ghp_xxxxxxxx``."""
    body = value[4:] if len(value) > 12 else value
    if len(set(body)) < min(8, len(body) // 2):
        return False
    if any(c.isdigit() for c in body):
        return True
    turns = sum(a.islower() != b.islower() for a, b in pairwise(body))
    return turns * 4 >= len(body) and any(c.isupper() for c in body)
