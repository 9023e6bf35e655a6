"""Answers that are still fresh."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Generic, TypeVar

from .clock import Clock

__all__ = ["TtlCache"]

V = TypeVar("V")


class TtlCache(Generic[V]):
    """A bounded map whose entries expire; safe to share between threads."""

    def __init__(self, *, entries: int, ttl_s: float, clock: Clock) -> None:
        """Start empty.

        Args:
            entries: kept at most; the one used longest ago goes first.
            ttl_s: seconds that an entry counts; 0 keeps nothing.
            clock: where time comes from.
        """
        self._entries = entries
        self._ttl_s = ttl_s
        self._clock = clock
        self._kept: OrderedDict[str, tuple[float, V]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> V | None:
        """The entry under ``key`` if it is still fresh."""
        now = self._clock.monotonic()
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            if now >= found[0]:
                del self._kept[key]
                return None
            self._kept.move_to_end(key)
            return found[1]

    def put(self, key: str, value: V) -> None:
        """Keep ``value`` from now on."""
        if self._ttl_s <= 0:
            return
        with self._lock:
            self._kept[key] = (self._clock.monotonic() + self._ttl_s, value)
            self._kept.move_to_end(key)
            if len(self._kept) > self._entries:
                self._kept.popitem(last=False)
