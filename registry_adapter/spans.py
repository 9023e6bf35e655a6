"""Decisions, recoveries and verdicts as OpenTelemetry spans and counters, without content.

The API that Hermes ships does nothing until somebody installs an SDK, and
whoever does has imported it: where it is not loaded, nothing is imported here.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

__all__ = ["NAME", "Spans"]

NAME = "hermes-tool-router"
_API = "opentelemetry.trace"

Value = str | int | float | bool


class Spans:
    """Emits one span and counts once per event.  Never imports what is not loaded."""

    def __init__(self) -> None:
        self._counters: dict[str, Any] = {}

    def emit(self, event: str, attributes: Mapping[str, Value]) -> None:
        """Emit ``tool_router.EVENT``.

        Args:
            event: ``decision``, ``recovery``, ``verdict`` …
            attributes: names of rules and toolsets, numbers and flags; never user text.
        """
        if _API not in sys.modules:
            return
        from opentelemetry import trace  # noqa: PLC0415 - only where somebody loaded it

        keyed = {f"tool_router.{key}": value for key, value in attributes.items()}
        tracer = trace.get_tracer(NAME)
        with tracer.start_as_current_span(f"tool_router.{event}", attributes=keyed):
            self._count(event, attributes)

    def _count(self, event: str, attributes: Mapping[str, Value]) -> None:
        from opentelemetry import metrics  # noqa: PLC0415 - only where somebody loaded it

        counter = self._counters.get(event)
        if counter is None:
            meter = metrics.get_meter(NAME)
            counter = self._counters[event] = meter.create_counter(
                f"tool_router.{event}", description=f"number of {event} events"
            )
        kinds = {key: value for key, value in attributes.items() if isinstance(value, str | bool)}
        counter.add(1, kinds)
        for key, value in attributes.items():
            if key.startswith("tokens_") and isinstance(value, int):
                self._total(f"tool_router.{key}").add(value, kinds)

    def _total(self, name: str) -> Any:
        from opentelemetry import metrics  # noqa: PLC0415 - only where somebody loaded it

        if name not in self._counters:
            self._counters[name] = metrics.get_meter(NAME).create_counter(name, unit="tokens")
        return self._counters[name]
