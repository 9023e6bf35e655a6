"""The embedded encoder of this process: one, warmed in the background, for every home.

Its memory (about 140 MB) is spent only where routing is on and the extra ``[local]`` is
installed; the classifier is imported inside functions, because the rest must not pay for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..router.settings import Settings
from .resources import local_head

if TYPE_CHECKING:
    from ..classifier.local import LocalEncoder
    from ..router.values import Catalog, Opinion
    from .places import Place

__all__ = ["Encoder"]


class Encoder:
    """Gives each place the encoder, or nothing where it is switched off or missing."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tier: LocalEncoder | None = None
        self._problem = ""

    def __call__(self, place: Place) -> Callable[[str, Catalog], Opinion | None] | None:
        """The encoder for a place; starts to warm it where nobody has.  Never blocks."""
        return self.opinion if self.prewarm(place.settings) is not None else None

    def opinion(self, words: str, catalog: Catalog) -> Opinion | None:
        """What it says of the user's own words; ``None`` while it is not warm."""
        return None if self._tier is None else self._tier.opinion(words, catalog)

    def prewarm(self, settings: Settings) -> threading.Thread | None:
        """Start loading, once a process; ``None`` where there is nothing to load."""
        if settings.local_classifier.enabled is False:
            return None
        tier = self._tier or self._build()
        return None if tier is None else tier.prewarm()

    def settle(self, settings: Settings, *, timeout_s: float) -> None:
        """Wait until it is warm; for a command that must answer as a session would."""
        thread = self.prewarm(settings)
        if thread is not None:
            thread.join(timeout_s)

    def state(self, settings: Settings) -> str:
        """``off``, ``not installed``, ``cold``, ``warming``, ``ready``, or why it is silent."""
        if settings.local_classifier.enabled is False:
            return "off"
        tier = self._tier
        if tier is not None:
            return "ready" if tier.ready else tier.error or "warming"
        from ..classifier.local import is_installed  # noqa: PLC0415 - see the module docstring

        return self._problem or ("cold" if is_installed() else "not installed")

    def _build(self) -> LocalEncoder | None:
        from ..classifier.local import (  # noqa: PLC0415 - see the module docstring
            LocalEncoder,
            is_installed,
        )

        with self._lock:
            if self._tier is None and not self._problem and is_installed():
                try:
                    self._tier = LocalEncoder(local_head())
                except OSError as error:
                    self._problem = f"the head cannot be read: {error.strerror}"
            return self._tier
