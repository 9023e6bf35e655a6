"""What was worked out of a word before, kept for the next message."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

__all__ = ["MOST", "Memo"]

MOST = 8192
"""Words kept; what people ask for in a day has fewer."""
_LONGEST = 48
"""Characters of a word that is kept; longer ones are data and do not come again."""

Value = TypeVar("Value")


class Memo(dict[str, Value]):
    """Answers of a pure function of a word: ``memo[word]`` looks up, or works out and keeps.

    Emptied when it is full, so that a process which reads for months stays small.  What it
    holds never shows in an answer.  Threads may share one: each step on the dictionary is
    atomic, and at worst a word is worked out twice.

    Args:
        answer: the function; it must not change what it returned before.
    """

    __slots__ = ("_answer",)

    def __init__(self, answer: Callable[[str], Value]) -> None:
        super().__init__()
        self._answer = answer

    def __missing__(self, word: str) -> Value:
        """Work out the answer for a new word."""
        value = self._answer(word)
        if len(word) <= _LONGEST:
            if len(self) >= MOST:
                self.clear()
            self[word] = value
        return value
