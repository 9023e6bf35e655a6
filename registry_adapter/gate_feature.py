"""The risk gate as Hermes sees it.

Shell grammar and rule tables take a tenth of a second to load, so the gate is
made when a call first needs it, and warmed while the first answer of the model
is on its way: not before the first request, whose decision it would slow down.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .events import RequestEvent, ToolCallEvent
from .features import Silent
from .guard import Guard
from .last_resort import last_resort
from .models import Models
from .once import Once
from .places import Place
from .turn_notes import TurnNotes

if TYPE_CHECKING:
    from .gate_log import GateLog
    from .gating import Gate, HostDirective

__all__ = ["GateFeature"]


class GateFeature(Silent):
    """Prepares in ``tool_request``, acts in ``pre_tool_call``, logs in ``post_tool_call``.

    Args:
        guard: turns faults into what is safe.
        places: home, settings and store of the turn that runs now.
        models: ask about calls, where that is on.
        notes: on whose behalf calls are made.
        policy: the ``pre_tool_call`` callback as Hermes holds it.
    """

    name = "gate"

    def __init__(
        self,
        guard: Guard,
        places: Callable[[str], Place],
        models: Models,
        notes: TurnNotes,
        policy: Callable[..., object],
    ) -> None:
        self._guard = guard
        self._places = places
        self._models = models
        self._notes = notes
        self._policy = policy
        self._parts = Once(self._made)

    @property
    def hooks(self) -> Mapping[str, Callable[..., Any]]:
        """The policy hook, and the two that tell how a call ended."""
        return {
            "pre_tool_call": self._judged,
            "post_tool_call": self._ended,
            "post_approval_response": self._answered,
        }

    def sending(self, place: Place) -> None:
        """The gate is made while the first answer of the model is on its way."""
        del place
        self._parts.warm()

    def response(self, event: RequestEvent, response: object, place: Place) -> None:
        """Start asking the model about the calls of a message."""
        if self._models.asks_about_calls(place):
            self._parts()[0].seen_response(event, response, place)

    def call(self, event: ToolCallEvent, place: Place) -> None:
        """Prepare a proposal."""
        self._parts()[0].prepare(event, place)

    def _judged(self, **kwargs: Any) -> HostDirective | None:
        return self._guard.run(
            "pre_tool_call",
            lambda: self._parts()[0].policy(ToolCallEvent.read(kwargs)),
            self._last_resort,
        )

    def _ended(self, **kwargs: Any) -> None:
        self._guard.run("post_tool_call", lambda: self._parts()[1].ended(kwargs), lambda: None)

    def _answered(self, **kwargs: Any) -> None:
        self._guard.run("post_approval", lambda: self._parts()[1].answered(kwargs), lambda: None)

    def _last_resort(self) -> HostDirective | None:
        """When even the settings cannot be read: block where the gate may be enforcing."""
        return last_resort(
            self._guard,
            lambda: self._places("").settings.risk_gate.mode == "enforce",
            enforced=self._notes.enforcing,
        )

    def _made(self) -> tuple[Gate, GateLog]:
        # Imported here, see the module docstring.
        from ..intent.followups import recognise  # noqa: PLC0415
        from .attendance import attendance, has_later_policy_hook  # noqa: PLC0415
        from .gate_log import GateLog  # noqa: PLC0415
        from .gating import Gate  # noqa: PLC0415
        from .resources import phrase_table  # noqa: PLC0415

        phrases = Once(phrase_table)
        log = GateLog()
        gate = Gate(
            places=self._places,
            guard=self._guard,
            attendance=lambda session, platform: attendance(session_id=session, platform=platform),
            later_hook=lambda: has_later_policy_hook(self._policy),
            judge=self._models.call_judge,
            ambiguous=lambda text: recognise(text, phrases()).is_follow_up,
            shown=lambda text, limit: self._models.sanitizer.for_display(text, max_chars=limit),
            log=log,
            notes=self._notes,
        )
        return gate, log
