"""Reliability of probabilities, worked out by hand."""

from __future__ import annotations

import pytest

from hermes_tool_router.benchmarks.reliability import reliability, said
from hermes_tool_router.router.values import Opinion, Tier, ToolsetName


def test_what_a_case_leaves_open_says_nothing() -> None:
    """Accepted extras and members of a group are neither right nor wrong."""
    names = ("web", "file", "terminal", "tts", "browser")
    opinion = Opinion(tier=Tier.LOCAL, probabilities={ToolsetName(name): 0.5 for name in names})
    case = {
        "id": "a",
        "required_toolsets": ["web"],
        "required_any": [["file", "terminal"]],
        "acceptable_extra": ["web", "browser"],
    }

    assert said(case, opinion) == [(0.5, True), (0.5, False)]


def test_bins_say_what_was_claimed_and_what_came_true() -> None:
    """Two at 0.5 with one true; one at 0.9 true; one at 0 not: Brier (0.25 + 0.25 + 0.01) / 4."""
    found = reliability([(0.5, True), (0.5, False), (0.9, True), (0.0, False)])

    assert [(row["n"], row["said"], row["true"]) for row in found["bins"]] == [
        (1, 0.0, 0.0),
        (2, 0.5, 0.5),
        (1, 0.9, 1.0),
    ]
    assert found["brier"] == pytest.approx(0.1275)
    assert found["gap"] == pytest.approx(0.025)


def test_certainty_is_in_the_last_bin_and_nothing_said_is_no_table() -> None:
    """The upper edge belongs to somebody."""
    assert reliability([(1.0, True)])["bins"][0]["n"] == 1
    assert reliability([]) == {}
