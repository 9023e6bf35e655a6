"""Regexes that are compiled when they are first used, and a reader that goes ahead with one.

Compiling all of this package's patterns takes longer than a start of Hermes may
be held up for one plugin, and most texts need few of them.
"""

from __future__ import annotations

import re
import sys
from typing import Any, cast

__all__ = ["Ahead", "lazy"]


class _Lazy:
    """Stands in for a pattern; after the first use its methods are the pattern's own."""

    def __init__(self, source: str) -> None:
        self.pattern = source

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.pattern)
        for method in ("match", "search", "fullmatch", "finditer", "findall", "sub", "split"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def lazy(source: str) -> re.Pattern[str]:
    """Return a pattern that is compiled at its first use.

    Used from several threads at once it is compiled twice at worst.
    """
    return cast("re.Pattern[str]", _Lazy(source))


class Ahead:
    """Whether a pattern matches in a window, asked of windows that go on to the right.

    Windows overlap, and each place of the text is searched once all the same.
    """

    __slots__ = ("_asked", "_end", "_pattern", "_start", "_text")

    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        """Take a pattern without look-around, and the text that windows are of."""
        self._pattern = pattern
        self._text = text
        self._asked = self._start = self._end = -1

    def within(self, start: int, end: int) -> bool:
        """Whether the first match from ``start`` on ends by ``end``."""
        if not self._asked <= start <= self._start:
            found = self._pattern.search(self._text, start)
            self._asked = start
            self._start, self._end = found.span() if found else (sys.maxsize, sys.maxsize)
        return self._end <= end
