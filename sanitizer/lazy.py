"""Regexes that are compiled when they are first used.

Compiling all of this package's patterns takes longer than a start of Hermes may
be held up for one plugin, and most texts need few of them.
"""

from __future__ import annotations

import re
from typing import Any, cast

__all__ = ["lazy"]


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
