"""What an HTTP status of a model endpoint means."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx

from .breaker import retry_wait_s
from .errors import StatusError
from .outcomes import CallOutcome

__all__ = ["error_kind", "status_error"]

_WORD = re.compile(r"[A-Za-z0-9_.\-]{1,64}")

_HINTS = {
    400: "the server rejects the request: model name, question kind or size",
    401: "the key was refused",
    402: "no credit left",
    403: "access was refused: missing key, account state or moderation",
    404: "unknown model or route: check model and base url",
    413: "the request is too large for the model",
    422: "the server rejects the shape of the request",
    429: "rate limit",
    529: "the service is overloaded",
}


def status_error(response: httpx.Response, *, forbidden_is_auth: bool, wall: float) -> StatusError:
    """Judge an answer that is not a plain success.

    Args:
        response: read whole.
        forbidden_is_auth: whether 403 means a refused key at this backend.
        wall: seconds since the epoch, for ``Retry-After`` dates.

    Returns:
        The error.  Its message holds the status, a fixed hint and at most the
        server's one-word error kind; bodies of 422 echo what was sent.
    """
    status = response.status_code
    kind = error_kind(response)
    outcome = _outcome(status, kind, forbidden_is_auth)
    retryable = status in {408, 429} or status >= 500
    hint = _HINTS.get(status, "server fault" if status >= 500 else "unexpected status")
    return StatusError(
        f"http {status}{f' {kind}' if kind else ''}: {hint}",
        status=status,
        outcome=outcome,
        retryable=retryable,
        permanent=outcome in {CallOutcome.AUTH, CallOutcome.CREDIT},
        retry_after_s=retry_wait_s(response.headers, wall=wall) if retryable else None,
    )


def error_kind(response: httpx.Response) -> str:
    """The server's own one-word name of the error; empty if it gives none."""
    try:
        body: Any = json.loads(response.content)
    except (ValueError, RecursionError):
        return ""
    for path in (("detail", "error_type"), ("error", "type"), ("error", "code"), ("code",)):
        found: Any = body
        for step in path:
            found = found.get(step) if isinstance(found, dict) else None
        if isinstance(found, str) and _WORD.fullmatch(found):
            return found
    return ""


def _outcome(status: int, kind: str, forbidden_is_auth: bool) -> CallOutcome:
    if 300 <= status < 400:
        return CallOutcome.REDIRECTED
    if status == 402 or (status in {400, 403, 429} and kind in _NO_CREDIT):
        return CallOutcome.CREDIT
    if status == 401 or (status == 403 and (forbidden_is_auth or kind in _BAD_KEY)):
        return CallOutcome.AUTH
    return CallOutcome.RATE_LIMITED if status in {429, 529} else CallOutcome.HTTP_ERROR


# Community clients of TypeSafe meet the first; OpenAI answers the second with 429.
_NO_CREDIT = frozenset({"insufficient_credits", "insufficient_quota"})
_BAD_KEY = frozenset({"authentication_error", "invalid_api_key"})
