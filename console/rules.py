"""Build the compiled rule book: ``python -m hermes_tool_router.console.rules``.

The pure packages do no I/O, so the files are read and written here.
"""

from __future__ import annotations

from ..registry_adapter.rule_files import BOOK, build, sources

__all__ = ["BOOK", "build", "main", "sources"]


def main() -> int:
    """Compile the YAML sources and the lexicon into the committed book."""
    data = build()
    BOOK.parent.mkdir(exist_ok=True)
    BOOK.write_bytes(data)
    print(f"{BOOK.name}: {len(data)} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
