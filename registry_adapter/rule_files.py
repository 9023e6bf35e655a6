"""The rule book on disk: the compiled file, and the sources that it is built from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from ..intent.compile import BookError, compile_book

__all__ = ["BOOK", "LEXICON", "RULES", "build", "sources"]

_INTENT = Path(__file__).resolve().parents[1] / "intent"
BOOK = _INTENT / "data" / "book.bin"
"""The compiled, committed rule book."""
LEXICON = _INTENT / "data" / "lexicon.tsv"
"""The learned table that goes into it."""
RULES = _INTENT / "rules"
"""The YAML sources."""


def sources(folder: Path = RULES) -> dict[str, dict[str, Any]]:
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


def build(folder: Path = RULES, lexicon: Path = LEXICON) -> bytes:
    """Compile the book from the files on disk.

    Raises:
        BookError: a source does not validate.
    """
    return compile_book(sources(folder), lexicon.read_text(encoding="utf-8"))
