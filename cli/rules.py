"""``hermes tool-router rules check|build|explain``: the rule book on disk.

The pure packages do no I/O, so reading the YAML sources and writing the
compiled book live here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from ..intent.compile import BookError, compile_book

__all__ = ["BOOK", "build", "sources"]

_INTENT = Path(__file__).resolve().parents[1] / "intent"
BOOK = _INTENT / "data" / "book.bin"
"""The compiled, committed rule book."""
LEXICON = _INTENT / "data" / "lexicon.tsv"
"""The learned table that goes into it."""


def sources(folder: Path = _INTENT / "rules") -> dict[str, dict[str, Any]]:
    """Parsed YAML sources by file name without suffix.

    Raises:
        BookError: a file is not YAML, or not a mapping.
    """
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("*.yaml")):
        try:
            content = yaml.safe_load(path.read_text(encoding="utf-8"))
        except yaml.YAMLError as error:
            raise BookError(f"{path.name}: {error}") from error
        if not isinstance(content, dict):
            raise BookError(f"{path.name}: must be a mapping")
        found[path.stem] = content
    return found


def build(folder: Path = _INTENT / "rules", lexicon: Path = LEXICON) -> bytes:
    """Compile the book from the files on disk."""
    return compile_book(sources(folder), lexicon.read_text(encoding="utf-8"))


if __name__ == "__main__":
    BOOK.parent.mkdir(exist_ok=True)
    BOOK.write_bytes(build())
