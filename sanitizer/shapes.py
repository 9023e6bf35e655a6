"""Find secrets by their looks: vendor tokens, password hashes, private keys' blobs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from .judge import is_marker
from .table import PatternTable, Shape
from .values import Span

__all__ = ["find_shapes"]


def find_shapes(text: str, table: PatternTable) -> Iterator[Span]:
    """Yield every match of a shape, in table order; spans may overlap."""
    lower = text.lower()
    if len(lower) != len(text):  # a few letters grow when lowered; positions must not move
        lower = text
    for shape in table.shapes:
        where = lower if shape.nocase else text
        if any(keyword in where for keyword in shape.keywords):
            yield from _matches(text, shape, table)


def _matches(text: str, shape: Shape, table: PatternTable) -> Iterator[Span]:
    for found in table.regex(shape.pattern).finditer(text):
        group = 1 if found.re.groups else 0
        start, end = found.span(group)
        value = text[start:end]
        if start < 0 or is_marker(value) or (shape.random and not _is_token(value)):
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
