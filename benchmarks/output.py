"""Where a suite's results go."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console, RenderableType

from .options import Options

__all__ = ["emit", "progress"]

_STANDARD_OUTPUT = Path("-")


def emit(options: Options, report: Mapping[str, Any], tables: Sequence[RenderableType]) -> None:
    """Print the tables and write the JSON report where the options say.

    With ``--json -`` standard output holds the JSON alone, and the tables go to
    standard error.
    """
    to_stdout = options.json == _STANDARD_OUTPUT
    console = Console(stderr=to_stdout)
    for table in tables:
        console.print(table)
    if options.json is None:
        return
    text = json.dumps(report, indent=2, ensure_ascii=False) + "\n"
    if to_stdout:
        sys.stdout.write(text)
    else:
        options.json.write_text(text, encoding="utf-8")


def progress(text: str) -> None:
    """Tell on standard error what takes its time."""
    print(f"… {text}", file=sys.stderr, flush=True)
