"""Identical calls at the same moment share one answer."""

from __future__ import annotations

import threading

import pytest

from hermes_tool_router.classifier.flights import Flights


def test_sixty_four_identical_calls_are_one() -> None:
    """One runs, all get its value."""
    flights: Flights[str] = Flights()
    runs: list[int] = []
    answers: list[tuple[str | None, bool]] = []
    everyone = threading.Barrier(64)

    def work() -> str:
        runs.append(1)
        release.wait(30)
        return "yes"

    release = threading.Event()

    def call() -> None:
        everyone.wait()
        answers.append(flights.share("same", work, wait_s=30))

    threads = [threading.Thread(target=call) for _ in range(64)]
    for thread in threads:
        thread.start()
    threading.Timer(0.3, release.set).start()
    for thread in threads:
        thread.join()

    assert len(runs) == 1
    assert sorted(answers) == [("yes", False)] + [("yes", True)] * 63


def test_a_follower_waits_no_longer_than_it_may() -> None:
    """The first caller's time is not the second one's."""
    flights: Flights[str] = Flights()
    begun, release = threading.Event(), threading.Event()

    def work() -> str:
        begun.set()
        release.wait(30)
        return "late"

    first = threading.Thread(target=flights.share, args=("same", work), kwargs={"wait_s": 30})
    first.start()
    begun.wait(30)

    value, shared = flights.share("same", work, wait_s=0.05)
    release.set()
    first.join()

    assert (value, shared) == (None, True)


def test_a_call_without_a_name_is_like_no_other() -> None:
    """A state that cannot be digested is never shared."""
    flights: Flights[int] = Flights()

    assert flights.share("", lambda: 1, wait_s=1) == (1, False)
    assert flights.share("", lambda: 2, wait_s=1) == (2, False)


def test_an_interrupted_call_leaves_nobody_waiting() -> None:
    """The name is free again."""
    flights: Flights[int] = Flights()

    def interrupted() -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        flights.share("same", interrupted, wait_s=1)

    assert flights.share("same", lambda: 2, wait_s=1) == (2, False)
