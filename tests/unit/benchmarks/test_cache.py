"""The cache simulation: sums done by hand, draws that repeat, and who wins."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hermes_tool_router.benchmarks.cache_model import (
    POLICIES,
    SCENARIOS,
    SYSTEM,
    Needs,
    Request,
    plan,
    requests,
)
from hermes_tool_router.benchmarks.cache_model import spent as dollars
from hermes_tool_router.benchmarks.cache_suite import BASELINE, compare
from hermes_tool_router.benchmarks.options import Options
from hermes_tool_router.benchmarks.routing import Case, catalog
from hermes_tool_router.registry_adapter.prices import read_prices
from hermes_tool_router.router.cost import Prices, Step, break_even_requests, expansion_cost
from hermes_tool_router.router.values import Catalog, Decision, Grade, Outcome

ROOT = Path(__file__).resolve().parents[3]
COSTS = {"clarify": 100, "memory": 200, "skills": 300, "web": 400, "vision": 50, "file": 1_000}
COSTS |= {"terminal": 2_000, "code_execution": 700}
OWN = 10


def prices(*, any_front: bool) -> Prices:
    """Round numbers."""
    return Prices(
        name="round",
        fresh=1.0,
        read=0.1,
        write=1.0,
        lifetime_s=300,
        any_front=any_front,
        least_tokens=1,
    )


def spent(*made: Request, any_front: bool = True, same_system: bool = True) -> float:
    """Millionths of a dollar."""
    return 1e6 * dollars(made, prices(any_front=any_front), COSTS, own=OWN, same_system=same_system)


def request(session: int, at: float, *surface: str) -> Request:
    """One request with 500 tokens of messages."""
    return Request(session=session, at=at, surface=surface, messages=500)


class TestSpent:
    def test_the_second_session_of_one_person_finds_tools_and_system(self) -> None:
        """710 + 4,400 + 500 fresh; then 5,110 cached and 500 fresh."""
        total = spent(request(1, 0, "memory", "file"))
        both = spent(request(1, 0, "memory", "file"), request(2, 100, "memory", "file"))

        assert total == pytest.approx(1_210 + SYSTEM + 500)
        assert both - total == pytest.approx((1_210 + SYSTEM) * 0.1 + 500)

    def test_another_persons_session_finds_the_tools_alone(self) -> None:
        """1,210 cached where any front counts, nothing where only marks do."""
        made = (request(1, 0, "memory", "file"), request(2, 100, "memory", "file"))

        any_front = spent(*made, same_system=False)
        marked = spent(*made, any_front=False, same_system=False)

        first = 1_210 + SYSTEM + 500
        assert any_front == pytest.approx(first + 1_210 * 0.1 + SYSTEM + 500)
        assert marked == pytest.approx(2 * first)

    def test_a_common_front_is_shared_up_to_where_lists_part(self) -> None:
        """Own tool and memory, 210 tokens; web and everything behind it is fresh."""
        made = (request(1, 0, "memory", "file"), request(2, 100, "memory", "web"))

        second = spent(*made) - spent(made[0])

        assert second == pytest.approx(210 * 0.1 + 400 + SYSTEM + 500)

    def test_after_the_lifetime_nothing_is_left(self) -> None:
        """301 seconds later the same request is paid in full."""
        made = (request(1, 0, "web"), request(1, 301, "web"))

        assert spent(*made) == pytest.approx(2 * (410 + SYSTEM + 500))

    def test_another_session_keeps_the_front_warm(self) -> None:
        """At 400 seconds the own cache is old, that of the session at 200 is not."""
        alone = spent(request(1, 0, "web"), request(1, 400, "web"))
        beside = spent(request(1, 0, "web"), request(2, 200, "web"), request(1, 400, "web"))

        warm = (410 + SYSTEM) * 0.1 + 500
        assert alone == pytest.approx(2 * (410 + SYSTEM + 500))
        assert beside == pytest.approx((410 + SYSTEM + 500) + 2 * warm)


def case(name: str, *required: str, any_of: tuple[str, ...] = ()) -> Case:
    """A labelled case."""
    return {
        "id": name,
        "prompt": name,
        "required_toolsets": list(required),
        "required_any": [list(any_of)] if any_of else [],
    }


def chooses(kept: Mapping[str, set[str]]) -> Needs:
    """An engine with fixed answers; evidence on later turns is the same."""

    def route(text: str, granted: Catalog, _first: bool) -> Decision:
        if text not in kept:
            return Decision(outcome=Outcome.FULL, grade=Grade.FULL, toolsets=granted.names)
        names = tuple(name for name in granted.names if name in kept[text])
        return Decision(
            outcome=Outcome.NARROWED, grade=Grade.TIGHT, toolsets=names, evident=frozenset(names)
        )

    return Needs(catalog(COSTS), route)


class TestPolicies:
    @pytest.mark.parametrize(
        ("policy", "surface"),
        [
            pytest.param("stock", tuple(COSTS), id="stock sends all"),
            pytest.param("exact", ("clarify", "web"), id="exact sends the choice"),
            pytest.param(
                "canonical",
                ("clarify", "memory", "skills", "web", "vision"),
                id="canonical sends the smallest fixed set that holds it",
            ),
            pytest.param(
                "generalist",
                (*tuple(COSTS)[:5], "file", "terminal", "code_execution"),
                id="generalist sends the same whatever the choice",
            ),
        ],
    )
    def test_a_choice_becomes_a_surface(self, policy: str, surface: tuple[str, ...]) -> None:
        """The same choice, four first surfaces."""
        needs = chooses({"a": {"clarify", "web"}})

        assert POLICIES[policy](needs.order, needs.first(case("a"))) == surface

    def test_a_full_decision_is_full_under_every_policy(self) -> None:
        """Abstaining costs the same everywhere."""
        needs = chooses({})

        surfaces = {make(needs.order, needs.first(case("b"))) for make in POLICIES.values()}

        assert surfaces == {needs.order}

    def test_what_is_missing_is_the_cheapest_that_is_enough(self) -> None:
        """A group that is met asks for nothing; what the surface cannot have is left out."""
        needs = chooses({})

        assert needs.missing(case("a", any_of=("terminal", "file")), ("web",)) == ["file"]
        assert needs.missing(case("a", any_of=("terminal", "file")), ("terminal",)) == []
        assert needs.missing(case("a", "web", "spotify"), ()) == ["web"]

    def test_a_missed_toolset_joins_after_the_first_request(self) -> None:
        """The first request goes without, the later ones with it, nothing ever leaves."""
        sessions = plan(SCENARIOS[0], [case("a", "file")], seed=3)
        needs = chooses({"a": {"web"}})

        made = requests(sessions, needs, "exact")

        by_session: dict[int, list[tuple[str, ...]]] = {}
        for row in made:
            by_session.setdefault(row.session, []).append(row.surface)
        assert {surfaces[0] for surfaces in by_session.values()} == {("web",)}
        later = {surface for surfaces in by_session.values() for surface in surfaces[1:]}
        assert later == {("web", "file")}


def test_the_same_seed_draws_the_same_sessions() -> None:
    """Another seed draws others."""
    cases = [case(str(n)) for n in range(20)]

    assert plan(SCENARIOS[1], cases, seed=1) == plan(SCENARIOS[1], cases, seed=1)
    assert plan(SCENARIOS[1], cases, seed=1) != plan(SCENARIOS[1], cases, seed=2)


def test_a_late_expansion_at_real_prices_worked_out_by_hand() -> None:
    """Claude Sonnet: 18,000 tokens of surface shrunk to 3,000, and 2,000 added later.

    Before the expansion 3,000 + 4,000 + 20,000 are cached.  With it the whole
    29,000 are written at 3.75: 0.10875.  Without it 27,000 are read at 0.30:
    0.0081.  Difference 0.10065.  Saved at once: 15,000 at 3.75, 0.05625.  Left
    0.0444, earned back at 15,000 at 0.30 = 0.0045 a request: 9.867 more.
    """
    sonnet = next(tier.prices for tier in read_prices() if tier.id == "anthropic.sonnet")

    debt = expansion_cost(Step(gap_s=10, tools=3_000, messages=20_000), 2_000, sonnet, system=4_000)
    after = break_even_requests(18_000, 3_000, sonnet, expansions=[debt])

    assert debt == pytest.approx(0.10065)
    assert after == pytest.approx(1 + 0.0444 / 0.0045)


def test_the_document_shows_the_figures_of_the_baseline() -> None:
    """One row of ``docs/cost.md`` for each price tier and use."""
    committed: dict[str, Any] = json.loads(BASELINE.read_text(encoding="utf-8"))
    lines = (ROOT / "docs" / "cost.md").read_text(encoding="utf-8").splitlines()
    titles = {tier.id: tier.title for tier in read_prices()}

    for part in committed["scenarios"].values():
        for tier, row in part["dollars"].items():
            savings = (
                f"{100 * (1 - row[policy] / row['stock']):.1f} %"
                for policy in ("shipped", "exact", "canonical", "generalist")
            )
            assert f"| {titles[tier]} | {' | '.join(savings)} |" in lines


def test_what_ships_never_costs_much_more_than_narrowing_always() -> None:
    """At no price and in no use; and it keeps what narrowing would lose."""
    committed: dict[str, Any] = json.loads(BASELINE.read_text(encoding="utf-8"))
    rows = [row for part in committed["scenarios"].values() for row in part["dollars"].values()]

    assert all(row["shipped"] <= row["exact"] for row in rows)
    assert all(row["shipped"] <= 1.01 * row["stock"] for row in rows)
    assert any(row["exact"] > 1.25 * row["stock"] for row in rows)


def test_who_wins_is_what_the_document_says() -> None:
    """Run ``benchmarks/run.py cache --update`` and look at ``docs/cost.md`` where it differs."""
    committed: dict[str, Any] = json.loads(BASELINE.read_text(encoding="utf-8"))

    assert compare(Options(suite="cache"))["winners"] == committed["winners"]
