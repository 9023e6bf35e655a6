"""Data files that ship with the code, as values.

What reads them is imported where it is first needed: a plugin that decides nothing must not
pay for compiling the patterns of the readers.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..intent.magic import MAGIC as BOOK_MAGIC
from ..router.errors import RuleError

if TYPE_CHECKING:
    from ..intent.followup_table import FollowupTable
    from ..intent.rulebook import RuleBook

__all__ = [
    "ONBOARDING",
    "ROOT",
    "local_head",
    "phrase_table",
    "rule_book",
    "rule_book_problem",
]

ROOT = Path(__file__).resolve().parents[1]
"""The plugin folder, or the installed package."""

ONBOARDING = ROOT / "skills" / "hermes-tool-router-onboarding"
"""The onboarding skill's folder."""


def local_head() -> bytes:
    """The trained head of the embedded encoder.

    Raises:
        OSError: the file cannot be read.
    """
    return (ROOT / "classifier" / "data" / "local_head.npz").read_bytes()


def phrase_table() -> FollowupTable:
    """The compiled phrases of follow-ups and greetings.

    Raises:
        RuleError: the file is missing, damaged or of another version.
    """
    # Imported here: see the docstring of the module.
    from ..intent.followup_table import PhraseError, table_from_bytes  # noqa: PLC0415

    path = ROOT / "intent" / "data" / "phrases.bin"
    try:
        return table_from_bytes(path.read_bytes())
    except (OSError, PhraseError) as error:
        raise RuleError(f"{path}: {error}") from error


def rule_book() -> RuleBook:
    """The compiled rule book.

    Raises:
        RuleError: the file is missing, damaged or of another version.
    """
    from ..intent.load import book_from_bytes  # noqa: PLC0415 - see the docstring

    path = ROOT / "intent" / "data" / "book.bin"
    try:
        return book_from_bytes(path.read_bytes(), phrase_table())
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise RuleError(f"{path}: {error}") from error


def rule_book_problem() -> str:
    """Why no rule book can be there, empty where one seems to be; reads a few bytes only.

    A file that is damaged further in shows when it is first used: then every
    decision is a full one, and the log says why.
    """
    path = ROOT / "intent" / "data" / "book.bin"
    try:
        with path.open("rb") as file:
            begins = file.read(len(BOOK_MAGIC))
    except OSError as error:
        return f"the rule book cannot be read: {error}"
    return "" if begins == BOOK_MAGIC else f"{path} is no compiled rule book of this version"
