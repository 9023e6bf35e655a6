"""First requests of real Hermes, answered by a real model, and nothing executed.

Hermes talks to a loopback server of ours.  The server sends the first request
of each session on to the endpoint, notes what the model answered, and tells
Hermes a plain text: so a model may call whatever it likes, and no tool runs.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

from ..probe.script import Request, Step, say
from .live_endpoint import Caller, TroubleError

__all__ = ["Answer", "Asker"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came of one first request.

    Attributes:
        offered: tools in the request.
        called: tools that the model called.
        input_tokens: by the endpoint's own count; 0 where it gave none.
        cached_tokens: those of them that the endpoint read from its cache.
        first_s: seconds to the first piece of the answer.
        error: what went wrong, empty if nothing did; never holds what was sent.
    """

    offered: tuple[str, ...]
    called: tuple[str, ...] = ()
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    first_s: float = 0.0
    error: str = ""


class Asker:
    """The loopback server's script: asks the endpoint once a session."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._lock = threading.Lock()
        self.answers: dict[str, Answer] = {}
        """By the session's first message."""

    def __call__(self, request: Request) -> Step:
        """Ask about the first request of a session; later ones get a plain text at once."""
        with self._lock:
            if request.opener not in self.answers:
                self.answers[request.opener] = self._asked(request)
        return say("Noted.")

    def _asked(self, request: Request) -> Answer:
        try:
            reply = self._caller.ask(request)
        except TroubleError as trouble:
            return Answer(offered=request.tools, error=trouble.reason)
        return Answer(
            offered=request.tools,
            called=tuple(call.name for call in reply.calls),
            input_tokens=reply.input_tokens,
            cached_tokens=reply.cached_tokens,
            output_tokens=reply.output_tokens,
            first_s=reply.first_s,
        )
