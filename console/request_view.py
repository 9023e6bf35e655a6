"""``hermes tool-router explain "PROMPT" --show-request``: what would leave the machine."""

from __future__ import annotations

import json

from ..registry_adapter.plugin import Runtime
from .explain import decide
from .output import Output

__all__ = ["show"]


def show(runtime: Runtime, prompt: str, platform: str, out: Output) -> int:
    """Print the requests of the network tier for a first message; sends nothing.

    Returns:
        0, also where nothing would be sent.

    Raises:
        HostError: Hermes cannot say which tools the platform is granted.
        ClassifierError: the tier is set up in a way that forbids sending; the
            message says what to change.
    """
    decision, catalog = decide(runtime, prompt, platform, ask_network=False)
    requests = runtime.models.requests(prompt, catalog, runtime.places(platform))
    asked = bool(requests) and decision.undecided
    if out.as_json:
        rows = [
            {
                "method": request.method,
                "url": request.url,
                "headers": dict(request.headers),
                "body": request.body,
            }
            for request in requests or ()
        ]
        out.value({"enabled": requests is not None, "asked": asked, "requests": rows})
        return 0
    if requests is None:
        out.line("nothing is sent: no network tier is enabled")
        return 0
    if asked:
        out.line("this message would be sent to a network tier:", bold=True)
    elif requests:
        out.line("this message would not be sent: the tiers before decide it", bold=True)
        out.line("if they did not, the request would be:")
    else:
        out.line("this message is not sent: it is too long to be shown whole", bold=True)
    for request in requests:
        out.line()
        out.verbatim(f"{request.method} {request.url}")
        for name, value in request.headers.items():
            out.verbatim(f"{name}: {value}")
        out.line()
        out.verbatim(json.dumps(json.loads(request.body), indent=2))
    return 0
