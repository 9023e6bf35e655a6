"""Where a command stands while a script is walked, and how much work is left."""

from __future__ import annotations

from dataclasses import dataclass

from .values import Redirect

__all__ = ["Budget", "Frame"]

MAX_COMMANDS = 1_500
"""Commands of one call, children included, that are looked at."""


@dataclass(slots=True)
class Budget:
    """Work that is left for one call, shared by all the scripts in it."""

    commands: int = MAX_COMMANDS
    scripts: int = 64
    depth: int = 0

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
