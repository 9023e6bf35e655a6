"""registry_adapter.spans: OpenTelemetry where somebody set it up, nothing elsewhere."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import runpy, sys
runpy.run_path({checkout!r})["mount"]()
from hermes_tool_router.registry_adapter.spans import Spans
{before}
Spans().emit("decision", {{"phase": "narrowed", "tokens_sent": 12, "shadow": False}})
print("opentelemetry.trace" in sys.modules)
{after}
"""


def _run(before: str, after: str = "") -> list[str]:
    from hermes_tool_router.registry_adapter.resources import ROOT

    code = CODE.format(checkout=str(ROOT / "_checkout.py"), before=before, after=after)
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.split()


def test_nothing_is_imported_where_nobody_set_it_up() -> None:
    """A plugin must not load a telemetry stack on its own."""
    assert _run("") == ["False"]


def test_events_become_spans_through_the_api() -> None:
    """Whoever sets a provider gets one span per event, with names and numbers only."""
    before = """
from opentelemetry import trace
class Span(trace.NonRecordingSpan):
    pass
class Tracer(trace.NoOpTracer):
    def start_as_current_span(self, name, *args, attributes=None, **kwargs):
        print(name, ",".join(f"{k}={v}" for k, v in sorted(attributes.items())))
        return super().start_as_current_span(name, *args, **kwargs)
class Provider(trace.NoOpTracerProvider):
    def get_tracer(self, *args, **kwargs):
        return Tracer()
trace.set_tracer_provider(Provider())
"""

    assert _run(before) == [
        "tool_router.decision",
        "tool_router.phase=narrowed,tool_router.shadow=False,tool_router.tokens_sent=12",
        "True",
    ]
