"""Which literal strings a text can hold: hundreds of them, asked one by one."""

from __future__ import annotations

__all__ = ["Hints"]

_SHORT = 2_048
"""Characters; below, asking the text itself is cheaper than indexing it."""


class Hints:
    """A text with an index of its three-character pieces, case aside.

    Attributes:
        text: the text.
        lower: the text in lower case, position by position the same.
    """

    __slots__ = ("_pieces", "lower", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        lower = text.lower()
        # A few letters grow when lowered; positions must not move.
        self.lower = lower if len(lower) == len(text) else text
        self._pieces: set[str] | None = None
        if len(text) >= _SHORT:
            rows = zip(self.lower, self.lower[1:], self.lower[2:], strict=False)
            self._pieces = set(map("".join, rows))

    def holds(self, literal: str) -> bool:
        """Whether the text holds ``literal``."""
        return self._may_hold(literal.lower()) and literal in self.text

    def lower_holds(self, literal: str) -> bool:
        """Whether the lower-cased text holds ``literal``, which is lower case."""
        return self._may_hold(literal) and literal in self.lower

    def _may_hold(self, literal: str) -> bool:
        return self._pieces is None or len(literal) < 3 or literal[:3] in self._pieces
