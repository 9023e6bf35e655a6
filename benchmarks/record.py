"""The committed figures of the demo, and documents that hold tables of committed figures."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["README", "RESULT", "markdown", "placed", "refreshed", "save", "write"]

_ROOT = Path(__file__).resolve().parents[1]
RESULT = _ROOT / "benchmarks" / "results" / "demo.json"
README = _ROOT / "README.md"


def markdown(report: Mapping[str, Any]) -> str:
    """The table of a demo report, as Markdown, one row a turn."""
    rows = [
        "| turn | tools | tool bytes | tokens sent | saved | recovered |",
        "|---|--:|--:|--:|--:|---|",
    ]
    for turn in report["stock_then_routed"]:
        tools, size, tokens = (turn[key] for key in ("tools", "tool_bytes", "tokens"))
        rows.append(
            f"| {turn['turn']} | {tools[0]} → {tools[1]} | {size[0]:,} → {size[1]:,} "
            f"| {tokens[0]:,} → {tokens[1]:,} | {1 - tokens[1] / tokens[0]:.0%} "
            f"| {', '.join(turn['recovered'])} |"
        )
    return "\n".join(rows) + "\n"


def placed(document: str, result: Path, table: str) -> str:
    """A document's text with ``table`` between its marks.

    Args:
        document: the text; ``<!-- table: PATH -->`` and ``<!-- /table -->`` mark the place.
        result: the committed figures that the mark names.
        table: Markdown that ends with a newline.

    Raises:
        ValueError: the document does not have exactly one such place.
    """
    mark = f"<!-- table: {result.relative_to(_ROOT).as_posix()} -->"
    block = re.compile(f"({re.escape(mark)}\n).*?(<!-- /table -->)", re.DOTALL)
    text, count = block.subn(lambda found: found[1] + table + found[2], document)
    if count != 1:
        raise ValueError(f"the document needs one {mark!r}, it has {count}")
    return text


def refreshed(readme: str, report: Mapping[str, Any]) -> str:
    """The README's text with the table of ``report``.

    Raises:
        ValueError: the README has no place for it.
    """
    return placed(readme, RESULT, markdown(report))


def save(result: Path, report: Mapping[str, Any], document: Path, table: str) -> None:
    """Commit a report to the tree: the JSON, and a document's table of it."""
    result.parent.mkdir(exist_ok=True)
    result.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    text = document.read_text(encoding="utf-8")
    document.write_text(placed(text, result, table), encoding="utf-8")


def write(report: Mapping[str, Any]) -> None:
    """Commit a demo report to the tree, and the README's table of it."""
    save(RESULT, report, README, markdown(report))
