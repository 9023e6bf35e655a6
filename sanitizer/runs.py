"""How long a run without a gap every match of a pattern has: told when the table is compiled."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from re import _constants as ops  # type: ignore[attr-defined]  # CPython's own, since 3.11
from re import _parser as parser  # type: ignore[attr-defined]  # CPython's own, since 3.11
from typing import Any

from .hints import RUN_CHARACTER

__all__ = ["sure_run"]

_IN_RUN = re.compile(RUN_CHARACTER)
_REPEATS = {ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT}
_ZERO_WIDTH = {ops.AT, ops.ASSERT, ops.ASSERT_NOT}
_CATEGORIES = {ops.CATEGORY_WORD, ops.CATEGORY_DIGIT}


@dataclass(frozen=True, slots=True)
class _Run:
    """Least numbers of characters of a run, in whatever a part of a pattern matches."""

    first: int
    best: int
    last: int
    whole: bool
    """The part matches nothing but characters of a run."""

    def __add__(self, other: _Run) -> _Run:
        return _Run(
            self.first + (other.first if self.whole else 0),
            max(self.best, other.best, self.last + other.first),
            other.last + (self.last if other.whole else 0),
            self.whole and other.whole,
        )

    def __or__(self, other: _Run) -> _Run:
        return _Run(
            min(self.first, other.first),
            min(self.best, other.best),
            min(self.last, other.last),
            self.whole and other.whole,
        )


_EMPTY = _Run(0, 0, 0, True)
_BREAK = _Run(0, 0, 0, False)
_ONE = _Run(1, 1, 1, True)


def sure_run(pattern: str) -> int:
    """Return how many characters of ``RUN_CHARACTER`` stand together in every match, at least."""
    return _sequence(parser.parse(pattern)).best


def _sequence(parts: Iterable[tuple[Any, Any]]) -> _Run:
    return reduce(lambda run, part: run + _part(*part), parts, _EMPTY)


def _part(op: Any, value: Any) -> _Run:
    if op in _ZERO_WIDTH:
        return _EMPTY
    if op is ops.LITERAL:
        return _ONE if _IN_RUN.fullmatch(chr(value)) else _BREAK
    if op is ops.IN:
        return _ONE if all(_belongs(*item) for item in value) else _BREAK
    if op is ops.BRANCH:
        return reduce(_Run.__or__, map(_sequence, value[1]))
    if op is ops.SUBPATTERN:
        return _sequence(value[-1])
    if op is ops.ATOMIC_GROUP:
        return _sequence(value)
    return _repeated(*value) if op in _REPEATS else _BREAK


def _repeated(least: int, _most: int, parts: Sequence[tuple[Any, Any]]) -> _Run:
    once = _sequence(parts)
    if once.whole:
        size = least * once.best
        return _Run(size, size, size, True)
    # The end of one copy and the beginning of the next are one run.
    return once | _EMPTY if least == 0 else once if least == 1 else once + once


def _belongs(op: Any, value: Any) -> bool:
    """Whether an item of a class of characters stands for characters of a run alone."""
    if op is ops.LITERAL:
        return _IN_RUN.fullmatch(chr(value)) is not None
    if op is ops.RANGE:
        return all(map(_IN_RUN.fullmatch, map(chr, range(value[0], value[1] + 1))))
    return op is ops.CATEGORY and value in _CATEGORIES
