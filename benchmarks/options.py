"""What every suite is given."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["Options", "UsageError"]


class UsageError(Exception):
    """The command line or a cases file is wrong; the message says what is allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Parsed command line.

    Attributes:
        cases: JSON Lines file, ``.gz`` or plain; ``None``: the authored cases.
        predictions: where one prediction a case goes, as JSON Lines.
        json: where the report goes as JSON; ``Path("-")`` is standard output.
        tier: which tiers speak, such as ``rules``, ``local``, ``rules+local``.
        surface: toolset names and their tokens; ``None``: the committed copy.
        html: where the report goes as a page.
        update: write the committed baseline instead of comparing with it.
    """

    suite: str
    cases: Path | None = None
    predictions: Path | None = None
    json: Path | None = None
    tier: str = "rules"
    surface: Path | None = None
    html: Path | None = None
    update: bool = False
