"""Where a turn runs: the home, its settings, its store.

A gateway serves several profiles in one process and switches the home per
turn, so nothing of this is kept from ``register()`` on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..router.settings import Settings
from .settings_source import Reading
from .store import StateStore

__all__ = ["Place", "Places"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One home at one instant."""

    home: Path
    settings: Settings
    store: StateStore
    routes: bool
    """Routing is switched on here and the settings are valid."""

    @property
    def shadow(self) -> bool:
        """Decide and log, change nothing."""
        return self.settings.mode == "shadow"


class Places:
    """Finds the place of the turn that runs now.

    Args:
        home: the home of the running turn.
        settings: what holds in a home, on a platform.
        store: the store of a home; the same object for the same home.
    """

    def __init__(
        self,
        *,
        home: Callable[[], Path],
        settings: Callable[[Path, str], Reading],
        store: Callable[[Path], StateStore],
    ) -> None:
        self._home = home
        self._settings = settings
        self._store = store
        self._kept: dict[tuple[str, str], tuple[Reading, Place]] = {}

    def __call__(self, platform: str) -> Place:
        """The place for a turn on ``platform``; empty: the profile as a whole.

        The same object for as long as the same settings hold there.
        """
        return self.at(self._home(), platform)

    def at(self, home: Path, platform: str) -> Place:
        """The place in a home that is known: a turn stays in the one that it began in."""
        reading = self._settings(home, platform)
        kept = self._kept.get((str(home), platform))
        if kept is not None and kept[0] is reading:
            return kept[1]
        place = self._fresh(home, reading)
        self._kept[str(home), platform] = reading, place
        return place

    def _fresh(self, home: Path, reading: Reading) -> Place:
        settings, store = reading.settings, self._store(home)
        store.keep(
            days=settings.retention.days,
            rows=settings.retention.rows,
            events=settings.telemetry.max_events,
        )
        return Place(home=home, settings=settings, store=store, routes=reading.on)
