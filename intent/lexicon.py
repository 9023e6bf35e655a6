"""Learned weights, summed with one integer addition a key.

Each key has a row with one lane of 16 bits a toolset; a weight is stored plus
``OFFSET``, so lanes never borrow from each other, and integers give the same
sum on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter, methodcaller
from struct import unpack

from .entry import Entry
from .features import MAX_TOKENS, concept_keys, glued
from .tokens import Token

__all__ = ["NOTHING_LEARNED", "OFFSET", "Lexicon", "Rows", "known_rows", "log_odds", "sums"]

OFFSET = 128
LANE = 2
"""Bytes of a lane."""
_ROWS = 257
"""Rows that may be added before a lane runs over: 255 * 257 is the most that 16 bits hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """Learned weights.

    Attributes:
        lanes: toolsets, lowest lane first.
        rows: key of one unit, or of concepts, to the number of its row.
        chains: first unit of a key of several to how they go on, as ``rest TAB number …``.
        numbered: number of a row to the row: all its lanes in one integer.
        bias: log-odds of a toolset before any key.
        scale: log-odds of one unit.
    """

    lanes: tuple[str, ...]
    rows: Mapping[str, int]
    chains: Mapping[str, str]
    numbered: Mapping[int, int]
    bias: tuple[float, ...]
    scale: float

    def chains_of(self, name: str) -> tuple[Mapping[str, str], int]:
        """How the keys of several units go on that begin with this one, and their reach.

        To each belongs the number of its row, in digits, for most are never asked for.  The reach
        is the number of units that the longest of them has behind the first one.
        """
        packed = self.chains.get(name)
        if packed is None:  # most words
            return _NO_CHAINS, 0
        parts = packed.split("\t")
        # Characters may be glued, so only ASCII says by its spaces how many units it has.
        reach = max(map(_spaces, parts[::2])) if packed.isascii() else _CHAIN
        return dict(zip(parts[::2], parts[1::2], strict=True)), reach


_spaces = methodcaller("count", " ")
_unspaced = attrgetter("unspaced")
_CHAIN = 3
"""Units that may follow the first one of a key."""
_NO_CHAINS: Mapping[str, str] = {}
NOTHING_LEARNED = Lexicon(lanes=(), rows={}, chains={}, numbered={}, bias=(), scale=0.0)
"""For reading what is yet to be learned from."""


class Rows(dict[int, int]):
    """Rows by number, each made when it is first asked for: most never are.

    Args:
        cells: one byte a weight, row after row.
        lanes: weights of a row.
    """

    __slots__ = ("_step", "_wide")

    def __init__(self, cells: bytes, lanes: int) -> None:
        super().__init__()
        # Code points below 256 are two bytes each in UTF-16: a codec is the fastest way to part
        # bytes.
        self._wide = cells.decode("latin-1").encode("utf-16-le")
        self._step = LANE * lanes

    def __missing__(self, number: int) -> int:
        """Make a row and keep it."""
        at = number * self._step
        row = self[number] = int.from_bytes(self._wide[at : at + self._step], "little")
        return row


def sums(rows: Sequence[int], lanes: int) -> Sequence[int]:
    """Sum of the weights a lane, plus ``OFFSET`` for each row."""
    if len(rows) > _ROWS:
        parts = [sums(rows[at : at + _ROWS], lanes) for at in range(0, len(rows), _ROWS)]
        return [sum(each) for each in zip(*parts, strict=True)]
    return unpack(f"<{lanes}H", sum(rows).to_bytes(LANE * lanes, "little"))


def log_odds(rows: Sequence[int], table: Lexicon) -> list[float]:
    """Log-odds a lane: its bias, and the weights of the known keys; many keys share their say.

    In the order of the lanes, for nobody asks for most of them by name.

    Args:
        rows: of each known key once.
        table: what they are rows of.
    """
    count = len(rows)
    share = table.scale / count**0.5 if count else 0.0
    less = OFFSET * count
    totals = sums(rows, len(table.lanes))
    return [bias + (total - less) * share for bias, total in zip(table.bias, totals)]  # noqa: B905


def known_rows(
    tokens: Sequence[Token],
    entries: Sequence[Entry],
    marks: Sequence[tuple[str, ...]],
    table: Lexicon,
) -> list[int]:
    """Rows of those keys of a message that have weights, each key once.

    They are the keys of :func:`.features.keys`, without spelling out all that nobody learned.

    Args:
        tokens: of the instruction.
        entries: of the tokens.
        marks: concepts of the tokens.
        table: the learned weights.
    """
    if len(entries) > MAX_TOKENS:
        entries = entries[:MAX_TOKENS]
    steps = _steps(tokens, entries)
    found: dict[str, int] = {}
    for at, entry in enumerate(entries, 1):
        if entry.rows:
            found.update(entry.rows)
        if entry.reach:
            chains, rest = entry.chains, ""
            for step in steps[at : at + entry.reach]:
                rest += step
                if rest in chains:
                    found[entry.unit + rest] = table.numbered[int(chains[rest])]
    first = entries[0].unit if entries else ""
    if not first:  # most messages begin with a word
        first = next((entry.unit for entry in entries if entry.unit), "")
    rows = table.rows
    for key in ["^" + first, *concept_keys(marks)] if any(marks) else ["^" + first]:
        if key in rows:
            found[key] = table.numbered[rows[key]]
    return list(found.values())


def _steps(tokens: Sequence[Token], entries: Sequence[Entry]) -> list[str]:
    """Each unit as it continues a key: behind a space, or glued to a character before it."""
    steps = [entry.step for entry in entries]
    if any(map(_unspaced, entries)):
        for at in range(1, len(entries)):
            if glued(tokens[at], tokens[at - 1]):
                steps[at] = entries[at].unit
    return steps
