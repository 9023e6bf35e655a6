"""A few daemon threads, and nothing that queues behind them without bound."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TypeVar

__all__ = ["WorkerPool"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Job:
    work: Callable[[], Any]
    future: Future[Any]

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        """Hand an exception over to the thread that waits for the result."""
        if error is not None:
            self.future.set_exception(error)
        return True


class WorkerPool:
    """Runs blocking work so that its caller can stop waiting at a deadline.

    Threads are daemons: one that hangs in name resolution must not hold up the
    exit of the process, as ``ThreadPoolExecutor`` would.
    """

    def __init__(self, size: int, *, name: str) -> None:
        """Prepare; threads start when they are first needed.

        Args:
            size: threads at most, which is also the most work in flight.
            name: prefix of the thread names.
        """
        self._name = name
        self._free = threading.BoundedSemaphore(size)
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0
        self._idle = 0

    def submit(self, work: Callable[[], T], *, wait_s: float) -> Future[T] | None:
        """Start ``work`` as soon as a thread is free.

        Args:
            work: what to run; its exception ends up in the future.
            wait_s: seconds to wait for a free thread; 0 or less: do not wait.

        Returns:
            The future, or ``None`` if no thread came free in time.
        """
        if not self._free.acquire(timeout=max(0.0, wait_s)):
            return None
        future: Future[T] = Future()
        with self._lock:
            if self._idle:
                self._idle -= 1
            else:
                self._threads += 1
                threading.Thread(
                    target=self._run, name=f"{self._name}-{self._threads}", daemon=True
                ).start()
        self._jobs.put(_Job(work, future))
        return future

    def close(self) -> None:
        """Let the threads end once they have finished what they do."""
        with self._lock:
            threads, self._threads = self._threads, 0
            self._idle = 0
        for _ in range(threads):
            self._jobs.put(None)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            with job:
                job.future.set_result(job.work())
            del job
            with self._lock:
                self._idle += 1
            self._free.release()
