"""The stores of a process that serves several homes."""

from __future__ import annotations

import threading
from pathlib import Path

from .store import StateStore

__all__ = ["Stores"]


class Stores:
    """One store per home: a gateway's process serves several profiles."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_home: dict[Path, StateStore] = {}

    def __call__(self, home: Path) -> StateStore:
        """The store of a home; opened when it is first used."""
        store = self._by_home.get(home)
        if store is None:
            with self._lock:
                store = self._by_home.setdefault(home, StateStore(home))
        return store

    def close(self) -> None:
        """Let go of every file."""
        with self._lock:
            for store in self._by_home.values():
                store.close()
