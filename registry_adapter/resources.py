"""Data files that ship with the code, as values."""

from __future__ import annotations

from pathlib import Path

from ..intent.load import book_from_bytes
from ..intent.rulebook import RuleBook
from ..sanitizer import PatternTable, table_from_bytes

__all__ = ["ONBOARDING", "ROOT", "rule_book", "secret_patterns"]

ROOT = Path(__file__).resolve().parents[1]
"""The plugin folder, or the installed package."""

ONBOARDING = ROOT / "skills" / "hermes-tool-router-onboarding"
"""The onboarding skill's folder."""


def rule_book() -> RuleBook:
    """The compiled rule book.

    Raises:
        RuleError: the file is not a rule book of this version.
        OSError: the file cannot be read.
    """
    return book_from_bytes((ROOT / "intent" / "data" / "book.bin").read_bytes())


def secret_patterns() -> PatternTable:
    """The compiled table of secret patterns.

    Raises:
        PatternError: the file is not a table of this version.
        OSError: the file cannot be read.
    """
    return table_from_bytes((ROOT / "sanitizer" / "data" / "patterns.json").read_bytes())
