"""Literal strings that a pattern needs, derived where the tables are compiled.

A text that holds none of them cannot match, so the gate need not try.  Derived here and
committed with the compiled tables, since the regex parser of the standard library is not public.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

__all__ = ["LEAST", "needed"]

LEAST = 3
"""Characters of the shortest literal that is worth looking for."""
MOST = 96
"""Literals of one pattern; more cost what trying the pattern does."""

_PARSER: Any = importlib.import_module("re._parser")
_Strings = frozenset[str]


def needed(pattern: str) -> tuple[str, ...] | None:
    """Lower-case literals, one of which stands in every ASCII text that the pattern matches.

    Returns:
        Sorted; ``None`` where no set of literals of :data:`LEAST` characters or more can be told.

    Raises:
        re.error: the pattern is malformed.
    """
    found = _best(_PARSER.parse(pattern))
    return None if found is None else tuple(sorted(found))


def _best(items: Iterable[Any]) -> _Strings | None:
    """The most telling set of literals of a sequence: every match holds one of them."""
    runs: list[_Strings] = []
    current: _Strings = frozenset({""})
    for item in items:
        exact = _exact(item)
        joined = None if exact is None else _joined(current, exact)
        if joined is not None:
            current = joined
            continue
        runs.append(current)
        current = exact if exact is not None else frozenset({""})
        if exact is None and (inner := _inside(item)) is not None:
            runs.append(inner)
    runs.append(current)
    telling = [run for run in runs if run and min(map(len, run)) >= LEAST and len(run) <= MOST]
    return max(telling, key=lambda run: (min(map(len, run)), -len(run)), default=None)


def _joined(heads: _Strings, tails: _Strings) -> _Strings | None:
    if len(heads) * len(tails) > MOST:
        return None
    return frozenset(head + tail for head, tail in product(heads, tails))


def _exact(item: tuple[Any, Any]) -> _Strings | None:
    """All the strings that an item stands for; ``None`` where they are too many or not plain."""
    name, value = str(item[0]), item[1]
    if name == "LITERAL":
        return frozenset({chr(value).lower()})
    if name in {"AT", "ASSERT", "ASSERT_NOT"}:
        return frozenset({""})  # takes no characters
    if name == "SUBPATTERN":
        return _sequence(value[-1])
    if name == "BRANCH":
        return _union([_sequence(branch) for branch in value[1]])
    if name in {"MAX_REPEAT", "MIN_REPEAT"} and tuple(map(int, value[:2])) == (0, 1):
        inner = _sequence(value[2])
        return None if inner is None else inner | {""}
    if name == "IN" and len(value) <= 4 and all(str(op) == "LITERAL" for op, _ in value):
        return frozenset(chr(code).lower() for _, code in value)
    return None


def _sequence(items: Iterable[Any]) -> _Strings | None:
    found: _Strings | None = frozenset({""})
    for item in items:
        exact = _exact(item)
        found = None if exact is None or found is None else _joined(found, exact)
        if found is None:
            return None
    return found


def _union(parts: Sequence[_Strings | None]) -> _Strings | None:
    known = [part for part in parts if part is not None]
    return frozenset().union(*known) if len(known) == len(parts) else None


def _inside(item: tuple[Any, Any]) -> _Strings | None:
    """What an item that is not plain needs all the same."""
    name, value = str(item[0]), item[1]
    if name == "SUBPATTERN":
        return _best(value[-1])
    if name == "BRANCH":
        return _union([_best(branch) for branch in value[1]])
    if name in {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"} and value[0] >= 1:
        return _best(value[2])
    return _best(value) if name == "ATOMIC_GROUP" else None
