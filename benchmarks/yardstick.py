"""One fixed job of the standard library, timed beside what a suite times.

Machines of one kind differ by a factor of three, and one machine from minute to
minute.  A figure divided by the yardstick of its own run compares better across
machines than the bare figure; it says nothing about anything else.  The job is a mix
of what decisions do: JSON, regular expressions, dictionaries and small objects.

Loaded by path inside Hermes' Python as well, so it imports nothing of ours.
"""

from __future__ import annotations

import json
import re
import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["ROUNDS", "TOTAL", "compared", "job", "spoken", "yardstick"]

ROUNDS = 101
"""Times that the job is done for one measurement."""
TOTAL = 51144
"""What :func:`job` counts, each time."""

_WORDS = (
    "open",
    "the",
    "file",
    "notes-7.txt",
    "and",
    "send",
    "it",
    "to",
    "team@example.org",
    "now",
)
_TEXT = " ".join(_WORDS[number * 7 % 10] for number in range(300))
_DOCUMENT = {
    "tools": [
        {
            "name": f"tool_{number}",
            "description": " ".join(_WORDS[number % 10 :]),
            "parameters": {"path": "string", "depth": number, "rows": [1, 2.5, None, True]},
        }
        for number in range(20)
    ]
}
_PATTERNS = tuple(
    re.compile(text) for text in (r"\b\w+@\w+\.\w+\b", r"\b[a-z]+-\d+\.txt\b", r"(?i)\bthe \w+")
)


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    weight: int


def job() -> int:
    """Do the work once; the count of what was handled, always :data:`TOTAL`."""
    text = json.dumps(json.loads(json.dumps(_DOCUMENT)), sort_keys=True)
    found = sum(len(pattern.findall(_TEXT)) for pattern in _PATTERNS)
    seen: dict[str, int] = {}
    for word in _TEXT.split():
        seen[word] = seen.get(word, 0) + len(word)
    words = sorted((_Word(*item) for item in seen.items()), key=lambda word: word.weight)
    kept = [_Word(word.text, word.weight + turn) for turn in range(30) for word in words]
    return len(text) + found + sum(word.weight for word in kept if word.text != "now")


def yardstick(rounds: int = ROUNDS) -> float:
    """Median microseconds of the job, after one round that is not timed."""
    job()
    micros: list[float] = []
    for _ in range(rounds):
        start = time.perf_counter_ns()
        job()
        micros.append((time.perf_counter_ns() - start) / 1000)
    return statistics.median(micros)


def compared(before: float, after: float) -> dict[str, float]:
    """The yardstick of a run: medians right before and after it, and how far they differ."""
    return {
        "before_us": round(before, 1),
        "after_us": round(after, 1),
        "us": round((before + after) / 2, 1),
        "drift": round(after / before - 1, 3),
    }


def spoken(found: Mapping[str, float]) -> str:
    """The yardstick in a line under a table."""
    return f"yardstick {found['us']:,.0f} µs, drift {found['drift']:+.0%}"
