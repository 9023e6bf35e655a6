"""Wiring: what Hermes calls, and what each call does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Runtime", "register"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """What one registration made; the commands read it."""


def register(ctx: Any) -> Runtime:
    """Register hooks, middleware and tools in a Hermes plugin context."""
    del ctx
    return Runtime()
