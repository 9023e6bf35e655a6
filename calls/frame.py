"""Where a command stands while a script is walked, and how much work is left."""

from __future__ import annotations

from dataclasses import dataclass

from .values import Redirect

__all__ = ["Budget", "Frame"]

MAX_COMMANDS = 300
"""Commands of one call, children included, that are looked at; more is never clear."""


MAX_ROUNDS = 8
"""Values of a ``for`` loop that are tried one by one; the rest share one unresolved value."""
MAX_CALLS = 8
"""Nesting of function calls that is followed."""
MAX_STEPS = 4_000
"""Visits to nodes of the tree."""


@dataclass(slots=True)
class Budget:
    """Work that is left for one call, shared by all the scripts in it."""

    commands: int = MAX_COMMANDS
    steps: int = MAX_STEPS
    scripts: int = 64
    depth: int = 0

    def step(self) -> bool:
        """Spend one node of the tree; loops in loops visit theirs again and again."""
        self.steps -= 1
        return self.steps >= 0 and self.commands >= 0

    def take(self) -> bool:
        """Spend one command."""
        self.commands -= 1
        return self.commands >= 0


@dataclass(frozen=True, slots=True)
class Frame:
    """Where a node stands."""

    zero: bool = True
    failure: bool = True
    background: bool = False
    operator: str = ""
    pipeline: int = -1
    position: int = 0
    length: int = 1
    stdin_from: tuple[int, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    function: str = ""
