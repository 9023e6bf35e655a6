"""The committed figures of the demo, and the README's table of them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["README", "RESULT", "markdown", "refreshed", "write"]

_ROOT = Path(__file__).resolve().parents[1]
RESULT = _ROOT / "benchmarks" / "results" / "demo.json"
README = _ROOT / "README.md"
_BLOCK = re.compile(r"(<!-- table: benchmarks/results/demo\.json -->\n).*?(<!-- /table -->)", re.S)


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


def refreshed(readme: str, report: Mapping[str, Any]) -> str:
    """The README's text with the table of ``report``.

    Raises:
        ValueError: the README has no place for it.
    """
    text, count = _BLOCK.subn(lambda found: found[1] + markdown(report) + found[2], readme)
    if count != 1:
        raise ValueError(f"README.md needs one block of {_BLOCK.pattern!r}, it has {count}")
    return text


def write(report: Mapping[str, Any]) -> None:
    """Commit a report to the tree: the JSON, and the README's table of it."""
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    README.write_text(refreshed(README.read_text(encoding="utf-8"), report), encoding="utf-8")
