"""Deterministic-first tool router for Hermes Agent.

Hermes imports this file as a plugin package, so nothing of ours is imported
at module level: pytest imports it without a parent package, and a disabled
plugin must cost nothing.
"""

from __future__ import annotations

from typing import Any

__all__ = ["register"]


def register(ctx: Any) -> None:
    """Wire the router into a Hermes plugin context.

    Never raises: what cannot be wired is reported in Hermes' log and by
    ``diagnostics.py``, and Hermes goes on with the full tool surface.
    """
    # Imported here, see the module docstring.
    from .console import commands  # noqa: PLC0415
    from .registry_adapter import plugin  # noqa: PLC0415

    runtime = plugin.register(ctx)
    commands.register(ctx, runtime)
