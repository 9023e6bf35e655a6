"""Which of many literal strings a text holds, found by looking up the text's own pieces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

__all__ = ["LiteralIndex", "needed_by"]

_PIECE = 3
"""Characters by which literals are looked up; no literal is shorter."""
MAX_TEXT = 1_024
"""Characters of a text that is looked up; trying the patterns costs less on a longer one."""

_Mark = TypeVar("_Mark")


class LiteralIndex(Generic[_Mark]):
    """Literals, in lower case, and what each stands for.

    Args:
        marks: pairs of a literal of three characters or more and its mark.
    """

    __slots__ = ("_by_piece",)

    def __init__(self, marks: Iterable[tuple[str, _Mark]]) -> None:
        by_piece: dict[str, list[tuple[str, _Mark]]] = {}
        for literal, mark in marks:
            by_piece.setdefault(literal[:_PIECE], []).append((literal, mark))
        self._by_piece: Mapping[str, list[tuple[str, _Mark]]] = by_piece

    @staticmethod
    def readable(text: str) -> bool:
        """The index may speak of this text: ASCII, where lower case is what patterns fold to."""
        return len(text) <= MAX_TEXT and text.isascii()

    def found_in(self, text: str) -> Iterator[_Mark]:
        """Marks of the literals in a readable text, case ignored, in no order of meaning."""
        lower = text.lower()
        pieces = set(map("".join, zip(lower, lower[1:], lower[2:], strict=False)))
        for piece in self._by_piece.keys() & pieces:
            for literal, mark in self._by_piece[piece]:
                if literal in lower:
                    yield mark


def needed_by(
    patterns: Iterable[str], known: Mapping[str, Sequence[str]]
) -> tuple[str, ...] | None:
    """Lower-case literals, one of which stands in every ASCII text that one of the patterns fits.

    Args:
        patterns: any of them may fit.
        known: literals by pattern, as ``console/literals.py`` derives them.

    Returns:
        ``None`` where that is not known of all of them.
    """
    found = [known.get(pattern) for pattern in patterns]
    if any(literals is None for literals in found):
        return None
    return tuple(dict.fromkeys(text for literals in found for text in literals or ()))
