"""Build the sanitizer's compiled patterns: ``python -m hermes_tool_router.console.patterns``.

The YAML files of ``sanitizer/data/patterns`` are the source; the compiled form is
committed beside them, because a folder install has no build step.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ..sanitizer.book import compiled

__all__ = ["SOURCES", "TABLE", "build", "main", "sources"]

_DATA = Path(__file__).resolve().parents[1] / "sanitizer" / "data"
TABLE = _DATA / "patterns.json"
SOURCES = ("vendors.yaml", "contexts.yaml", "labels.yaml", "commands.yaml")
"""In the order in which shapes are tried."""


def sources() -> dict[str, str]:
    """Return file name to YAML text."""
    return {name: (_DATA / "patterns" / name).read_text(encoding="utf-8") for name in SOURCES}


def build() -> bytes:
    """Return what the sources compile to."""
    return compiled(sources())


def main() -> int:
    """Write the compiled form."""
    data = build()
    TABLE.write_bytes(data)
    print(f"{TABLE.name}: {len(data):,} bytes", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
