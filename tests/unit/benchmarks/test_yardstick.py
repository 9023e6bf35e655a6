"""The fixed job that timings are held against."""

from __future__ import annotations

import sys

import pytest

from hermes_tool_router.benchmarks import yardstick
from hermes_tool_router.benchmarks.yardstick import TOTAL, compared, job, spoken


def _calls() -> dict[str, int]:
    """Function calls of one job, Python's and C's, by name."""
    found: dict[str, int] = {}

    def note(frame: object, event: str, argument: object) -> None:
        if event in {"call", "c_call"}:
            code = getattr(frame, "f_code", None) if event == "call" else argument
            name = str(getattr(code, "__qualname__", None) or getattr(code, "co_name", code))
            found[name] = found.get(name, 0) + 1

    sys.setprofile(note)
    try:
        job()
    finally:
        sys.setprofile(None)
    return found


def test_the_job_does_the_same_work_each_time() -> None:
    """It counts the same, and calls the same functions as often."""
    assert [job(), job(), job()] == [TOTAL] * 3

    first, second = _calls(), _calls()

    assert first == second
    assert sum(first.values()) > 300


def test_a_measurement_repeats_the_job_as_often_as_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """One round to warm up, then those that are timed."""
    done: list[int] = []
    monkeypatch.setattr(yardstick, "job", lambda: done.append(1))

    yardstick.yardstick(5)

    assert len(done) == 6


def test_drift_is_how_far_the_machine_changed() -> None:
    """Two medians, their middle, and the second over the first."""
    found = compared(100.0, 150.0)

    assert found == {"before_us": 100.0, "after_us": 150.0, "us": 125.0, "drift": 0.5}
    assert spoken(found) == "yardstick 125 µs, drift +50%"
