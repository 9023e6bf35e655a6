"""Learned weights, summed with one integer addition a key.

Each key holds one lane of 32 bits a toolset; a weight is stored plus
``OFFSET``, so lanes never borrow from each other, and integers give the same
sum on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import unpack

__all__ = ["LANE", "OFFSET", "contributions", "totals", "widen"]

OFFSET = 128
LANE = 4
"""Bytes of a lane: 255 times 16 million keys fit."""


def widen(cells: bytes) -> bytes:
    """One lane a weight from one byte a weight."""
    wide = bytearray(LANE * len(cells))
    wide[::LANE] = cells
    return bytes(wide)


def totals(
    places: Mapping[str, int], cells: bytes, keys: Sequence[str], lanes: int
) -> tuple[list[int], int]:
    """Sum of the weights a lane, and how many keys were known.

    Args:
        places: key to the position of its row in ``cells``.
        cells: rows of lanes, little-endian.
        keys: of the message.
        lanes: lanes of a row.
    """
    step = LANE * lanes
    read = int.from_bytes
    rows = [
        read(cells[at : at + step], "little") for key in keys if (at := places.get(key, -1)) >= 0
    ]
    less = OFFSET * len(rows)
    data = sum(rows).to_bytes(step, "little")
    return [total - less for total in unpack(f"<{lanes}I", data)], len(rows)


def contributions(
    places: Mapping[str, int], cells: bytes, keys: Sequence[str], lane: int
) -> list[tuple[str, int]]:
    """Known keys and their weight in one lane, heaviest first, for explanations."""
    rows = [(key, cells[places[key] + LANE * lane] - OFFSET) for key in keys if key in places]
    return sorted(rows, key=lambda row: (-abs(row[1]), row[0]))
