"""What the host calls when the model uses a tool of ours."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..recovery.schema import NAME as REQUEST_TOOL
from .guard import Guard

if TYPE_CHECKING:
    from .assembly import Parts
    from .surfaces import Surfaces

__all__ = ["Handler", "jev_ask_handler", "jev_ask_schema", "request_handler"]

Handler = Callable[..., str]
"""``handler(args, **kwargs)``: the host passes task and session ids as keywords."""


def request_handler(guard: Guard, surfaces: Callable[[], Surfaces]) -> Handler:
    """The handler of ``request_toolset``.  Never raises."""

    def handler(args: object = None, **kwargs: Any) -> str:
        payload = guard.run(
            REQUEST_TOOL,
            lambda: surfaces().asked(_session(kwargs), args if isinstance(args, Mapping) else {}),
            lambda: {
                "success": False,
                "error": "the request could not be handled; call the tool that you need by name",
            },
        )
        return json.dumps(payload, ensure_ascii=False)

    return handler


def jev_ask_schema() -> dict[str, Any]:
    """The schema of ``jev_ask``."""
    from ..classifier.jev_ask import schema  # noqa: PLC0415 - loads an HTTP stack

    return schema()


def jev_ask_handler(guard: Guard, parts: Callable[[], Parts]) -> Handler:
    """The handler of ``jev_ask``.  Never raises."""

    def run(args: object, session: str) -> Mapping[str, object]:
        from .models import jev_ask_payload  # noqa: PLC0415 - only where it is called

        models, place = parts().models, parts().places("")
        clients = models.at(place)
        if clients is None or not place.settings.jev_ask.enabled:
            return {"error": "disabled", "note": "jev_ask is switched off; decide without it"}
        return jev_ask_payload(clients, place.settings, session, args)

    def handler(args: object = None, **kwargs: Any) -> str:
        payload = guard.run(
            "jev_ask",
            lambda: run(args, _session(kwargs)),
            lambda: {"error": "error", "note": "the question could not be asked; decide without"},
        )
        return json.dumps(payload, ensure_ascii=False)

    return handler


def _session(kwargs: Mapping[str, Any]) -> str:
    session_id = kwargs.get("session_id")
    return session_id if isinstance(session_id, str) else ""
