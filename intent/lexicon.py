"""Learned weights, summed with one integer addition a key.

Each key holds one lane of 16 bits a toolset; a weight is stored plus
``OFFSET``, so lanes never borrow from each other, and integers give the same
sum on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import unpack

__all__ = ["LANE", "OFFSET", "contributions", "totals", "widen"]

OFFSET = 128
LANE = 2
"""Bytes of a lane."""
_ROWS = 257
"""Rows that may be added before a lane runs over: 255 * 257 is the most that 16 bits hold."""


def widen(cells: bytes) -> bytes:
    """One lane a weight from one byte a weight."""
    # Code points below 256 are two bytes each in UTF-16: a codec is the fastest way to part bytes.
    return cells.decode("latin-1").encode("utf-16-le")


def totals(
    places: Mapping[str, int], cells: bytes, keys: Sequence[str], lanes: int
) -> tuple[list[int], int]:
    """Sum of the weights a lane, and how many keys were known.

    Args:
        places: key to the position of its row in ``cells``.
        cells: rows of lanes, little-endian.
        keys: of the message, each once.
        lanes: lanes of a row.
    """
    step = LANE * lanes
    read = int.from_bytes
    rows = [
        read(cells[at : at + step], "little")
        for at in map(places.__getitem__, places.keys() & keys)
    ]
    less = OFFSET * len(rows)
    sums = [-less] * lanes
    for first in range(0, len(rows), _ROWS):
        data = sum(rows[first : first + _ROWS]).to_bytes(step, "little")
        sums = [
            before + more for before, more in zip(sums, unpack(f"<{lanes}H", data), strict=True)
        ]
    return sums, len(rows)


def contributions(
    places: Mapping[str, int], cells: bytes, keys: Sequence[str], lane: int
) -> list[tuple[str, int]]:
    """Known keys and their weight in one lane, heaviest first, for explanations."""
    rows = [(key, cells[places[key] + LANE * lane] - OFFSET) for key in keys if key in places]
    return sorted(rows, key=lambda row: (-abs(row[1]), row[0]))
