"""What is layered on routing: each feature listens, and brings hooks of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from .events import RequestEvent, ToolCallEvent, TurnEvent

__all__ = ["Feature", "Hook", "Silent"]

Hook = Callable[..., Any]


class Feature(Protocol):
    """A module beside routing."""

    name: str
    """For the guard's log."""

    @property
    def hooks(self) -> Mapping[str, Hook]:
        """Hooks of its own, by the host's name."""
        ...

    def turn(self, event: TurnEvent) -> None:
        """A turn begins."""

    def response(self, event: RequestEvent, response: object) -> None:
        """The model has answered a request."""

    def call(self, event: ToolCallEvent) -> None:
        """A call is about to be checked by the policy hooks."""


class Silent:
    """A feature that listens to nothing; others override what they need."""

    name = "silent"

    @property
    def hooks(self) -> Mapping[str, Hook]:
        """None."""
        return {}

    def turn(self, event: TurnEvent) -> None:
        """Nothing."""

    def response(self, event: RequestEvent, response: object) -> None:
        """Nothing."""

    def call(self, event: ToolCallEvent) -> None:
        """Nothing."""
