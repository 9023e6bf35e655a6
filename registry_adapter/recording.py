"""What happened to a session, written to the local log without a word of it."""

from __future__ import annotations

import logging

from .guard import Guard
from .places import Place
from .records import DecisionRecord
from .spans import Spans
from .surfaces import Record

__all__ = ["Recorder"]

_log = logging.getLogger(__name__)


class Recorder:
    """Writes decisions to the store, counts the rest, and traces both.

    The trace goes to Hermes' log at DEBUG, and to OpenTelemetry where it is set up.
    """

    def __init__(self, guard: Guard, spans: Spans) -> None:
        self._guard = guard
        self._spans = spans

    def __call__(self, place: Place, event: Record) -> None:
        """Keep one record; a fault in keeping it never reaches the turn."""
        self._guard.run("record", lambda: self._keep(place, event), lambda: None)

    def _keep(self, place: Place, event: Record) -> None:
        _log.debug(
            "tool-router: kind=%s session=%s phase=%s why=%s added=%s shadow=%s tokens=%d/%d",
            event.kind,
            event.session_id,
            event.state.phase.value,
            event.state.why,
            ",".join(event.names),
            event.shadow,
            event.tokens_sent,
            event.tokens_full,
        )
        if not place.settings.telemetry.enabled:
            return
        self._spans.emit(
            event.kind,
            {
                "phase": event.state.phase.value,
                "why": event.state.why,
                "shadow": event.shadow,
                "platform": event.platform,
                "added": len(event.names),
                "tokens_full": event.tokens_full,
                "tokens_sent": event.tokens_sent,
            },
        )
        store = place.store
        counter = f"would_{event.kind}" if event.shadow else event.kind
        later = not event.shadow  # where the surface is kept, it is written next
        if event.decision is None and event.kind not in {"pass", "inherit"}:
            store.count(counter, later=later)
            return
        decision = event.decision
        store.log(
            DecisionRecord(
                session=store.digest(event.session_id),
                message=store.digest(event.message),
                outcome=decision.outcome.value if decision else event.kind,
                grade=decision.grade.value if decision else "",
                tier=decision.tier.value if decision else "",
                reasons=tuple(reason.rule for reason in decision.reasons)
                if decision
                else (event.state.why,),
                toolsets=event.state.toolsets,
                tokens_full=event.tokens_full,
                tokens_sent=event.tokens_sent,
                micros=event.micros,
                platform=event.platform,
                mode="shadow" if event.shadow else "enforce",
                errors=decision.errors if decision else (),
            ),
            counter=counter,
            later=later,
        )
