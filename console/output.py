"""How the commands speak: plain text that any terminal shows, or JSON.

Only ASCII characters and no colour that carries meaning, so that a Windows
console, a log file and a screen reader get the same.  Nothing is wider than
80 columns unless the terminal is.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

__all__ = ["Output", "clock_time", "counted"]


class Output:
    """Writes the answer of one command.

    Args:
        as_json: print JSON values only.
        console: where people's text goes; the standard output by default.
    """

    def __init__(self, *, as_json: bool, console: Console | None = None) -> None:
        self.as_json = as_json
        self._console = console or Console(
            file=sys.stdout, highlight=False, markup=False, emoji=False, soft_wrap=False
        )

    def value(self, data: object) -> None:
        """Print one JSON value on a line of its own, whatever the mode."""
        print(json.dumps(data, ensure_ascii=True, default=str), file=self._console.file)

    def line(self, text: str = "", *, bold: bool = False) -> None:
        """Print a line, wrapped to the terminal."""
        self._console.print(Text(text, style="bold" if bold else ""))

    def verbatim(self, text: str) -> None:
        """Print lines as they are, for what people copy."""
        self._console.print(Text(text), soft_wrap=True)

    def pairs(self, rows: Iterable[tuple[str, str]]) -> None:
        """Print names and what they are, in two columns."""
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for name, value in rows:
            table.add_row(Text(name), Text(value))
        self._console.print(table)

    def table(self, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Print rows under heads; columns headed with a trailing ``#`` are numbers.

        Where the terminal is too narrow for that, each row is a list of its own.
        """
        rows = list(rows)
        if _least_width(heads, rows) > self._console.width:
            self._stacked(heads, rows)
            return
        table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
        for head in heads:
            number = head.endswith("#")
            table.add_column(
                head.removesuffix("#"), justify="right" if number else "left", overflow="fold"
            )
        for row in rows:
            table.add_row(*(Text(cell) for cell in row))
        self._console.print(table)

    def _stacked(self, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Print each row as the names of the columns and what stands there."""
        names = [head.removesuffix("#") for head in heads]
        for number, row in enumerate(rows):
            if number:
                self.line()
            self.pairs([(name, cell) for name, cell in zip(names, row, strict=True) if cell])


def _least_width(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> int:
    """Columns of a terminal in which no cell but a long one is broken."""
    columns = zip(heads, *rows, strict=True)
    widths = [min(_FOLDED, max(map(cell_len, column))) for column in columns]
    return sum(widths) + _GAP * (len(widths) - 1)


_GAP = 2
_FOLDED = 16
"""Columns to which the terminal may fold a cell that is longer."""


def counted(number: int, noun: str) -> str:
    """A number with its noun, as in "1 row" and "1,200 rows"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def clock_time(row: Mapping[str, object]) -> str:
    """Local time of a log row, to the second."""
    at = row.get("at")
    return datetime.fromtimestamp(at).strftime("%m-%d %H:%M:%S") if isinstance(at, float) else ""
