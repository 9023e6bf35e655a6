"""What Hermes calls for routing, each fault turned into "as if we were not there"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from .events import RequestEvent, ToolCallEvent, TurnEvent
from .features import Feature
from .guard import Guard
from .surfaces import Surfaces

__all__ = ["Callbacks"]


class Callbacks:
    """The hook and the two middlewares; surfaces come first, features listen after them."""

    def __init__(self, guard: Guard, surfaces: Surfaces, features: tuple[Feature, ...]) -> None:
        self._guard = guard
        self._surfaces = surfaces
        self._features = features

    def _narrowed(self, event: RequestEvent, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """The router's own filter first; where it left the request alone, a feature may speak."""
        narrowed = self._surfaces.narrow(event, request)
        for feature in self._features:
            if narrowed is request:
                narrowed = feature.reshape(event, request)
        return narrowed

    def pre_llm_call(self, **kwargs: Any) -> None:
        """A turn begins."""
        event = TurnEvent.read(kwargs)
        self._quietly("pre_llm_call", partial(self._surfaces.begin_turn, event))
        for feature in self._features:
            self._quietly(f"{feature.name}.turn", partial(feature.turn, event))

    def llm_execution(
        self, *, request: Mapping[str, Any], next_call: Callable[[Any], Any], **kwargs: Any
    ) -> Any:
        """A request is sent.

        Only the narrowing is guarded: what ``next_call`` raises is a
        provider's error and belongs to the host.
        """
        event = RequestEvent.read(kwargs)
        narrowed = self._guard.run(
            "llm_execution", lambda: self._narrowed(event, request), lambda: request
        )
        response = next_call(narrowed)
        for feature in self._features:
            self._quietly(f"{feature.name}.response", partial(feature.response, event, response))
        return response

    def tool_request(self, **kwargs: Any) -> None:
        """A tool was called."""
        event = ToolCallEvent.read(kwargs)
        self._quietly("tool_request", partial(self._surfaces.called, event))
        for feature in self._features:
            self._quietly(f"{feature.name}.call", partial(feature.call, event))

    def _quietly(self, site: str, action: Callable[[], None]) -> None:
        self._guard.run(site, action, lambda: None)
