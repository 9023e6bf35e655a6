"""When to leave an endpoint alone: breaker, pacing, and the wait before a retry."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

__all__ = ["Breaker", "Pacer", "retry_wait_s"]

_DEFAULT_WAIT_S = 0.25
"""Wait before the one retry where the server names none."""


class Breaker:
    """Opens after failures in a row; lets one probe through once it has rested.

    Not locked: its lane calls it under the lane's lock.
    """

    def __init__(self, *, threshold: int, cooldown_s: float) -> None:
        """Start closed.

        Args:
            threshold: failures in a row that open it.
            cooldown_s: seconds of rest before a probe.
        """
        self._threshold = threshold
        self._cooldown_s = cooldown_s
        self._failures = 0
        self._opened: float | None = None
        self._probing = False

    def admits(self, now: float) -> bool:
        """Say whether a call may go out, and take the probe if it is one."""
        if self._opened is None:
            return True
        if self._probing or now < self._opened + self._cooldown_s:
            return False
        self._probing = True
        return True

    def rests(self, now: float) -> bool:
        """Say whether a call would be turned away now; takes nothing."""
        if self._opened is None:
            return False
        return self._probing or now < self._opened + self._cooldown_s

    def succeeded(self) -> None:
        """One call was answered."""
        self._failures = 0
        self._opened = None
        self._probing = False

    def failed(self, now: float) -> None:
        """One call failed, however often it was retried."""
        self._failures += 1
        if self._probing or self._failures >= self._threshold:
            self._opened = now
        self._probing = False

    def undecided(self) -> None:
        """One call said nothing about the endpoint; a probe is given back."""
        self._probing = False


class Pacer:
    """Keeps a least gap between requests.  Not locked, as the breaker."""

    def __init__(self, *, interval_s: float) -> None:
        self._interval_s = interval_s
        self._next = -math.inf

    def reserve(self, now: float, deadline: float) -> float | None:
        """Take the next start.

        Args:
            now: present moment, in seconds.
            deadline: moment after which a start is of no use.

        Returns:
            Seconds to wait, 0 for at once; ``None`` if no start is left before
            the deadline, and then nothing is taken.
        """
        start = max(now, self._next)
        if start >= deadline:
            return None
        self._next = start + self._interval_s
        return start - now


def retry_wait_s(headers: Mapping[str, str], *, wall: float) -> float:
    """How long to wait before the retry.

    Args:
        headers: of the answer, looked up in lower case.
        wall: seconds since the epoch.

    Returns:
        Seconds as ``retry-after-ms`` or ``Retry-After`` (seconds or a date) ask
        for.  Garbage, negative and non-finite values count as not there.
    """
    asked = (
        _number(headers.get("retry-after-ms", ""), 0.001),
        _number(headers.get("retry-after", ""), 1.0),
        _date(headers.get("retry-after", ""), wall),
    )
    return next((wait for wait in asked if wait is not None), _DEFAULT_WAIT_S)


def _number(text: str, unit: float) -> float | None:
    try:
        value = float(text) * unit
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _date(text: str, wall: float) -> float | None:
    try:
        moment = parsedate_to_datetime(text)
        if moment.tzinfo is None:  # "-0000": UTC without a claim about the place
            moment = moment.replace(tzinfo=UTC)
        wait = moment.timestamp() - wall
    except (TypeError, ValueError, OverflowError, IndexError):
        return None
    return wait if wait >= 0 else None
