"""The one place that catches everything.

Hermes swallows what a hook raises, logs a warning each time and goes on
(hermes-agent 0.19.0 hermes_cli/plugins.py:1892).  We do the same ourselves,
so that a fault of ours is logged once with its traceback, counted, and has
the outcome that we chose rather than the host's.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import TypeVar, TypeVarTuple

__all__ = ["Guard"]

_log = logging.getLogger(__name__)
_T = TypeVar("_T")
_Ts = TypeVarTuple("_Ts")


class Guard:
    """Runs callables and turns what they raise into a fallback."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._faults: dict[str, int] = {}

    def run(self, site: str, action: Callable[[], _T], fallback: Callable[[], _T]) -> _T:
        """The result of ``action``, or of ``fallback`` if it raises.

        Args:
            site: name of the place, for the log and :attr:`faults`.
            action: what is tried.
            fallback: what holds otherwise; must not raise.
        """
        try:
            return action()
        except Exception as error:
            self._note(site, error)
            return fallback()

    def call(self, site: str, otherwise: _T, action: Callable[[*_Ts], _T], *args: *_Ts) -> _T:
        """The result of ``action(*args)``, or ``otherwise`` if it raises.

        For what every request passes: nothing is made on the way but the call.

        Args:
            site: as for :meth:`run`.
            otherwise: what holds otherwise.
            action: what is tried.
            args: what it is given.
        """
        try:
            return action(*args)
        except Exception as error:
            self._note(site, error)
            return otherwise

    @property
    def faults(self) -> dict[str, int]:
        """Number of faults by site, since the process began."""
        with self._lock:
            return dict(self._faults)

    def _note(self, site: str, error: Exception) -> None:
        with self._lock:
            count = self._faults[site] = self._faults.get(site, 0) + 1
        if count == 1:
            _log.warning(
                "tool-router: fault site=%s error=%s; the request goes on unchanged",
                site,
                type(error).__name__,
                exc_info=error,
            )
