"""Identical calls at the same moment share one answer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Flights"]

V = TypeVar("V")


class _Flight(Generic[V]):
    """One call that others may wait for."""

    def __init__(self) -> None:
        self.landed = threading.Event()
        self.value: V | None = None


class Flights(Generic[V]):
    """Calls that are under way, by name."""

    def __init__(self) -> None:
        self._under_way: dict[str, _Flight[V]] = {}
        self._lock = threading.Lock()

    def share(self, name: str, work: Callable[[], V], *, wait_s: float) -> tuple[V | None, bool]:
        """Run ``work``, or wait for whoever runs it under the same name.

        Args:
            name: what makes two calls identical; empty: this one is like no other.
            work: runs in the caller's thread, for the first caller only.
            wait_s: seconds that any other caller waits for it.

        Returns:
            The value and whether it was shared.  ``None`` with true: the wait was
            in vain, or the first caller was interrupted.
        """
        if not name:
            return work(), False
        with self._lock:
            flight = self._under_way.get(name)
            mine = flight is None
            if flight is None:
                flight = self._under_way[name] = _Flight()
        if not mine:
            flight.landed.wait(max(0.0, wait_s))
            return flight.value, True
        try:
            flight.value = work()
        finally:
            with self._lock:
                del self._under_way[name]
            flight.landed.set()
        return flight.value, False
