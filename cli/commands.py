"""`hermes tool-router …` and `/router`."""

from __future__ import annotations

from typing import Any

__all__ = ["register"]


def register(ctx: Any, runtime: object) -> None:
    """Register the commands in a Hermes plugin context."""
    del ctx, runtime
