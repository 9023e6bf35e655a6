"""What the policy hook answers where the gate itself cannot be asked."""

from __future__ import annotations

from collections.abc import Callable

from .guard import Guard

__all__ = ["last_resort"]


def last_resort(
    guard: Guard, enforces: Callable[[], bool], *, enforced: bool
) -> dict[str, str] | None:
    """Block where the gate enforces; Hermes lets a call pass where a hook says nothing.

    Args:
        guard: catches what ``enforces`` raises.
        enforces: whether the gate enforces here, as far as the settings say.
        enforced: whether it did when it last judged, for when they cannot be read either.
    """
    if not guard.run("gate.settings", enforces, lambda: enforced):
        return None
    return {
        "action": "block",
        "message": "tool-router could not judge this call and does not let it pass unjudged",
    }
