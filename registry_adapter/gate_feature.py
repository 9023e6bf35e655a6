"""The risk gate as Hermes sees it."""

from __future__ import annotations

from functools import cache
from typing import Any

from ..intent.followups import recognise
from .attendance import attendance, has_later_policy_hook
from .events import RequestEvent, ToolCallEvent, TurnEvent
from .features import Silent
from .gate_log import GateLog
from .gating import Gate, HostDirective
from .guard import Guard
from .models import Models
from .places import Places
from .resources import phrase_table

__all__ = ["GateFeature"]


class GateFeature(Silent):
    """Prepares in ``tool_request``, acts in ``pre_tool_call``, logs in ``post_tool_call``."""

    name = "gate"

    def __init__(self, guard: Guard, places: Places, models: Models) -> None:
        self._guard = guard
        self._log = GateLog()
        phrases = cache(phrase_table)  # some fifty thousand; read when a message is first asked of

        def later_hook() -> bool:
            return has_later_policy_hook(self._policy)

        self._gate = Gate(
            places=places,
            guard=guard,
            attendance=lambda session, platform: attendance(session_id=session, platform=platform),
            later_hook=later_hook,
            judge=models.call_judge,
            ambiguous=lambda text: recognise(text, phrases()).is_follow_up,
            shown=lambda text, limit: models.sanitizer.for_display(text, max_chars=limit),
            log=self._log,
        )

        def pre_tool_call(**kwargs: Any) -> HostDirective | None:
            return guard.run(
                "pre_tool_call",
                lambda: self._gate.policy(ToolCallEvent.read(kwargs)),
                self._gate.last_resort,
            )

        self._policy = pre_tool_call

    def register(self, ctx: Any) -> tuple[str, ...]:
        """The policy hook, and the two that tell how a call ended."""
        ctx.register_hook("pre_tool_call", self._policy)
        ctx.register_hook("post_tool_call", self._ended)
        ctx.register_hook("post_approval_response", self._answered)
        return "pre_tool_call", "post_tool_call", "post_approval_response"

    def turn(self, event: TurnEvent) -> None:
        """Remember on whose behalf calls are made."""
        self._gate.begin_turn(event)

    def response(self, event: RequestEvent, response: object) -> None:
        """Start asking the model about the calls of a message."""
        self._gate.seen_response(event, response)

    def call(self, event: ToolCallEvent) -> None:
        """Prepare a proposal."""
        self._gate.prepare(event)

    def _ended(self, **kwargs: Any) -> None:
        self._guard.run("post_tool_call", lambda: self._log.ended(kwargs), lambda: None)

    def _answered(self, **kwargs: Any) -> None:
        self._guard.run("post_approval", lambda: self._log.answered(kwargs), lambda: None)
