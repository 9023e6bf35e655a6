"""First requests of real Hermes, answered by a real model, and nothing executed.

Hermes talks to a loopback server of ours.  The server sends the first request
of each session on to the endpoint, notes what the model answered, and tells
Hermes a plain text: so a model may call whatever it likes, and no tool runs.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from ..probe.script import Request, Step, say

__all__ = ["Answer", "Asker", "Budget", "Endpoint"]

_FIRST_BYTE_S = 180.0
_KEPT = ("messages", "tools")
"""Of Hermes' request; the rest is Hermes' own taste in parameters, which endpoints refuse."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """An OpenAI-compatible endpoint.

    Attributes:
        base_url: up to and including ``/v1``.
        key: empty for an endpoint that asks for none; never written anywhere.
        max_output: most tokens of one answer.
    """

    base_url: str
    model: str
    key: str = field(default="", repr=False)
    max_output: int = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came of one first request.

    Attributes:
        offered: tools in the request.
        called: tools that the model called.
        input_tokens: by the endpoint's own count; 0 where it gave none.
        first_s: seconds to the first piece of the answer.
        error: what went wrong, empty if nothing did; never holds what was sent.
    """

    offered: tuple[str, ...]
    called: tuple[str, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    first_s: float = 0.0
    error: str = ""


@dataclass(slots=True)
class Budget:
    """What may still be spent; checked before each request."""

    requests: int
    input_tokens: int

    @property
    def spent(self) -> bool:
        """Nothing may be sent any more."""
        return self.requests <= 0 or self.input_tokens <= 0


class Asker:
    """The loopback server's script: asks the endpoint once a session.

    Args:
        endpoint: whom to ask.
        budget: reduced with each request.
    """

    def __init__(self, endpoint: Endpoint, budget: Budget) -> None:
        self._endpoint = endpoint
        self._budget = budget
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
        if self._budget.spent:
            return Answer(offered=request.tools, error="budget")
        self._budget.requests -= 1
        try:
            found = self._sent(request)
        except httpx.HTTPStatusError as error:
            return Answer(offered=request.tools, error=f"status {error.response.status_code}")
        except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
            return Answer(offered=request.tools, error=type(error).__name__)
        self._budget.input_tokens -= found.input_tokens
        return found

    def _sent(self, request: Request) -> Answer:
        body = {key: request.body[key] for key in _KEPT if key in request.body}
        body |= {
            "model": self._endpoint.model,
            "max_tokens": self._endpoint.max_output,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        headers = {"Authorization": f"Bearer {self._endpoint.key}"} if self._endpoint.key else {}
        url = f"{self._endpoint.base_url.rstrip('/')}/chat/completions"
        started = time.monotonic()
        first = 0.0
        names: dict[int, str] = {}
        usage: Mapping[str, Any] = {}
        with (
            httpx.Client(timeout=_FIRST_BYTE_S, trust_env=False) as client,
            client.stream("POST", url, json=body, headers=headers) as reply,
        ):
            reply.raise_for_status()
            for chunk in _chunks(reply):
                first = first or time.monotonic() - started
                usage = chunk.get("usage") or usage
                for choice in chunk.get("choices") or ():
                    for call in (choice.get("delta") or {}).get("tool_calls") or ():
                        name = (call.get("function") or {}).get("name") or ""
                        index = int(call.get("index", 0))
                        names[index] = names.get(index, "") + name
        return Answer(
            offered=request.tools,
            called=tuple(names[index] for index in sorted(names)),
            input_tokens=int(usage.get("prompt_tokens", 0)),
            output_tokens=int(usage.get("completion_tokens", 0)),
            first_s=round(first, 3),
        )


def _chunks(reply: httpx.Response) -> Iterator[Mapping[str, Any]]:
    """Server-sent events; an endpoint that ignores ``stream`` sends one JSON."""
    if "event-stream" not in reply.headers.get("content-type", ""):
        reply.read()
        whole = reply.json()
        messages = [(choice.get("message") or {}) for choice in whole.get("choices") or ()]
        for message in messages:
            for index, call in enumerate(message.get("tool_calls") or ()):
                call.setdefault("index", index)
        yield {**whole, "choices": [{"delta": message} for message in messages]}
        return
    for line in reply.iter_lines():
        if line.startswith("data:") and (text := line[5:].strip()) != "[DONE]":
            yield json.loads(text)
