"""What Hermes calls for routing, each fault turned into "as if we were not there"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from .events import RequestEvent, ToolCallEvent, TurnEvent
from .features import Feature, Silent
from .guard import Guard
from .places import Place
from .surfaces import Surfaces
from .turn_notes import TurnNotes

__all__ = ["Callbacks"]


class Callbacks:
    """The hook and the two middlewares; surfaces come first, features listen after them.

    The place is looked up once a call, for everybody.

    Args:
        guard: turns faults into "nothing happened".
        places: home, settings and store of the turn that runs now, by platform.
        notes: told of every turn; says on which platform a session runs.
        surfaces: routing.
        features: what is layered on it.
    """

    def __init__(
        self,
        guard: Guard,
        places: Callable[[str], Place],
        notes: TurnNotes,
        surfaces: Surfaces,
        features: tuple[Feature, ...],
    ) -> None:
        self._guard = guard
        self._places = places
        self._notes = notes
        self._surfaces = surfaces
        self._turn = _listening(features, "turn")
        self._sending = _listening(features, "sending")
        self._response = _listening(features, "response")
        self._reshape = _listening(features, "reshape")
        self._call = _listening(features, "call")

    def pre_llm_call(self, **kwargs: Any) -> None:
        """A turn begins."""
        event = TurnEvent.read(kwargs)
        self._notes.begin(event)
        place = self._place(event.platform)
        if place is None:
            return
        self._quietly("pre_llm_call", partial(self._surfaces.begin_turn, event, place))
        for feature in self._turn:
            self._quietly(f"{feature.name}.turn", partial(feature.turn, event, place))

    def llm_execution(
        self, *, request: Mapping[str, Any], next_call: Callable[[Any], Any], **kwargs: Any
    ) -> Any:
        """A request is sent.

        Only the narrowing is guarded: what ``next_call`` raises is a
        provider's error and belongs to the host.
        """
        event = RequestEvent.read(kwargs)
        place = self._place(event.platform)
        if place is None:
            return next_call(request)
        narrowed = self._guard.run(
            "llm_execution", lambda: self._narrowed(event, request, place), lambda: request
        )
        for feature in self._sending:
            self._quietly(f"{feature.name}.sending", partial(feature.sending, place))
        response = next_call(narrowed)
        for feature in self._response:
            self._quietly(
                f"{feature.name}.response", partial(feature.response, event, response, place)
            )
        return response

    def tool_request(self, **kwargs: Any) -> None:
        """A tool was called."""
        event = ToolCallEvent.read(kwargs)
        place = self._place(self._notes.of(event.session_id).platform)
        if place is None:
            return
        self._quietly("tool_request", partial(self._surfaces.called, event, place))
        for feature in self._call:
            self._quietly(f"{feature.name}.call", partial(feature.call, event, place))

    def _narrowed(
        self, event: RequestEvent, request: Mapping[str, Any], place: Place
    ) -> Mapping[str, Any]:
        """The router's own filter first; where it left the request alone, a feature may speak."""
        narrowed = self._surfaces.narrow(event, request, place)
        for feature in self._reshape:
            if narrowed is request:
                narrowed = feature.reshape(event, request, place)
        return narrowed

    def _place(self, platform: str) -> Place | None:
        return self._guard.run("place", partial(self._places, platform), lambda: None)

    def _quietly(self, site: str, action: Callable[[], None]) -> None:
        self._guard.run(site, action, lambda: None)


def _listening(features: tuple[Feature, ...], name: str) -> tuple[Feature, ...]:
    """Those that do something when ``name`` is called: all but what they have from Silent."""
    silent = getattr(Silent, name)
    return tuple(each for each in features if getattr(type(each), name) is not silent)
