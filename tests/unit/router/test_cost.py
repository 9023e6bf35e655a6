"""router.cost: figures that were worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from hermes_tool_router.router.cost import (
    Prices,
    Step,
    break_even_requests,
    expansion_cost,
    request_cost,
)

# Round numbers, so that the sums can be done on paper: dollars per million tokens.
AUTOMATIC = Prices(name="automatic", fresh=1.0, read=0.1, write=1.0, lifetime_s=300)
MARKED = Prices(name="marked", fresh=1.0, read=0.1, write=1.25, lifetime_s=300, any_front=False)


def _steps(*tools: int, gap: float = 10) -> list[Step]:
    return [
        Step(gap_s=gap if index else 0, tools=count, messages=1000 * (index + 1))
        for index, count in enumerate(tools)
    ]


def session_cost(steps: list[Step], prices: Prices, *, system: int, warm: int = 0) -> float:
    """Input of a whole session, request by request; ``warm`` tokens were left by others."""
    befores = [None, *steps]
    return sum(
        request_cost(step, prices, system=system, before=before, warm=0 if before else warm)
        for before, step in zip(befores, steps, strict=False)
    )


class TestSessionCost:
    def test_a_repeated_front_is_read_from_the_cache(self) -> None:
        """10,000 + 2,000 + 1,000 fresh, then 13,000 cached and 1,000 fresh."""
        cost = session_cost(_steps(10_000, 10_000), AUTOMATIC, system=2_000)

        assert cost == pytest.approx((13_000 * 1.0 + 13_000 * 0.1 + 1_000 * 1.0) / 1e6)

    def test_appended_tools_keep_the_old_ones_where_any_front_counts(self) -> None:
        """4,000 cached; 1,000 new tools, 2,000 system and 2,000 messages are paid again."""
        cost = session_cost(_steps(4_000, 5_000), AUTOMATIC, system=2_000)

        assert cost == pytest.approx((7_000 * 1.0 + 4_000 * 0.1 + 5_000 * 1.0) / 1e6)

    def test_appended_tools_keep_the_prompt_that_stands_before_them(self) -> None:
        """2,000 + 4,000 cached; 1,000 new tools and 2,000 of messages are paid again."""
        behind = replace(AUTOMATIC, tools_first=False)

        cost = session_cost(_steps(4_000, 5_000), behind, system=2_000)

        assert cost == pytest.approx((7_000 * 1.0 + 6_000 * 0.1 + 3_000 * 1.0) / 1e6)

    def test_appended_tools_lose_everything_where_a_front_must_be_seen_twice(self) -> None:
        """The front up to the new tools ends where no request has ended."""
        twice = replace(AUTOMATIC, tools_first=False, sightings=2)

        cost = session_cost(_steps(4_000, 5_000), twice, system=2_000)

        assert cost == pytest.approx((7_000 + 9_000) / 1e6)

    def test_appended_tools_lose_everything_where_only_marks_count(self) -> None:
        """All 9,000 tokens of the second request are written again, at the premium."""
        cost = session_cost(_steps(4_000, 5_000), MARKED, system=2_000)

        assert cost == pytest.approx((7_000 + 9_000) * 1.25 / 1e6)

    def test_a_pause_longer_than_the_lifetime_pays_again(self) -> None:
        """After 301 seconds nothing of 14,000 is cached."""
        cost = session_cost(_steps(10_000, 10_000, gap=301), AUTOMATIC, system=2_000)

        assert cost == pytest.approx((13_000 + 14_000) / 1e6)

    def test_another_session_with_the_same_tools_warms_the_first_request(self) -> None:
        """12,000 cached, 1,000 fresh."""
        cost = session_cost(_steps(10_000), AUTOMATIC, system=2_000, warm=12_000)

        assert cost == pytest.approx((12_000 * 0.1 + 1_000) / 1e6)

    def test_part_of_the_tools_of_others_counts_where_any_front_does(self) -> None:
        """4,000 of 10,000 tools cached; the rest and everything behind it is fresh."""
        cost = session_cost(_steps(10_000), AUTOMATIC, system=2_000, warm=4_000)

        assert cost == pytest.approx((4_000 * 0.1 + 9_000) / 1e6)

    def test_a_front_below_the_least_length_is_not_cached(self) -> None:
        """500 tools and 100 system tokens are under 1,024."""
        cost = session_cost(_steps(500), AUTOMATIC, system=100, warm=600)

        assert cost == pytest.approx(1_600 / 1e6)


def test_an_expansion_costs_what_stands_behind_the_tools() -> None:
    """Cached 7,000 becomes cached 4,000: 3,000 tokens at 0.9 more, and 1,000 new ones at 1.0."""
    before = Step(gap_s=0, tools=4_000, messages=1_000)

    cost = expansion_cost(before, 1_000, AUTOMATIC, system=2_000)

    assert cost == pytest.approx((3_000 * 0.9 + 1_000 * 1.0) / 1e6)


class TestBreakEven:
    def test_without_an_expansion_the_first_request_pays(self) -> None:
        """Narrowing saves from the start."""
        assert break_even_requests(10_000, 4_000, AUTOMATIC, expansions=()) == 1.0

    def test_a_dear_expansion_takes_requests_to_earn_back(self) -> None:
        """6,000 saved at once; 9,000 owed; the 3,000 left take five requests of 600."""
        found = break_even_requests(10_000, 4_000, AUTOMATIC, expansions=(9_000 / 1e6,))

        assert found == pytest.approx(6.0)

    def test_nothing_saved_never_pays(self) -> None:
        """A surface as large as stock earns nothing back."""
        assert break_even_requests(4_000, 4_000, AUTOMATIC, expansions=(1e-6,)) == math.inf
