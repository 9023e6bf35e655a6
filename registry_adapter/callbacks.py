"""What Hermes calls for routing, each fault turned into "as if we were not there"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .events import RequestEvent, ToolCallEvent, TurnEvent
from .features import Feature, Silent
from .guard import Guard
from .places import Place, Places
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
        places: Places,
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
        self._reshape = [feature.reshape for feature in features if _overrides(feature, "reshape")]
        self._call = _listening(features, "call")

    def pre_llm_call(self, kwargs: Mapping[str, object]) -> None:
        """A turn begins."""
        event = TurnEvent.read(kwargs)
        note = self._notes.begin(event)
        place = self._place(event.platform)
        if place is None:
            return
        if event.turn_id:
            note.place = place
        self._guard.call("pre_llm_call", None, self._surfaces.begin_turn, event, place)
        for site, turn in self._turn:
            self._guard.call(site, None, turn, event, place)

    def llm_execution(
        self,
        request: Mapping[str, Any],
        next_call: Callable[[Any], Any],
        kwargs: Mapping[str, object],
    ) -> Any:
        """A request is sent.

        Only the narrowing is guarded: what ``next_call`` raises is a
        provider's error and belongs to the host.
        """
        event = RequestEvent.read(kwargs)
        place = self._place_of(event)
        if place is None:
            return next_call(request)
        narrowed = self._guard.call("llm_execution", request, self._narrowed, event, request, place)
        for site, sending in self._sending:
            self._guard.call(site, None, sending, place)
        response = next_call(narrowed)
        for site, heard in self._response:
            self._guard.call(site, None, heard, event, response, place)
        return response

    def tool_request(self, kwargs: Mapping[str, object]) -> None:
        """A tool was called."""
        event = ToolCallEvent.read(kwargs)
        note = self._notes.of(event.session_id)
        place = self._place_in(note.place if note.turn_id == event.turn_id else None, note.platform)
        if place is None:
            return
        self._guard.call("tool_request", None, self._surfaces.called, event, place)
        for site, call in self._call:
            self._guard.call(site, None, call, event, place)

    def _narrowed(
        self, event: RequestEvent, request: Mapping[str, Any], place: Place
    ) -> Mapping[str, Any]:
        """The router's own filter first; where it left the request alone, a feature may speak."""
        narrowed = self._surfaces.narrow(event, request, place)
        for reshape in self._reshape:
            if narrowed is request:
                narrowed = reshape(event, request, place)
        return narrowed

    def _place_of(self, event: RequestEvent) -> Place | None:
        """The place of a request: for a turn's first one that in which the turn began.

        For later ones the settings are looked at anew, so that a change holds from the next
        request on.  The home is the turn's: the host switches it per turn (gateway/run.py:18768),
        and the id of a turn is no other's (agent/turn_context.py:370).
        """
        note = self._notes.of(event.session_id)
        began = note.place if note.turn_id == event.turn_id else None
        if began is not None and note.fresh and note.platform == event.platform:
            note.fresh = False
            return began
        return self._place_in(began, event.platform)

    def _place_in(self, began: Place | None, platform: str) -> Place | None:
        """What holds now in the home that a turn began in; ``None``: in the one that runs now."""
        if began is None:
            return self._place(platform)
        return self._guard.call("place", None, self._places.at, began.home, platform)

    def _place(self, platform: str) -> Place | None:
        return self._guard.call("place", None, self._places, platform)


def _listening(
    features: tuple[Feature, ...], name: str
) -> tuple[tuple[str, Callable[..., None]], ...]:
    """Name for the guard and method of those that do something when ``name`` is called."""
    return tuple(
        (f"{each.name}.{name}", getattr(each, name)) for each in features if _overrides(each, name)
    )


def _overrides(feature: Feature, name: str) -> bool:
    """Whether a feature has more than what it has from Silent."""
    return getattr(type(feature), name) is not getattr(Silent, name)
