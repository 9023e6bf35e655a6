"""HTTP with a total deadline, a cap on answers, and one origin only.

httpx limits each read; a server that drips a byte a second never meets such a
limit.  Here every socket operation gets what is left of one deadline, which
:func:`deadline` sets for the calls made inside it.
"""

from __future__ import annotations

import socket
import ssl
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Final

import httpcore
import httpx

from .errors import DeadlineError, MalformedError, NotSentError, ResponseTooLargeError, mapped
from .outcomes import CallOutcome
from .resolver import Resolver

__all__ = ["RESPONSE_CAP_BYTES", "OneOriginTransport", "deadline", "origin_of", "trust"]

RESPONSE_CAP_BYTES: Final = 1_048_576
_KEEPALIVE_S: Final = 55.0
"""A little under the 60 s after which common load balancers drop idle connections."""

_DROPPED_HEADERS = frozenset(
    {b"content-encoding", b"content-length", b"transfer-encoding", b"set-cookie"}
)

_deadline: ContextVar[float | None] = ContextVar("tool_router_deadline", default=None)


@contextmanager
def deadline(left_s: float) -> Iterator[None]:
    """Bound every socket operation inside the block.

    Args:
        left_s: seconds from now in which all of them together must end.
    """
    token = _deadline.set(time.monotonic() + left_s)
    try:
        yield
    finally:
        _deadline.reset(token)


def _left(timeout: float | None) -> float | None:
    """Seconds that an operation may take.

    Raises:
        httpcore.ReadTimeout: none are left.
    """
    moment = _deadline.get()
    if moment is None:
        return timeout
    left = moment - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout("deadline")
    return left if timeout is None else min(timeout, left)


class _BoundedStream(httpcore.NetworkStream):
    """A connection that knows the deadline of whoever uses it now."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        # Not the stream's own loop, which grants the whole timeout to every piece.
        connection: socket.socket = self._stream.get_extra_info("socket")
        rest = memoryview(buffer)
        try:
            while rest:
                connection.settimeout(_left(timeout))
                rest = rest[connection.send(rest) :]
        except TimeoutError as error:
            raise httpcore.WriteTimeout("deadline") from error
        except OSError as error:
            raise httpcore.WriteError(type(error).__name__) from error

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        return _BoundedStream(self._stream.start_tls(ssl_context, server_hostname, _left(timeout)))

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)


class _BoundedBackend(httpcore.NetworkBackend):
    """Opens connections that know the deadline."""

    def __init__(self, resolver: Resolver) -> None:
        self._backend = httpcore.SyncBackend()
        self._resolver = resolver

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        addresses = self._resolver.addresses(host, port, timeout_s=_left(timeout))
        failure: Exception = httpcore.ConnectError("the name has no address")
        for place, address in enumerate(addresses):
            left = _left(timeout)
            # An address that swallows packets must leave time for the ones after it.
            share = left / (len(addresses) - place) if left is not None else None
            try:
                return _BoundedStream(
                    self._backend.connect_tcp(address, port, share, local_address, socket_options)
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure


@cache
def trust() -> ssl.SSLContext:
    """The certificate authorities that httpx ships; environment variables are ignored."""
    return httpx.create_ssl_context(trust_env=False)


def origin_of(url: httpx.URL) -> tuple[str, str, int]:
    """Scheme, host and port of ``url``, the port filled in."""
    return (url.scheme, url.host, url.port or {"http": 80, "https": 443}.get(url.scheme, 0))


class OneOriginTransport(httpx.BaseTransport):
    """Connections to one origin; answers are read whole, capped and decompressed.

    Cookies are dropped: a decision needs no session.
    """

    def __init__(
        self,
        origin: httpx.URL,
        *,
        max_connections: int,
        resolver: Resolver,
        authorities: Callable[[], ssl.SSLContext] = trust,
    ) -> None:
        """Prepare a pool; nothing is opened before the first request.

        Args:
            origin: scheme, host and port that requests may go to.
            max_connections: connections open at once.
            resolver: looks host names up.
            authorities: whom to trust; called for an https origin only.
        """
        self._origin = origin_of(origin)
        self._pool = httpcore.ConnectionPool(
            ssl_context=authorities() if origin.scheme == "https" else None,
            max_connections=max_connections,
            max_keepalive_connections=max_connections,
            keepalive_expiry=_KEEPALIVE_S,
            network_backend=_BoundedBackend(resolver),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send ``request`` and read the whole answer.

        Raises:
            ClassifierError: deadline, broken connection, too large, not readable,
                or a URL of another origin.
        """
        if origin_of(request.url) != self._origin:
            raise NotSentError("request to another origin", outcome=CallOutcome.REFUSED)
        try:
            return self._exchange(request)
        except (
            httpcore.TimeoutException,
            httpcore.NetworkError,
            httpcore.ProtocolError,
            httpcore.ConnectionNotAvailable,
            OSError,
        ) as error:
            raise mapped(error) from error

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()

    def _exchange(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        with self._pool.stream(
            request.method,
            httpcore.URL(
                scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
            ),
            headers=[(k, v) for k, v in request.headers.raw if not _tells_of_the_machine(k)],
            content=request.read(),
            extensions=request.extensions,
        ) as reply:
            headers = [(k, v) for k, v in reply.headers if k.lower() not in _DROPPED_HEADERS]
            coding = b",".join(v for k, v in reply.headers if k.lower() == b"content-encoding")
            body = _read(reply.iter_stream(), coding.decode("latin-1").strip().lower())
            return httpx.Response(reply.status, headers=headers, content=body)


def _tells_of_the_machine(name: bytes) -> bool:
    """Whether a header is one of the openai SDK's about system and Python version."""
    return name.lower().startswith(b"x-stainless-")


def _read(parts: Iterable[bytes], coding: str) -> bytes:
    """Read a body up to the cap, decompressing as it comes.

    Raises:
        ResponseTooLargeError: more than the cap, before or after decompression.
        MalformedError: a coding that nobody asked for, or a broken one.
    """
    unpack = None
    if coding in {"gzip", "x-gzip", "deflate"}:
        unpack = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)  # 32: gzip or zlib by header
    elif coding not in {"", "identity"}:
        raise MalformedError("content coding that was not offered")
    body = bytearray()
    received = 0
    for part in parts:
        received += len(part)
        if unpack is not None:
            try:
                # One byte more than fits tells a full body from a bomb.
                part = unpack.decompress(part, RESPONSE_CAP_BYTES + 1 - len(body))
            except zlib.error as error:
                raise MalformedError("broken compression") from error
        body += part
        if max(len(body), received) > RESPONSE_CAP_BYTES:
            raise ResponseTooLargeError(f"answer above {RESPONSE_CAP_BYTES} bytes")
        moment = _deadline.get()
        if moment is not None and time.monotonic() > moment:
            raise DeadlineError("deadline")
    return bytes(body)
