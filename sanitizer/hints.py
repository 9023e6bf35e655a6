"""Which of many literal strings a text holds, found in one pass over the text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

__all__ = ["Hints", "LiteralIndex"]

_PIECE = 3
"""Characters by which literals are looked up."""


class LiteralIndex:
    """Literals by their first three characters, lower case throughout.

    The table holds some thousand of them, and most texts hold none: asking the
    text for each costs a hundred times what looking its own pieces up does.
    """

    __slots__ = ("_by_piece", "_short")

    def __init__(self, literals: Iterable[str]) -> None:
        by_piece: dict[str, list[str]] = {}
        short: list[str] = []
        for literal in dict.fromkeys(literals):
            if len(literal) < _PIECE:
                short.append(literal)
            else:
                by_piece.setdefault(literal[:_PIECE], []).append(literal)
        self._by_piece: Mapping[str, list[str]] = by_piece
        self._short = tuple(short)

    def found_in(self, hints: Hints) -> list[str]:
        """Literals that the lower-case text holds, each once, in no order of meaning."""
        lower = hints.lower
        pieces = self._by_piece.keys() & hints.pieces
        found = [
            literal for piece in pieces for literal in self._by_piece[piece] if literal in lower
        ]
        return found + [literal for literal in self._short if literal in lower]


class Hints:
    """A text as the indices read it.

    Attributes:
        text: the text.
        lower: the text in lower case, position by position the same.
        pieces: every run of three characters of ``lower``.
    """

    __slots__ = ("lower", "pieces", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        lower = text.lower()
        if len(lower) != len(text):  # a few letters grow when lowered; positions must not move
            lower = "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)
        self.lower = lower
        self.pieces = set(map("".join, zip(lower, lower[1:], lower[2:], strict=False)))
