"""First messages that the measurements send."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["OPENERS", "Opener"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opener:
    """One first message.

    Attributes:
        id: short name, for tables.
        text: what the user says.
        share: most of the stock tool bytes that it may send, 0 to 1; ``None``: no promise.
        needs: tools that must be visible at once.
    """

    id: str
    text: str
    share: float | None = None
    needs: frozenset[str] = frozenset()


OPENERS = (
    Opener(
        id="question", text="What is the difference between a mutex and a semaphore?", share=0.25
    ),
    Opener(
        id="coding",
        text="Fix the failing test in tests/test_parser.py and run pytest until it passes.",
        share=0.5,
        needs=frozenset({"terminal", "read_file", "patch"}),
    ),
    Opener(
        id="web",
        text="Search the web for the release date of Python 3.15 and give me the source.",
        share=0.3,
        needs=frozenset({"web_search"}),
    ),
    Opener(
        id="spanish",
        text="Busca en mis archivos del proyecto dónde se define la clase Invoice "
        "y cámbiale el nombre a Bill.",
        share=0.5,
        needs=frozenset({"search_files", "patch"}),
    ),
)
"""The four kinds of issue-level promise: no tool, file and terminal, web, Spanish files."""
