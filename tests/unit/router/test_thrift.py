"""router.thrift: what narrowing costs more, worked out by hand, and who is left whole."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from hermes_tool_router.registry_adapter.prices import read_prices
from hermes_tool_router.router.cost import Prices
from hermes_tool_router.router.thrift import (
    DEARER,
    Habits,
    Traffic,
    extra_cost,
    refrain,
    sent_tokens,
)
from hermes_tool_router.router.values import (
    Catalog,
    Decision,
    Grade,
    Origin,
    Outcome,
    Toolset,
    ToolsetName,
    ToolSpec,
)
from hermes_tool_router.router.values import ToolName as Name

BEHIND = Prices(name="r", fresh=1, read=0.1, write=1, lifetime_s=7200, tools_first=False)
FIRST = replace(BEHIND, tools_first=True)
COLD = Traffic(sessions=20, sent=4_000)
WARM = replace(COLD, tools=1.0, prompt=1.0)
HABITS = Habits(requests=10, pauses=0, changes=1, added=1_000, messages=4_000)
TIERS = {tier.id: tier.prices for tier in read_prices()}


def extra(prices: Prices, traffic: Traffic, habits: Habits = HABITS) -> float:
    """Millionths of a dollar for 10,000 tool tokens narrowed to 4,000, 2,000 of system prompt."""
    cost = extra_cost(prices, full=10_000, system=2_000, traffic=traffic, habits=habits)
    return cost * 1e6


class TestExtraCost:
    def test_where_stock_is_warm(self) -> None:
        """Begin 4,000 - 1,000; saved 10 times 600; a change 1,000 and 4,000 at .9 more."""
        assert extra(BEHIND, WARM) == pytest.approx(3_000 - 6_000 + 4_600)

    def test_where_the_prompt_stands_behind_the_tools(self) -> None:
        """It is lost once at the beginning and once with the change: 2,000 at .9 each."""
        assert extra(FIRST, WARM) == pytest.approx(1_600 + 1_800 + 1_800)

    def test_where_stock_is_cold(self) -> None:
        """6,000 saved at once at the full price, and 6,000 in later requests."""
        assert extra(BEHIND, COLD) == pytest.approx(-6_000 - 6_000 + 4_600)

    def test_a_share_lies_between(self) -> None:
        """Half of the sessions warm: half of each."""
        half = replace(WARM, tools=0.5, prompt=0.5)

        assert extra(BEHIND, half) == pytest.approx((1_600 - 7_400) / 2)

    def test_people_with_other_prompts_share_tools_that_stand_first(self) -> None:
        """Their prompts are fresh either way, at the beginning and with each change."""
        others = replace(WARM, prompt=0.0)

        assert extra(FIRST, others) == pytest.approx(1_600 + 1_800)
        assert extra(BEHIND, others) == extra(BEHIND, COLD)

    def test_marks_and_second_sightings_lose_the_tools_with_a_change(self) -> None:
        """4,000 narrowed tokens more are paid again, at .9."""
        assert extra(replace(BEHIND, sightings=2), WARM) == pytest.approx(1_600 + 3_600)
        assert extra(replace(BEHIND, any_front=False), WARM) == pytest.approx(1_600 + 3_600)

    def test_a_surface_that_was_sent_before_is_found_again(self) -> None:
        """4,000 at .9 less at the beginning, and the prompt behind it is not lost."""
        again = replace(WARM, again=1.0)

        assert extra(BEHIND, again) == pytest.approx(1_600 - 3_600)
        assert extra(FIRST, again) == pytest.approx(1_600 + 1_800 - 3_600)

    def test_after_a_pause_beyond_the_lifetime_the_session_begins_anew(self) -> None:
        """Median pause and lifetime equal: two of four; each begins anew and saves no 600."""
        habits = replace(HABITS, pauses=4, pause_s=7_200)

        assert extra(BEHIND, WARM, habits) == pytest.approx(1_600 + 2 * (3_000 + 600))
        never = replace(BEHIND, lifetime_s=0)
        assert extra(never, COLD, habits) == pytest.approx(-7_400 - 4 * (6_000 - 600))

    @pytest.mark.parametrize("tier", list(TIERS))
    def test_at_the_shipped_prices_only_a_disk_cache_makes_narrowing_dearer(
        self, tier: str
    ) -> None:
        """One person at work: a third of sessions begin soon after another, 95 % within hours."""
        warm = 0.95 if TIERS[tier].lifetime_s > 3_600 else 0.3
        traffic = Traffic(sessions=20, sent=5_692, tools=warm, prompt=warm)

        cost = extra_cost(TIERS[tier], full=17_771, system=4_400, traffic=traffic)

        assert (cost > 0) == (tier == "deepseek.v4-flash")

    def test_one_prompt_all_day_long_makes_a_marked_cache_dearer_too(self) -> None:
        """Stock is always warm there, four of five narrowed surfaces are not."""
        traffic = Traffic(sessions=20, sent=5_692, tools=1.0, prompt=1.0, again=0.2)

        cost = extra_cost(TIERS["anthropic.sonnet"], full=17_771, system=4_400, traffic=traffic)

        assert cost > 0


def _toolset(name: str, tokens: int) -> Toolset:
    spec = ToolSpec(
        name=Name(f"use_{name}"), toolset=ToolsetName(name), description="", tokens=tokens
    )
    return Toolset(name=ToolsetName(name), origin=Origin.BUILTIN, description="", tools=(spec,))


CATALOG = Catalog(toolsets=(_toolset("memory", 2_000), _toolset("terminal", 16_000)))
NARROW = Decision(outcome=Outcome.NARROWED, grade=Grade.TIGHT, toolsets=(ToolsetName("memory"),))


class TestRefrain:
    def test_a_dearer_session_is_left_whole_and_says_why(self) -> None:
        """The engine's own reasons stay behind the price."""
        dear = replace(BEHIND, read=0.001)

        found = refrain(NARROW, CATALOG, dear, system=4_000, traffic=WARM)

        assert (found.outcome, found.grade) == (Outcome.FULL, Grade.FULL)
        assert found.toolsets == CATALOG.names
        assert found.reasons[0].rule == DEARER

    def test_a_cheaper_session_is_narrowed_as_before(self) -> None:
        """The very same decision."""
        assert refrain(NARROW, CATALOG, BEHIND, system=4_000, traffic=COLD) is NARROW

    def test_a_full_decision_stays_full_for_its_own_reason(self) -> None:
        """Nothing to refrain from."""
        full = replace(NARROW, outcome=Outcome.FULL, grade=Grade.FULL)

        assert refrain(full, CATALOG, BEHIND, system=4_000, traffic=WARM) is full

    def test_what_a_decision_sends_is_the_sum_of_its_toolsets(self) -> None:
        """Schemas of the toolsets that stay."""
        assert sent_tokens(NARROW, CATALOG) == 2_000


def _line(**changed: object) -> str:
    """A line of JSON with something wrong in it."""
    return json.dumps({**json.loads(Traffic().to_json()), **changed})


def after(traffic: Traffic, at: float, prompt: str = "p", surface: str = "s") -> Traffic:
    """One more session, narrowed to 100 tokens, at prices with a lifetime of 300 seconds.

    Sessions last ten minutes, so that the cache is warm for fifteen.
    """
    prices = replace(BEHIND, lifetime_s=300)
    return traffic.after(at, prompt=prompt, surface=surface, sent=100, prices=prices)


class TestTraffic:
    def test_shares_are_means_of_what_was_seen(self) -> None:
        """Cold; warm with the same prompt and surface; with another prompt; cold again."""
        traffic = Traffic()

        for at, prompt in ((0, "a"), (60, "a"), (120, "b"), (9_000, "a")):
            traffic = after(traffic, at, prompt)

        assert (traffic.sessions, traffic.sent) == (4, 100)
        assert (traffic.tools, traffic.prompt, traffic.again) == (0.5, 0.25, 0.25)

    def test_tools_that_stand_first_are_found_behind_any_prompt(self) -> None:
        """The surface alone tells them apart."""
        traffic = Traffic()
        for at, prompt in ((0, "a"), (60, "b")):
            traffic = traffic.after(at, prompt=prompt, surface="s", sent=1, prices=FIRST)

        assert (traffic.prompt, traffic.again) == (0.0, 0.5)

    def test_without_a_cache_nothing_is_warm(self) -> None:
        """A lifetime of nothing."""
        traffic = Traffic()
        for at in (0, 1):
            prices = replace(FIRST, lifetime_s=0)
            traffic = traffic.after(at, prompt="p", surface="s", sent=1, prices=prices)

        assert (traffic.tools, traffic.prompt, traffic.again) == (0.0, 0.0, 0.0)

    def test_old_sessions_fade(self) -> None:
        """After many warm ones the share comes near one, whatever came first."""
        traffic = Traffic()

        for number in range(200):
            traffic = after(traffic, number * 10.0)

        assert traffic.sessions == 20
        assert traffic.tools > 0.99

    def test_a_crowd_is_bounded(self) -> None:
        """The latest 64 prompts and surfaces are kept."""
        traffic = Traffic()

        for number in range(200):
            traffic = after(traffic, float(number), f"p{number}")

        assert (len(traffic.prompts), len(traffic.surfaces)) == (64, 64)
        assert "p199" in traffic.prompts

    def test_a_line_of_json_reads_back(self) -> None:
        """Equal in every field."""
        traffic = after(after(Traffic(), 10.5, "a"), 20.5, "b")

        assert Traffic.from_json(traffic.to_json()) == traffic

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param("", id="empty"),
            pytest.param("{", id="cut"),
            pytest.param("[]", id="a list"),
            pytest.param("{}", id="no field"),
            pytest.param(_line(tools=2), id="a share beyond one"),
            pytest.param(_line(sessions=99), id="more than are counted"),
            pytest.param(_line(prompts={"a": "x"}), id="a time that is none"),
            pytest.param(_line(surfaces=[]), id="a list of surfaces"),
            pytest.param(_line(last=float("nan")), id="no number"),
        ],
    )
    def test_a_text_that_does_not_read_is_no_traffic(self, text: str) -> None:
        """Narrowed as if nothing were known."""
        assert Traffic.from_json(text) == Traffic()
