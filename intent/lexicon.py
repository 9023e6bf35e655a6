"""Learned weights, summed with one integer addition a key.

Each key holds one lane of 32 bits a toolset; a weight is stored plus
``OFFSET``, so lanes never borrow from each other, and integers give the same
sum on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import unpack

__all__ = ["OFFSET", "contributions", "totals", "widen"]

OFFSET = 128
_LANE = 4
"""Bytes of a lane: 255 times 16 million keys fit."""


def widen(names: Sequence[str], cells: bytes, lanes: int) -> dict[str, int]:
    """Packed integers from one byte a weight, in the order of the names."""
    wide = bytearray(_LANE * len(cells))
    wide[::_LANE] = cells
    step = _LANE * lanes
    view = bytes(wide)
    read = int.from_bytes
    return {
        name: read(view[at : at + step], "little")
        for name, at in zip(names, range(0, len(view), step), strict=True)
    }


def totals(weights: Mapping[str, int], keys: Sequence[str], lanes: int) -> tuple[list[int], int]:
    """Sum of the weights a lane, and how many keys were known."""
    known = [weights[key] for key in keys if key in weights]
    data = sum(known).to_bytes(_LANE * lanes, "little")
    less = OFFSET * len(known)
    return [total - less for total in unpack(f"<{lanes}I", data)], len(known)


def contributions(
    weights: Mapping[str, int], keys: Sequence[str], lane: int
) -> list[tuple[str, int]]:
    """Known keys and their weight in one lane, heaviest first, for explanations."""
    shift = 8 * _LANE * lane
    rows = [(key, ((weights[key] >> shift) & 0xFF) - OFFSET) for key in keys if key in weights]
    return sorted(rows, key=lambda row: (-abs(row[1]), row[0]))
