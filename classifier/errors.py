"""What can go wrong on the way to a model.

ClassifierError                 every failure of a call, with its outcome
├── DeadlineError               the total deadline passed
├── UnreachableError            no connection, or it broke
├── StatusError                 the server answered with an error
├── MalformedError              the answer is not what the protocol describes
├── ResponseTooLargeError       the answer exceeds the cap
├── NotSentError                our own rules kept the call at home
└── UnexpectedError             anything else, so that no caller meets a foreign exception
"""

from __future__ import annotations

import httpcore
import httpx

from ..router.errors import RouterError
from .outcomes import CallOutcome

__all__ = [
    "CALL_ERRORS",
    "ClassifierError",
    "DeadlineError",
    "MalformedError",
    "NotSentError",
    "ResponseTooLargeError",
    "StatusError",
    "UnexpectedError",
    "UnreachableError",
    "mapped",
    "own_error",
]


class ClassifierError(RouterError):
    """A call gave nothing usable.

    Messages never hold a body, a header, a key or text of the user.

    Attributes:
        outcome: what callers and the log are told.
        retryable: the same request may be sent once more.
        permanent: no later call can succeed until key or settings change.
        status: HTTP status, 0 if none came.
        retry_after_s: wait that the server asked for, in seconds; ``None`` if none.
    """

    outcome = CallOutcome.ERROR
    retryable = False
    permanent = False
    status = 0
    retry_after_s: float | None = None


class DeadlineError(ClassifierError):
    """The total deadline passed."""

    outcome = CallOutcome.TIMEOUT


class UnreachableError(ClassifierError):
    """No connection could be made, or it broke before the answer was whole."""

    outcome = CallOutcome.UNREACHABLE
    retryable = True


class MalformedError(ClassifierError):
    """The answer is not what the protocol describes."""

    outcome = CallOutcome.MALFORMED


class ResponseTooLargeError(ClassifierError):
    """The answer exceeds the cap, counted after decompression."""

    outcome = CallOutcome.RESPONSE_TOO_LARGE


class UnexpectedError(ClassifierError):
    """An exception that nobody foresaw; its class is the message."""


class NotSentError(ClassifierError):
    """Our own rules kept the call at home."""

    def __init__(self, message: str, *, outcome: CallOutcome) -> None:
        super().__init__(message)
        self.outcome = outcome


class StatusError(ClassifierError):
    """The server answered with an error."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        outcome: CallOutcome = CallOutcome.HTTP_ERROR,
        retryable: bool = False,
        permanent: bool = False,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.outcome = outcome
        self.retryable = retryable
        self.permanent = permanent
        self.retry_after_s = retry_after_s


# In this order: the first class that fits decides.
_FOREIGN: tuple[tuple[type[BaseException], type[ClassifierError]], ...] = (
    (httpx.TimeoutException, DeadlineError),
    (httpcore.TimeoutException, DeadlineError),
    (TimeoutError, DeadlineError),
    (httpx.UnsupportedProtocol, UnexpectedError),
    (httpcore.UnsupportedProtocol, UnexpectedError),
    (httpx.LocalProtocolError, UnexpectedError),
    (httpcore.LocalProtocolError, UnexpectedError),
    (httpx.DecodingError, MalformedError),
    (httpx.TooManyRedirects, MalformedError),
    (httpx.TransportError, UnreachableError),
    (httpcore.NetworkError, UnreachableError),
    (httpcore.ProtocolError, UnreachableError),
    (httpcore.ProxyError, UnreachableError),
    (httpcore.ConnectionNotAvailable, UnreachableError),
    (OSError, UnreachableError),
)


CALL_ERRORS: tuple[type[Exception], ...] = (
    RouterError,
    httpx.HTTPError,
    httpx.InvalidURL,
    httpx.StreamError,
    httpx.CookieConflict,
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.UnsupportedProtocol,
    httpcore.ConnectionNotAvailable,
    # What libraries let through when a server surprises them.
    ArithmeticError,
    AttributeError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""Everything that a call can raise; each becomes an outcome through :func:`mapped`."""


def own_error(error: BaseException) -> ClassifierError | None:
    """``error`` itself or the first of its causes that is ours."""
    seen: BaseException | None = error
    while seen is not None and not isinstance(seen, ClassifierError):
        seen = seen.__cause__
    return seen


def mapped(error: BaseException) -> ClassifierError:
    """Turn any exception that a call can meet into one of ours.

    Args:
        error: from httpx, httpcore, the socket layer, or ours already; ``sdk.py``
            maps those of the openai SDK, which only the chat tier loads.

    Returns:
        ``error`` itself or the one it was raised from, if that is ours; else a
        new one whose message is the class name alone: messages of foreign
        exceptions can quote request and response.
    """
    own = own_error(error)
    if own is not None:
        return own
    if isinstance(error, httpx.HTTPStatusError):
        return StatusError(type(error).__name__, status=error.response.status_code)
    for foreign, ours in _FOREIGN:
        if isinstance(error, foreign):
            return ours(type(error).__name__)
    return UnexpectedError(type(error).__name__)
