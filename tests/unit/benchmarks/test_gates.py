"""Release gates: each one turns red when what it guards breaks."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hermes_tool_router.benchmarks.gates import LEAST, Gate, Route, changed, unstable
from hermes_tool_router.benchmarks.gates_suite import BASELINE, judge, measure, router, run
from hermes_tool_router.benchmarks.options import Options, UsageError
from hermes_tool_router.benchmarks.routing import HERE, Case, read_cases, surface
from hermes_tool_router.router import session as sessions
from hermes_tool_router.router.session import SessionState
from hermes_tool_router.router.values import (
    Catalog,
    Decision,
    Grade,
    Outcome,
    ToolsetName,
)

ROUTES = read_cases(HERE / "cases" / "routes.jsonl")
PLAYED = read_cases(HERE / "cases" / "sessions.jsonl")


@pytest.fixture(scope="module")
def honest() -> Route:
    """The router as it is."""
    return router("rules")


@pytest.fixture(scope="module")
def today(honest: Route) -> dict[str, Any]:
    """The measurement of this tree."""
    return measure(ROUTES, PLAYED, honest)


@pytest.fixture(scope="module")
def easy(honest: Route) -> list[Case]:
    """Cases on which every gate holds, so that one planted fault is alone."""
    split = [case for case in ROUTES if case["split"] == "test"]
    missed = set(measure(split, PLAYED[:1], honest)["missed"].get("all", ()))
    return [case for case in split if case["id"] not in missed]


def named(found: list[Gate]) -> dict[str, bool]:
    """Gates by name."""
    return {gate.name: gate.held for gate in found}


def test_nothing_that_held_in_the_baseline_is_red(today: dict[str, Any]) -> None:
    """A gate may be red before it is green, never after."""
    baseline = json.loads(BASELINE.read_text(encoding="utf-8"))

    held = {gate.name for gate in judge(today) if gate.held}

    assert set(baseline["held"]) <= held


def test_no_decision_differs_from_the_baseline(today: dict[str, Any]) -> None:
    """Changed ones are listed; run ``benchmarks/run.py gates --update`` and star the CHANGELOG."""
    baseline = json.loads(BASELINE.read_text(encoding="utf-8"))

    lines = changed(baseline["decisions"], today["decisions"])
    assert not lines, "star the CHANGELOG, then: python benchmarks/run.py gates --update"


def test_all_gates_hold_where_nothing_is_missed(honest: Route, easy: list[Case]) -> None:
    """The ground on which the planted faults below stand."""
    assert all(named(judge(measure(easy, PLAYED, honest))).values())


def test_sending_everything_turns_both_reductions_red(easy: list[Case]) -> None:
    """A router that never narrows."""

    def everything(_text: str, granted: Catalog, _first: bool) -> Decision:
        return Decision(outcome=Outcome.FULL, grade=Grade.FULL, toolsets=granted.names)

    found = named(judge(measure(easy, PLAYED, everything)))

    assert not found["reduction on the reference surface"]
    assert not found["reduction on a bare CLI"]
    assert found["recall"]


@pytest.mark.parametrize(
    ("dropped", "critical_holds"),
    [pytest.param("terminal", False, id="critical"), pytest.param("web", True, id="not critical")],
)
def test_dropping_a_toolset_turns_recall_red(
    honest: Route, easy: list[Case], dropped: str, critical_holds: bool
) -> None:
    """The critical gate tells the dangerous loss from the nuisance."""

    def lossy(text: str, granted: Catalog, first: bool) -> Decision:
        decision = honest(text, granted, first)
        if decision.outcome is Outcome.FULL:
            return decision
        kept = tuple(name for name in decision.toolsets if name != dropped)
        return replace(decision, toolsets=kept)

    found = named(judge(measure(easy, PLAYED, lossy)))

    assert not found["recall"]
    assert found["recall, critical classes"] is critical_holds


def test_a_single_lost_case_of_a_critical_class_is_enough(honest: Route, easy: list[Case]) -> None:
    """One hundred percent means it."""
    victim = next(case for case in easy if case["required_toolsets"] == ["cronjob"])

    def lossy(text: str, granted: Catalog, first: bool) -> Decision:
        decision = honest(text, granted, first)
        if text != victim["prompt"]:
            return decision
        return replace(
            decision,
            outcome=Outcome.NARROWED,
            toolsets=tuple(name for name in decision.toolsets if name != "cronjob"),
        )

    found = judge(measure(easy, PLAYED[:1], lossy))

    (red,) = [gate for gate in found if not gate.held]
    assert (red.name, red.faults) == ("recall, critical classes", (victim["id"],))


class TestUnstable:
    def test_a_surface_that_is_sorted_again(self, honest: Route) -> None:
        """The same tools in another order are another prefix."""

        def sorting(state: SessionState, decision: Decision, granted: Catalog) -> SessionState:
            grown = sessions.expand(state, decision, granted)
            return replace(grown, order=tuple(sorted(grown.order, reverse=True)))

        assert unstable(PLAYED, surface(None), honest, grow=sorting)

    def test_a_surface_that_shrinks(self, honest: Route) -> None:
        """Nothing leaves within a session."""

        def shrinking(state: SessionState, decision: Decision, granted: Catalog) -> SessionState:
            return replace(sessions.expand(state, decision, granted), order=state.order[:-1])

        assert unstable(PLAYED, surface(None), honest, grow=shrinking)

    def test_a_decision_that_depends_on_what_came_before(self) -> None:
        """Played again in another order, a session sends other bytes."""
        count = 0

        def moody(_text: str, granted: Catalog, _first: bool) -> Decision:
            nonlocal count
            count += 1
            kept: tuple[ToolsetName, ...] = granted.names[: 3 + count % 7]
            return Decision(outcome=Outcome.NARROWED, grade=Grade.TIGHT, toolsets=kept)

        assert unstable(PLAYED, surface(None), moody)


def test_changed_decisions_are_listed_and_new_cases_are_not() -> None:
    """A line each, before and after."""
    lines = changed(
        {"a": "tight: web", "b": "full: x", "c": "y"}, {"a": "full: web", "b": "full: x", "d": "z"}
    )

    assert lines == ["a: tight: web -> full: web", "c: the case is gone"]


def test_the_command_fails_while_a_gate_is_red(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit status and the output say it; the bounds are those of the issue."""
    target = tmp_path / "gates.json"

    status = run(Options(suite="gates", json=target))
    report = json.loads(target.read_text(encoding="utf-8"))
    shown = capsys.readouterr().out

    assert {gate["name"]: gate["bound"] for gate in report["gates"]}.items() >= LEAST.items()
    assert LEAST == {
        "reduction on the reference surface": 0.70,
        "reduction on a bare CLI": 0.55,
        "recall": 0.995,
        "recall, critical classes": 1.0,
    }
    red = [gate["name"] for gate in report["gates"] if not gate["held"]]
    assert status == (1 if red or report["changed"] else 0)
    assert all(f"RED  {name}" in shown for name in red)


def test_the_baseline_is_that_of_the_rules() -> None:
    """Another tier must not overwrite it."""
    with pytest.raises(UsageError, match="--tier rules"):
        run(Options(suite="gates", tier="local", update=True))
