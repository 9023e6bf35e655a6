"""Which of many literal strings a text holds, found in one pass over the text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from .lazy import lazy

__all__ = ["RUN_CHARACTER", "Hints", "LiteralIndex"]

_PIECE = 4
"""Characters by which literals are looked up: eight bytes, one machine word."""

RUN_CHARACTER = r"[\w.+/~-]"
"""What tokens are written in.  A longer list would leave more texts with a long run in them."""
_LEAST_RUN = 16
"""Characters; ordinary words are shorter, and most tokens longer."""
_RUN = lazy(rf"(?<!{RUN_CHARACTER}){RUN_CHARACTER}{{{_LEAST_RUN},}}")


def _pieces(text: str) -> set[int]:
    """Return every run of four characters, as numbers.

    The text's bytes are read as machine words from four offsets, which takes a
    third of the time that cutting the text takes.
    """
    data = memoryview(text.encode("utf-16-le", "surrogatepass"))
    size = len(data)
    views = (data[at : size - (size - at) % 8].cast("Q") for at in (0, 2, 4, 6) if at + 8 <= size)
    return set(chain.from_iterable(views))


class LiteralIndex:
    """Literals by their first four characters, lower case throughout.

    The table holds about a thousand of them, and most texts hold none: asking the
    text for each costs more than looking its own pieces up.
    """

    __slots__ = ("_by_piece", "_first", "_longest", "_short")

    def __init__(self, literals: Iterable[str]) -> None:
        by_piece: dict[int, list[str]] = {}
        short: list[str] = []
        for literal in dict.fromkeys(literals):
            pieces = _pieces(literal[:_PIECE])
            if pieces:
                by_piece.setdefault(pieces.pop(), []).append(literal)
            else:
                short.append(literal)
        self._longest = max(map(len, chain(short, *by_piece.values())), default=0)
        self._by_piece: Mapping[int, list[str]] = by_piece
        self._first = frozenset(by_piece)
        self._short: Mapping[str, list[str]] = {
            first: [literal for literal in short if literal[0] == first]
            for first in {literal[0] for literal in short}
        }

    def found_beside(self, lower: str, changes: Sequence[int], known: Iterable[str]) -> list[str]:
        """Literals that a text may hold which differs from another one at few places.

        Args:
            lower: the text in lower case.
            changes: the places, in order.
            known: literals that the other text holds.

        Returns:
            Those known, and those at a change; some may not be there.
        """
        reach = self._longest
        if 4 * reach * len(changes) > len(lower):
            return self.found_in(lower)
        near = "\n".join(lower[max(0, at - reach) : at + reach] for at in changes)
        return list({*known, *self.found_in(near)})

    def found_in(self, lower: str) -> list[str]:
        """Literals that a lower-case text holds, each once, in no order of meaning."""
        letters = set(lower)
        found = [
            literal
            for first in self._short.keys() & letters
            for literal in self._short[first]
            if letters.issuperset(literal) and literal in lower
        ]
        for piece in self._first & _pieces(lower):
            found += [literal for literal in self._by_piece[piece] if literal in lower]
        return found


class Hints:
    """A text as the finders read it.

    Attributes:
        text: the text.
        lower: the text in lower case, position by position the same.
        found: the literals of an index that ``lower`` holds, perhaps a few more.
    """

    __slots__ = ("_longest_run", "found", "lower", "text")

    def __init__(
        self, text: str, index: LiteralIndex, other: tuple[Hints, Sequence[int]] | None = None
    ) -> None:
        """Look for the literals of an index.

        Args:
            text: the text.
            index: the literals.
            other: hints of a text that this one was made of, and where it differs.
        """
        self.text = text
        self._longest_run = -1
        lower = text.lower()
        if len(lower) != len(text):  # a few letters grow when lowered; positions must not move
            lower = "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)
        self.lower = lower
        if other is None:
            self.found = index.found_in(lower)
        else:
            self.found = index.found_beside(lower, other[1], other[0].found)

    def has_run(self, size: int) -> bool:
        """Whether the text may have ``size`` characters of ``RUN_CHARACTER`` together."""
        if size < _LEAST_RUN:
            return True
        if self._longest_run < 0:
            runs = (found.end() - found.start() for found in _RUN.finditer(self.text))
            self._longest_run = max(runs, default=0)
        return size <= self._longest_run
