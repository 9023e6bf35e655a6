"""What is layered on routing: each feature listens, and may have hooks of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from .events import RequestEvent, ToolCallEvent, TurnEvent
from .places import Place

__all__ = ["Feature", "Silent"]


class Feature(Protocol):
    """A module beside routing; every call names the place of the running turn."""

    name: str
    """For the guard's log."""

    @property
    def hooks(self) -> Mapping[str, Callable[..., Any]]:
        """Callbacks of its own by the hook that calls them, as :mod:`.plugin` registers them."""
        ...

    def turn(self, event: TurnEvent, place: Place) -> None:
        """A turn begins."""

    def sending(self, place: Place) -> None:
        """A request is about to be sent: time for what takes a while and is needed later."""

    def response(self, event: RequestEvent, response: object, place: Place) -> None:
        """The model has answered a request."""

    def reshape(
        self, event: RequestEvent, request: Mapping[str, Any], place: Place
    ) -> Mapping[str, Any]:
        """A request that routing left alone; returns it, or a new one."""
        ...

    def call(self, event: ToolCallEvent, place: Place) -> None:
        """A call is about to be checked by the policy hooks."""


class Silent:
    """A feature that listens to nothing; others override what they need."""

    name = "silent"

    @property
    def hooks(self) -> Mapping[str, Callable[..., Any]]:
        """None."""
        return {}

    def turn(self, event: TurnEvent, place: Place) -> None:
        """Nothing."""

    def sending(self, place: Place) -> None:
        """Nothing."""

    def response(self, event: RequestEvent, response: object, place: Place) -> None:
        """Nothing."""

    def reshape(
        self, event: RequestEvent, request: Mapping[str, Any], place: Place
    ) -> Mapping[str, Any]:
        """The request as it is."""
        del event, place
        return request

    def call(self, event: ToolCallEvent, place: Place) -> None:
        """Nothing."""
