"""Find secrets in the columns of tables: Markdown, CSV and TSV with a line of names on top."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .accept import Judge, seen_as
from .hints import Hints
from .labels import label_of
from .lazy import lazy
from .names import kind_of
from .table import PatternTable
from .values import Span

__all__ = ["find_columns"]

_SIGNS = "|\t;,"
"""What parts the cells of a line: the first of these that the line of names has."""
_NAMES = lazy(rf"(?m)^[^\n:={_SIGNS}]*+[{_SIGNS}][^\n:=]*+$")
"""A line of cells; a colon or an equals sign makes it none."""
_NAME = lazy(r"[A-Za-z][\w .-]{0,39}")
_RULE = lazy(r"[ \t|:+-]+")
_AROUND = " \t\r\"'`*"
_FAMILIES = frozenset({"password", "token", "phrase", "pin"})
_LINE = 400
"""Characters of a line that is read."""
_CELLS = 16
_ROWS = 64


def find_columns(hints: Hints, table: PatternTable) -> Iterator[Span]:
    """Yield the values below a column's name that announces them."""
    text = hints.text
    if "\n" not in text:  # nothing stands below a line
        return
    done = 0
    for start, stop in _lines(hints.lower, table.nouns_in(hints)):
        if start < done:
            continue
        sign = next(sign for sign in _SIGNS if text.find(sign, start, stop) >= 0)
        if families := _families(text, start, stop, sign, table):
            spans, done = _below(text, start, sign, families, Judge(table.labels))
            yield from spans


def _lines(lower: str, nouns: list[str]) -> list[tuple[int, int]]:
    """Return the lines that may be names of columns, one of which has a noun in it."""
    if not nouns:
        return []
    return [
        line.span()
        for line in _NAMES.finditer(lower)
        if line.end() - line.start() <= _LINE and any(map(line[0].__contains__, nouns))
    ]


def _line_end(text: str, start: int) -> int:
    stop = text.find("\n", start)
    return stop if stop >= 0 else len(text)


def _cells(text: str, start: int, stop: int, sign: str) -> list[tuple[int, int]]:
    """Return where the cells of a line are, without blanks and quotes; none if there are many."""
    cells: list[tuple[int, int]] = []
    while start <= stop and len(cells) < _CELLS:
        end = text.find(sign, start, stop)
        end = end if end >= 0 else stop
        left, right = start, end
        while left < right and text[left] in _AROUND:
            left += 1
        while right > left and text[right - 1] in _AROUND:
            right -= 1
        cells.append((left, right))
        start = end + 1
    return cells if len(cells) < _CELLS else []


def _families(
    text: str, start: int, stop: int, sign: str, table: PatternTable
) -> Mapping[int, str]:
    """Return which columns announce secrets; empty where the line is no line of names."""
    names = [text[left:right] for left, right in _cells(text, start, stop, sign)]
    if sign != "|" and (text[start] in " \t" or not all(names)):
        return {}  # a list in code, which is indented or ends in a comma
    if sum(map(bool, names)) < 2 or not all(_NAME.fullmatch(name) for name in names if name):
        return {}
    found = {at: label_of(name.replace(" ", "_"), table.labels) for at, name in enumerate(names)}
    return {at: family for at, family in found.items() if family in _FAMILIES}


def _below(
    text: str, at: int, sign: str, families: Mapping[int, str], judge: Judge
) -> tuple[list[Span], int]:
    """Return the secrets in the rows below the line of names at ``at``, and where they end."""
    spans: list[Span] = []
    count = len(_cells(text, at, _line_end(text, at), sign))
    at = _line_end(text, at)
    for _ in range(_ROWS):
        start = at + 1
        stop = _line_end(text, start)
        if start >= len(text) or stop - start > _LINE or text.find(sign, start, stop) < 0:
            break
        at = stop
        if _RULE.fullmatch(text, start, stop):
            continue
        cells = _cells(text, start, stop, sign)
        if len(cells) != count:
            break
        for place, family in families.items():
            value = text[slice(*cells[place])]
            # "next line": a word or a number alone is no secret there.
            if judge.accepts(value, seen_as(family, "next line")):
                spans.append(Span(*cells[place], kind_of(family)))
    return spans, at
