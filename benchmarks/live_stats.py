"""Paired figures of two arms: an interval by resampling, and an exact sign test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb
from random import Random
from typing import TypeVar

__all__ = ["interval", "sign_test"]

T = TypeVar("T")
_ROUNDS = 2_000
_TAIL = 0.025
"""On each side: a 95 % interval."""


def interval(
    pairs: Sequence[T], figure: Callable[[Sequence[T]], float], *, seed: int
) -> tuple[float, float]:
    """The percentile bootstrap interval (95 %) of a figure over pairs.

    Args:
        pairs: at least one; drawn with replacement, 2,000 times.
        figure: of a draw.
        seed: the same seed gives the same interval.
    """
    random = Random(seed)
    found = sorted(figure(random.choices(pairs, k=len(pairs))) for _ in range(_ROUNDS))
    low = int(_TAIL * _ROUNDS)
    return round(found[low], 4), round(found[_ROUNDS - 1 - low], 4)


def sign_test(plus: int, minus: int) -> float:
    """Two-sided exact p of as lopsided a split, if either side were as likely; 1 without any."""
    size = plus + minus
    tail: float = sum(comb(size, k) for k in range(min(plus, minus) + 1)) / 2**size
    return round(min(1.0, 2.0 * tail), 4)
