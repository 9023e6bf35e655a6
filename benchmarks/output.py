"""Where a suite's results go."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from ..reports.page import Grid, Page, Plot, render
from .options import Options, UsageError

__all__ = ["emit", "progress"]

_STANDARD_OUTPUT = Path("-")


def emit(
    options: Options,
    report: Mapping[str, Any],
    tables: Sequence[RenderableType],
    plots: Sequence[Plot] = (),
) -> None:
    """Print the tables and write the JSON report and the page where the options say.

    With ``--json -`` standard output holds the JSON alone, and the tables go to
    standard error.

    Raises:
        UsageError: the report or the page cannot be written.
    """
    to_stdout = options.json == _STANDARD_OUTPUT
    console = Console(stderr=to_stdout)
    for table in tables:
        console.print(table)
    if options.html is not None:
        _write_page(options, options.html, tables, plots)
    if options.json is None:
        return
    text = json.dumps(report, indent=2, ensure_ascii=False) + "\n"
    if to_stdout:
        sys.stdout.write(text)
    else:
        _write(options.json, text)


def _write_page(
    options: Options, path: Path, tables: Sequence[RenderableType], plots: Sequence[Plot]
) -> None:
    remarks = [str(item) for item in tables if isinstance(item, (str, Text))]
    page = Page(
        title=f"Benchmark: {options.suite}",
        lead=" · ".join(remarks),
        parts=(*plots, *(_grid(item) for item in tables if isinstance(item, Table))),
    )
    _write(path, render(page))


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error


def _grid(table: Table) -> Grid:
    """A terminal table as one of a page."""
    columns = [[_plain(cell) for cell in column.cells] for column in table.columns]
    heads = tuple(
        _plain(column.header).replace("\n", " ") + ("#" if column.justify == "right" else "")
        for column in table.columns
    )
    return Grid(
        title=_plain(table.title).replace("\n", ", "),
        heads=heads,
        rows=tuple(zip(*columns, strict=True)),
        note=_plain(table.caption),
    )


def _plain(value: object) -> str:
    return "" if value is None else str(value)


def progress(text: str) -> None:
    """Tell on standard error what takes its time."""
    print(f"… {text}", file=sys.stderr, flush=True)
