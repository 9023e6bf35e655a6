"""What the routing suites share: cases, surfaces as catalogs, predictions."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..intent.rulebook import RuleBook
from ..registry_adapter.resources import rule_book
from ..router.values import Catalog, Origin, ToolName, Toolset, ToolsetName, ToolSpec
from .options import UsageError

__all__ = [
    "FLOOR",
    "SENDING",
    "SURFACE",
    "Case",
    "book",
    "catalog",
    "prompt_of",
    "read_cases",
    "surface",
    "write_rows",
]

Case = dict[str, Any]
HERE = Path(__file__).resolve().parent
SURFACE = HERE / "data" / "reference_surface.json"
"""o200k tokens of the real hermes-agent 0.19.0 schemas, a toolset each."""
SENDING = HERE / "data" / "messaging_surface.json"
"""The reference surface and ``messaging``, 505 tokens: the schema of ``send_message`` in 0.19.0,
which registers it no more for the model; older hosts, and servers of the kind, do."""
FLOOR = frozenset(ToolsetName(name) for name in ("memory", "skills", "clarify"))
"""Design D3."""


def read_cases(path: Path) -> list[Case]:
    """Read JSON Lines, plain or ``.gz``.

    Raises:
        UsageError: the file is missing or empty, or a line is not a JSON object with an id.
    """
    opener = gzip.open if path.suffix == ".gz" else open
    rows: list[Case] = []
    try:
        with opener(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    row = json.loads(line)
                    if not isinstance(row, dict) or "id" not in row:
                        raise UsageError(f"{path}:{number}: expected an object with an id")
                    rows.append(row)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(f"{path}: not JSON Lines: {error}") from error
    if not rows:
        raise UsageError(f"{path} holds no case")
    return rows


def prompt_of(case: Case) -> str:
    """The message of a case.

    Raises:
        UsageError: it has none.
    """
    prompt = case.get("prompt")
    if not isinstance(prompt, str):
        raise UsageError(f"case {case['id']!r}: 'prompt' must be a text, not {prompt!r}")
    return prompt


def surface(path: Path | None) -> dict[str, int]:
    """Toolset names and their tokens."""
    source = path or SURFACE
    try:
        return {str(k): int(v) for k, v in json.loads(source.read_text(encoding="utf-8")).items()}
    except (OSError, ValueError, AttributeError) as error:
        raise UsageError(f"cannot read the surface {source}: {error}") from error


def catalog(costs: Mapping[str, int], servers: Sequence[str] = (), cost: int = 800) -> Catalog:
    """A surface as a catalog, one tool a toolset; MCP servers have only their name."""
    rows = [(name, tokens, Origin.BUILTIN) for name, tokens in costs.items()]
    rows += [(f"mcp-{server}", cost, Origin.MCP) for server in servers]
    return Catalog(
        toolsets=tuple(_toolset(ToolsetName(n), tokens, origin) for n, tokens, origin in rows),
        order=tuple(ToolName(name) for name, _, _ in rows),
    )


def _toolset(name: ToolsetName, tokens: int, origin: Origin) -> Toolset:
    tool = ToolSpec(name=ToolName(name), toolset=name, description="", tokens=tokens)
    return Toolset(name=name, origin=origin, description="", tools=(tool,))


def book() -> RuleBook:
    """The committed rule book."""
    return rule_book()


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write JSON Lines."""
    with path.open("w", encoding="utf-8") as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
