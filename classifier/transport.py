"""Dependable calls to model endpoints: one lane per endpoint, shared slots.

A call waits for its turn (pacing), for a slot, for the answer and for at most
one retry, all within one total deadline, and ends in a :class:`Report`.  It
runs in the caller's thread: every socket operation knows the deadline (see
``wire.py``), and handing work to another thread and back costs more than the
rest of a kept-alive call as soon as the machine is busy (9 ms against 1 ms on
two loaded cores, ``benchmarks/run.py transport``).
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeVar

import httpx

from .breaker import Breaker, Pacer
from .clock import Clock, SystemClock
from .errors import CALL_ERRORS, ClassifierError, DeadlineError, NotSentError, mapped
from .outcomes import CallOutcome
from .quiet import WireSilence
from .resolver import Resolver
from .wire import OneOriginTransport, deadline

__all__ = ["PAYLOAD_CAP_BYTES", "Lane", "LanePolicy", "Report", "Transport", "checked_payload"]

PAYLOAD_CAP_BYTES: Final = 65_536
_LANES_KEPT: Final = 16
_HEADERS: Final = {"Accept-Encoding": "identity", "User-Agent": "hermes-tool-router"}
_MEASURED_SHARE: Final = 0.5
"""A timeout counts against the endpoint only if it had this share of the deadline:
one that spent its time in our own queue says nothing about the endpoint."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class LanePolicy:
    """How one endpoint is treated; times in seconds."""

    retry_max_wait_s: float = 2.0
    breaker_threshold: int = 3
    breaker_cooldown_s: float = 120.0
    min_interval_s: float = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Report(Generic[T]):
    """How a call ended.

    Attributes:
        value: the decoded answer; ``None`` unless the outcome is ``ok``.
        outcome: how it ended.
        error: what went wrong; ``None`` if nothing.
        ms: wall time of the whole call.
        attempts: how often the work was started.
    """

    value: T | None
    outcome: CallOutcome
    error: ClassifierError | None = None
    ms: float = 0.0
    attempts: int = 0


@dataclass(slots=True)
class _Attempts:
    """The running count of one call, and whether it measured the endpoint."""

    started: int = 0
    measured: bool = True


class Lane:
    """Everything that is known about one endpoint with one key."""

    def __init__(
        self,
        url: httpx.URL,
        policy: LanePolicy,
        *,
        clock: Clock,
        slots: threading.BoundedSemaphore,
        silence: WireSilence,
        resolver: Resolver,
        max_connections: int,
    ) -> None:
        self.url = url
        self._policy = policy
        self._clock = clock
        self._slots = slots
        self._silence = silence
        self._breaker = Breaker(
            threshold=policy.breaker_threshold, cooldown_s=policy.breaker_cooldown_s
        )
        self._pacer = Pacer(interval_s=policy.min_interval_s)
        self._silenced: CallOutcome | None = None
        self._lock = threading.Lock()
        self._wire = OneOriginTransport(url, max_connections=max_connections, resolver=resolver)
        self.http = httpx.Client(
            transport=self._wire,
            headers=_HEADERS,
            follow_redirects=False,
            trust_env=False,
            timeout=None,  # the deadline bounds every socket operation, see wire.py
        )

    @property
    def ready(self) -> bool:
        """Whether a call would be sent now: neither silenced nor resting."""
        with self._lock:
            return self._silenced is None and not self._breaker.rests(self._clock.monotonic())

    @property
    def wall(self) -> float:
        """Seconds since the epoch."""
        return self._clock.wall()

    def post(self, url: httpx.URL, body: bytes, headers: Mapping[str, str]) -> httpx.Response:
        """Send one request without what ``httpx.Client`` adds: cookies, redirects, merging.

        Raises:
            ClassifierError: no answer, or one that cannot be read.
        """
        request = httpx.Request("POST", url, headers={**_HEADERS, **headers}, content=body)
        return self._wire.handle_request(request)

    def call(self, work: Callable[[], T], *, deadline_s: float) -> Report[T]:
        """Run ``work`` under this lane's rules.  Never raises a classifier error.

        Args:
            work: sends requests with :meth:`post` or over :attr:`http` and decodes
                the answer; runs in
                the caller's thread, and may be run a second time.
            deadline_s: total seconds, which bound every socket operation.
        """
        start = self._clock.monotonic()
        report = self._lead(work, start, start + deadline_s)
        return replace(report, ms=(self._clock.monotonic() - start) * 1000)

    def close(self) -> None:
        """Close the connections."""
        with self._silence():
            self.http.close()

    def _lead(self, work: Callable[[], T], start: float, end: float) -> Report[T]:
        with self._lock:
            if self._silenced is not None:
                return _failed(
                    _not_sent("silenced until key or settings change", self._silenced), 0
                )
            if not self._breaker.admits(start):
                return _failed(_not_sent("breaker open", CallOutcome.BREAKER_OPEN), 0)
        count = _Attempts()
        error: ClassifierError | None = None
        settled = False
        try:
            while True:
                value, problem = self._attempt(work, start, end, count)
                if not (error and isinstance(problem, NotSentError)):
                    error = problem  # a retry that found no turn leaves the first error standing
                if problem is None or not self._may_retry(problem, count, end):
                    break
            self._settle(error, count)
            settled = True
        finally:
            if not settled:  # the caller was interrupted: a probe must not stay taken
                with self._lock:
                    self._breaker.undecided()
        if error is not None:
            return _failed(error, count.started)
        return Report(value=value, outcome=CallOutcome.OK, attempts=count.started)

    def _attempt(
        self, work: Callable[[], T], start: float, end: float, count: _Attempts
    ) -> tuple[T | None, ClassifierError | None]:
        with self._lock:
            wait = self._pacer.reserve(self._clock.monotonic(), end)
        if wait is None:
            return None, _not_sent("no turn before the deadline", CallOutcome.BUSY)
        if wait > 0:
            self._clock.sleep(wait)
        if not self._slots.acquire(timeout=max(0.0, end - self._clock.monotonic())):
            return None, _not_sent("no free slot before the deadline", CallOutcome.BUSY)
        try:
            left = end - self._clock.monotonic()
            count.started += 1
            count.measured = left >= (end - start) * _MEASURED_SHARE
            with self._silence(), deadline(left):
                return work(), None
        except CALL_ERRORS as error:
            return None, mapped(error)
        finally:
            self._slots.release()

    def _may_retry(self, error: ClassifierError, count: _Attempts, end: float) -> bool:
        """Wait for the one retry if there is to be one."""
        if count.started != 1 or not error.retryable:
            return False
        wait = 0.0 if error.retry_after_s is None else error.retry_after_s
        if wait > self._policy.retry_max_wait_s or self._clock.monotonic() + wait >= end:
            return False
        if wait > 0:
            self._clock.sleep(wait)
        return True

    def _settle(self, error: ClassifierError | None, count: _Attempts) -> None:
        """Tell the breaker what this call, as one event, says about the endpoint."""
        with self._lock:
            if error is None:
                self._breaker.succeeded()
            elif isinstance(error, NotSentError) or (
                isinstance(error, DeadlineError) and not count.measured
            ):
                self._breaker.undecided()
            else:
                self._breaker.failed(self._clock.monotonic())
            if error is not None and error.permanent:
                self._silenced = error.outcome


class Transport:
    """All lanes of one configuration.  Close it when settings change."""

    def __init__(self, *, max_workers: int = 4, clock: Clock | None = None) -> None:
        """Prepare; no thread and no connection before the first call.

        Args:
            max_workers: requests in flight at once, over all lanes.
            clock: where time comes from; ``None``: the machine's clock.
        """
        self._clock = clock or SystemClock()
        self._max_workers = max_workers
        self._slots = threading.BoundedSemaphore(max_workers)
        self._resolver = Resolver()
        self._silence = WireSilence()
        self._lanes: OrderedDict[tuple[str, str, LanePolicy], Lane] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def clock(self) -> Clock:
        """Where time comes from."""
        return self._clock

    def lane(self, url: httpx.URL, key: str, policy: LanePolicy) -> Lane:
        """The lane for an endpoint and a key; a changed key gets a fresh one.

        Args:
            url: base URL; requests go to its origin only.
            key: as sent; only its digest is kept here.
            policy: how the endpoint is treated.
        """
        name = (str(url), hashlib.sha256(key.encode()).hexdigest(), policy)
        with self._lock:
            lane = self._lanes.get(name)
            if lane is None:
                lane = self._lanes[name] = Lane(
                    url,
                    policy,
                    clock=self._clock,
                    slots=self._slots,
                    silence=self._silence,
                    resolver=self._resolver,
                    max_connections=self._max_workers,
                )
            self._lanes.move_to_end(name)
            stale = self._lanes.popitem(last=False)[1] if len(self._lanes) > _LANES_KEPT else None
        if stale is not None:
            stale.close()
        return lane

    def close(self) -> None:
        """Close every connection and let the resolver's threads end."""
        with self._lock:
            lanes = list(self._lanes.values())
            self._lanes.clear()
        for lane in lanes:
            lane.close()
        self._resolver.close()


def checked_payload(body: bytes) -> bytes:
    """Return ``body`` if it may be sent.

    Raises:
        NotSentError: it exceeds the cap; a cut request must never earn an answer.
    """
    if len(body) > PAYLOAD_CAP_BYTES:
        raise NotSentError(
            f"request above {PAYLOAD_CAP_BYTES} bytes", outcome=CallOutcome.PAYLOAD_TOO_LARGE
        )
    return body


def _not_sent(message: str, outcome: CallOutcome) -> NotSentError:
    return NotSentError(message, outcome=outcome)


def _failed(error: ClassifierError, attempts: int) -> Report[Any]:
    return Report(value=None, outcome=error.outcome, error=error, attempts=attempts)
