"""An OpenAI-compatible endpoint: one question, one answer, and what can go wrong.

Nothing of an endpoint's error text is kept: some repeat the key in it.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from ..probe.script import Request, ToolCall

__all__ = ["Budget", "Caller", "Endpoint", "Reply", "TroubleError"]

_TRIES = 4
"""Of one question: an overloaded endpoint is asked again, a refusal is not."""
_LONGEST_WAIT_S = 60.0
_STOP_AFTER = 3
"""Failures in a row that end a run: what is wrong is then not the question."""
_KEPT = ("messages", "tools")
"""Of Hermes' request; the rest is Hermes' own taste in parameters, which endpoints refuse."""
_NO_TOOLS = re.compile(
    r"(?:not|n't|no|without|unsupported|requires?)\b.{0,60}\btool|\btools?\b.{0,60}"
    r"(?:not|n't|unsupported|requires?)\b",
    re.IGNORECASE | re.DOTALL,
)
_TOO_LONG = re.compile(r"context|too (?:long|large|many)|exceed", re.IGNORECASE)
_SPOKEN = ("content", "reasoning_content", "reasoning", "tool_calls")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Whom to ask, and how.

    Attributes:
        base_url: up to and including ``/v1``.
        key: empty for an endpoint that asks for none; never written anywhere.
        max_output: most tokens of one answer.
        temperature: ``None``: the endpoint's own.
        timeout_s: longest silence; four times as much for a whole answer.
    """

    base_url: str
    model: str
    key: str = field(default="", repr=False)
    max_output: int = 1_000
    temperature: float | None = None
    timeout_s: float = 180.0


@dataclass(slots=True)
class Budget:
    """What may still be spent; looked at before each request, so the last one may overdraw it."""

    requests: int
    input_tokens: int

    @property
    def spent(self) -> bool:
        """Nothing may be sent any more."""
        return self.requests <= 0 or self.input_tokens <= 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer.

    Attributes:
        input_tokens: by the endpoint's own count; 0 where it gave none.
        cached_tokens: those of them that it read from its cache, by its own word.
        first_s: seconds to the first piece of text, thought or call.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    first_s: float = 0.0


class TroubleError(Exception):
    """No answer.

    Attributes:
        reason: a few words for the report's row.
        advice: what to do about it.
        fatal: asking anything else would come to the same.
    """

    def __init__(self, reason: str, advice: str, *, fatal: bool = False) -> None:
        super().__init__(f"{reason}: {advice}")
        self.reason = reason
        self.advice = advice
        self.fatal = fatal


class _BusyError(TroubleError):
    """Worth another try after ``wait_s`` seconds."""

    wait_s: float = 1.0


class Caller:
    """Asks the endpoint within a budget; safe for requests in parallel.

    Args:
        endpoint: whom to ask.
        budget: reduced with each request, retries included.
        sleep: waits for the given seconds before a further try.
        clock: seconds, for the time to the first piece of an answer.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        budget: Budget,
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.endpoint = endpoint
        self.budget = budget
        self.stopped: TroubleError | None = None
        """Why nothing is asked any more."""
        self._sleep = sleep
        self._clock = clock
        self._failed = 0

    def ask(self, request: Request) -> Reply:
        """Put a request of Hermes to the endpoint.

        Raises:
            TroubleError: there is no answer; once it is fatal every question raises it at once.
        """
        if self.stopped is not None:
            raise self.stopped
        try:
            reply = self._tried(request)
        except TroubleError as trouble:
            self._failed += 1
            if trouble.fatal or self._failed >= _STOP_AFTER:
                self.stopped = trouble
            raise
        self._failed = 0
        return reply

    def _tried(self, request: Request) -> Reply:
        for attempt in range(_TRIES):
            if self.budget.spent:
                raise TroubleError("budget", "the budget is spent", fatal=True)
            self.budget.requests -= 1
            try:
                reply = _sent(self.endpoint, request, self._clock)
            except _BusyError as busy:
                if attempt == _TRIES - 1:
                    raise
                self._sleep(min(busy.wait_s * 2**attempt, _LONGEST_WAIT_S))
            else:
                self.budget.input_tokens -= reply.input_tokens
                return reply
        raise AssertionError("unreachable: the last try returns or raises")


def _sent(endpoint: Endpoint, request: Request, clock: Callable[[], float]) -> Reply:
    """One try, each of httpx's errors as one of ours."""
    try:
        return _streamed(endpoint, request, clock)
    except httpx.HTTPStatusError as error:
        raise _refused(error.response, bool(request.tools)) from None
    except httpx.TimeoutException:
        raise TroubleError("timeout", f"no answer in {endpoint.timeout_s:g} s") from None
    except httpx.ConnectError:
        advice = "nobody listens there; is the server up and the base URL right?"
        raise TroubleError("no connection", advice, fatal=True) from None
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        name = type(error).__name__
        raise TroubleError(name, "the connection broke off or was never possible") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        advice = f"no Chat Completions answer ({type(error).__name__})"
        raise TroubleError("unreadable answer", advice) from None


def _refused(response: httpx.Response, with_tools: bool) -> TroubleError:
    """What a status means for the run."""
    status = response.status_code
    text = response.text[:2_000]
    name = f"status {status}"
    if status in {401, 403}:
        return TroubleError(name, "the key was refused; see --key-env", fatal=True)
    if status == 404:
        return TroubleError(name, "no such model or path; see --model, --base-url", fatal=True)
    if status == 429:
        busy = _BusyError(name, "too many requests, or no credit left; go on later", fatal=True)
        busy.wait_s = _wait(response.headers.get("retry-after", ""))
        return busy
    if with_tools and _NO_TOOLS.search(text):
        return TroubleError(name, "the model or its server takes no tools", fatal=True)
    if _TOO_LONG.search(text):
        return TroubleError(f"{name}, too long", "the request does not fit the model's context")
    if status >= 500:
        return _BusyError(name, "the endpoint failed")
    return TroubleError(name, "the endpoint refused the request")


def _wait(retry_after: str) -> float:
    try:
        return max(0.0, float(retry_after))
    except ValueError:  # a date, or nothing
        return 2.0


def _streamed(endpoint: Endpoint, request: Request, clock: Callable[[], float]) -> Reply:
    body = {key: request.body[key] for key in _KEPT if key in request.body}
    body |= {
        "model": endpoint.model,
        "max_tokens": endpoint.max_output,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if endpoint.temperature is not None:
        body["temperature"] = endpoint.temperature
    headers = {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}
    url = f"{endpoint.base_url.rstrip('/')}/chat/completions"
    heard = _Heard(until=time.monotonic() + 4 * endpoint.timeout_s, clock=clock)
    with (
        httpx.Client(timeout=endpoint.timeout_s, trust_env=False) as client,
        client.stream("POST", url, json=body, headers=headers) as reply,
    ):
        if reply.is_error:
            reply.read()  # its text says whether tools are the trouble
        reply.raise_for_status()
        for chunk in _chunks(reply):
            heard.take(chunk)
    return heard.reply()


class _Heard:
    """An answer as it comes in."""

    def __init__(self, *, until: float, clock: Callable[[], float]) -> None:
        self._until = until
        self._clock = clock
        self._started = clock()
        self._first = 0.0
        self._text: list[str] = []
        self._calls: dict[int, dict[str, str]] = {}
        self._usage: Mapping[str, Any] = {}

    def take(self, chunk: Mapping[str, Any]) -> None:
        """Add one piece.

        Raises:
            httpx.ReadTimeout: it goes on for ever.
            KeyError: the piece is an error.
        """
        if time.monotonic() > self._until:
            raise httpx.ReadTimeout("an answer without end")
        if "error" in chunk:  # some servers answer 200 and fail in the stream
            raise KeyError("choices")
        self._usage = chunk.get("usage") or self._usage
        for choice in chunk.get("choices") or ():
            delta = choice.get("delta") or {}
            if any(delta.get(key) for key in _SPOKEN):
                self._first = self._first or self._clock() - self._started
            self._text.append(delta.get("content") or "")
            for call in delta.get("tool_calls") or ():
                made = self._calls.setdefault(
                    int(call.get("index", 0)), {"name": "", "arguments": ""}
                )
                for key in made:
                    made[key] += (call.get("function") or {}).get(key) or ""

    def reply(self) -> Reply:
        """The whole answer."""
        details = self._usage.get("prompt_tokens_details") or {}
        return Reply(
            text="".join(self._text),
            calls=tuple(
                ToolCall(name=call["name"], arguments=call["arguments"] or "{}")
                for _, call in sorted(self._calls.items())
            ),
            input_tokens=int(self._usage.get("prompt_tokens", 0)),
            cached_tokens=int(details.get("cached_tokens") or 0),
            output_tokens=int(self._usage.get("completion_tokens", 0)),
            first_s=round(self._first or self._clock() - self._started, 3),
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
