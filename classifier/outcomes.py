"""How a call to a model ended, and what may be said about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["ASKED_NOBODY", "CallOutcome", "CallRecord"]


class CallOutcome(StrEnum):
    """How one call ended.  Only ``ok`` carries an answer."""

    OK = "ok"
    TIMEOUT = "timeout"
    """The total deadline passed: connecting, queueing, retrying and reading together."""
    UNREACHABLE = "unreachable"
    """No connection, or one that broke before the answer was whole."""
    RATE_LIMITED = "rate_limited"
    """429 or 529, and no retry fitted into the deadline."""
    HTTP_ERROR = "http_error"
    """Any other status that is not 200, or an error body under a 200."""
    REDIRECTED = "redirected"
    """3xx: never followed, so that a key or a text cannot be sent elsewhere."""
    MALFORMED = "malformed"
    """An answer came that is not what the protocol describes."""
    RESPONSE_TOO_LARGE = "response_too_large"
    """More than the cap, counted after decompression."""
    AUTH = "auth"
    """The key was refused; silent until the key or the settings change."""
    CREDIT = "credit"
    """No credit left; silent until the key or the settings change."""
    BUSY = "busy"
    """No turn came within the deadline: pacing or all slots taken.  Nothing was sent."""
    BREAKER_OPEN = "breaker_open"
    """The endpoint failed repeatedly and rests.  Nothing was sent."""
    NO_KEY = "no_key"
    """No key for this host, or the key belongs to another vendor.  Nothing was sent."""
    REFUSED = "refused"
    """Our own rules forbid the call: plain HTTP off this machine, a foreign host."""
    PAYLOAD_TOO_LARGE = "payload_too_large"
    """The request exceeds the cap and is never cut to fit.  Nothing was sent."""
    INCOMPLETE = "incomplete"
    """The questions or the state cannot be put on the wire.  Nothing was sent."""
    ERROR = "error"
    """Anything unforeseen; the class name is in the log."""


ASKED_NOBODY = frozenset(
    {
        CallOutcome.BUSY,
        CallOutcome.BREAKER_OPEN,
        CallOutcome.NO_KEY,
        CallOutcome.REFUSED,
        CallOutcome.PAYLOAD_TOO_LARGE,
        CallOutcome.INCOMPLETE,
    }
)
"""Outcomes under which nothing left the machine, so that nobody failed to answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord:
    """One call as the log may know it: never a body, a header or a key.

    Attributes:
        purpose: id of the question pack, or ``chat.route``.
        backend: preset that was asked, such as ``openrouter``.
        host: host and port of the endpoint; empty if none was chosen.
        outcome: how it ended.
        ms: wall time of the whole call, queueing included.
        model: model that answered; empty if none did.
        questions: questions that were asked.
        missing: questions that got no usable answer.
        sent_bytes: size of all request bodies that went out, failed ones included.
        input_tokens: as billed, ``None`` where the server does not say or nothing was sent.
        output_tokens: likewise.
        cost_usd: likewise.
        attempts: requests that were sent, retries included.
        cached: the answer was remembered, or shared with a call in flight.
        status: last HTTP status, 0 if none came.
        error: class of the error; empty if none.
    """

    purpose: str
    backend: str
    host: str
    outcome: CallOutcome
    ms: float
    model: str = ""
    questions: int = 0
    missing: int = 0
    sent_bytes: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    attempts: int = 0
    cached: bool = False
    status: int = 0
    error: str = ""
