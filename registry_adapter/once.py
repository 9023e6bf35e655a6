"""Something that is costly to make, made once, by whoever needs it first."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Once"]

T = TypeVar("T")


class Once(Generic[T]):
    """Calls ``make`` at most once; everybody gets the same object.

    A fault is not remembered: the next caller tries again.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self.made: T | None = None
        """The object, ``None`` while nobody has needed it."""

    def __call__(self) -> T:
        """The object; waits where another thread is making it."""
        if self.made is None:
            with self._lock:
                if self.made is None:
                    self.made = self._make()
        return self.made

    def warm(self) -> None:
        """Make it in the background; a fault waits for whoever needs the object."""
        if self.made is None:
            threading.Thread(target=self._quietly, name="tool-router-warm", daemon=True).start()

    def _quietly(self) -> None:
        try:
            self()
        except (ImportError, OSError, LookupError, RuntimeError, TypeError, ValueError):
            return
