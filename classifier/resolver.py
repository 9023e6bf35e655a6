"""Host names to addresses within a deadline.

Name resolution is the one step of a request that cannot be given a timeout, so
it runs in a thread that its caller can leave behind.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import httpcore

from .hosts import is_loopback
from .workers import WorkerPool

__all__ = ["Resolver"]

_THREADS: Final = 4
_PATIENCE_S: Final = 60.0
"""Wait where the caller sets no deadline; never the case for our own calls."""

Lookup = Callable[..., Sequence[tuple[Any, ...]]]


class Resolver:
    """Looks names up; literal addresses and ``localhost`` are not looked up at all."""

    def __init__(self, lookup: Lookup = socket.getaddrinfo) -> None:
        """Prepare; threads start when a name is first looked up.

        Args:
            lookup: called as ``socket.getaddrinfo`` is.
        """
        self._lookup = lookup
        self._workers = WorkerPool(_THREADS, name="tool-router-dns")

    def addresses(self, host: str, port: int, *, timeout_s: float | None) -> tuple[str, ...]:
        """Addresses of ``host`` in the system's order of preference.

        Args:
            host: name or address.
            port: passed on to the system.
            timeout_s: seconds to wait.

        Raises:
            httpcore.ConnectTimeout: no answer in time.
            httpcore.ConnectError: the name does not resolve.
        """
        if is_loopback(host) or _literal(host):
            return (host,)
        patience = _PATIENCE_S if timeout_s is None else timeout_s
        work = partial(self._lookup, host, port, type=socket.SOCK_STREAM)
        future = self._workers.submit(work, wait_s=patience)
        if future is None:
            raise httpcore.ConnectTimeout("name resolution is busy")
        try:
            error = future.exception(timeout=patience)
        except TimeoutError as late:
            raise httpcore.ConnectTimeout("name resolution") from late
        if error is not None:
            raise httpcore.ConnectError("name resolution") from error
        return tuple(dict.fromkeys(str(found[4][0]) for found in future.result()))

    def close(self) -> None:
        """Let the threads end."""
        self._workers.close()


def _literal(host: str) -> bool:
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            socket.inet_pton(family, host)
        except OSError:
            continue
        return True
    return False
