"""Release gates: each one turns red when what it guards breaks."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hermes_tool_router.benchmarks.gate_kinds import Kinds, read_kinds
from hermes_tool_router.benchmarks.gates import (
    CRITICAL,
    LEAST,
    NONE_OF,
    Gate,
    Route,
    changed,
    unstable,
)
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


def everything(granted: Catalog) -> Decision:
    """What a router that does not narrow decides."""
    return Decision(outcome=Outcome.FULL, grade=Grade.FULL, toolsets=granted.names)


def without(decision: Decision, dropped: str) -> Decision:
    """A decision that lost a toolset."""
    kept = tuple(name for name in decision.toolsets if name != dropped)
    return replace(decision, outcome=Outcome.NARROWED, toolsets=kept)


def plant(fault: str, honest: Route, cases: list[Case]) -> Route:
    """The router with one fault."""
    quoted = {case["prompt"] for case in cases if case["kind"] == "quoted"}
    count = 0

    def route(text: str, granted: Catalog, first: bool) -> Decision:
        nonlocal count
        count += 1
        decision = honest(text, granted, first)
        on_bare = "spotify" not in {str(name) for name in granted.names}
        match fault:
            case "never narrows":
                return everything(granted)
            case "never narrows on a bare CLI" if on_bare:
                return everything(granted)
            case "never narrows a quotation" if text in quoted:
                return everything(granted)
            case "never narrows a quotation on a bare CLI" if on_bare and text in quoted:
                return everything(granted)
            case "loses the web" | "loses the terminal" | "loses messaging":
                lost = fault.removeprefix("loses ").removeprefix("the ")
                return without(decision, lost)
            case "depends on what came before":
                return replace(decision, toolsets=granted.names[: 3 + count % 7])
        return decision

    return route


PLANTED = {
    "never narrows": {*NONE_OF[:2], *list(LEAST)[:2]},
    "never narrows on a bare CLI": {NONE_OF[1], "reduction on a bare CLI"},
    "never narrows a quotation": set(NONE_OF[:2]),
    "never narrows a quotation on a bare CLI": {NONE_OF[1]},
    "loses the web": {"recall"},
    "loses the terminal": {"recall", "recall, critical classes"},
    "loses messaging": {"recall", "recall, critical classes"},
}
"""Faults, and the gates that they turn red; no other gate may turn."""


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_turns_its_gates_red_and_no_other(
    fault: str, honest: Route, easy: list[Case]
) -> None:
    """Each gate guards something of its own."""
    found = named(judge(measure(easy, PLAYED, plant(fault, honest, easy))))

    assert {name for name, held in found.items() if not held} == PLANTED[fault]


def test_a_decision_that_wavers_turns_the_surfaces_red(honest: Route, easy: list[Case]) -> None:
    """Played again, a session must send the same bytes."""
    fault = plant("depends on what came before", honest, easy)

    found = named(judge(measure(easy, PLAYED, fault)))

    assert not found["unstable surfaces"]


def test_every_gate_has_a_fault_that_turns_it_red(today: dict[str, Any]) -> None:
    """A gate added without one is a promise that nobody checks."""
    tried = {"unstable surfaces"}.union(*PLANTED.values())

    assert tried == {gate.name for gate in judge(today)} == {*LEAST, *NONE_OF}


def test_every_critical_class_is_measured(today: dict[str, Any]) -> None:
    """A class without a case would hold whatever the router does."""
    sizes = today["requirements"]

    assert [name for name in sorted(CRITICAL) if sizes.get(f"required: {name}", 0) < 10] == []


def test_messaging_is_held_back_where_nobody_is_written_to(today: dict[str, Any]) -> None:
    """A toolset that always stays is never missed, and saves nothing."""
    assert today["messaging kept for nothing"] < 0.5


class TestKinds:
    def test_a_kind_without_an_entry_is_held_to_the_promise(self) -> None:
        """Other people's kinds too."""
        kinds = read_kinds()

        assert kinds.below({"single": 0.699, "poem": 0.699, "followup": 0.0}, "reference") == (
            "poem",
            "single",
        )
        assert kinds.below({"single": 0.55, "multi": 0.549}, "cli") == ("multi",)

    def test_a_kind_left_out_says_why(self, today: dict[str, Any]) -> None:
        """And is one that the corpus has."""
        kinds = read_kinds()

        assert set(kinds.why) == set(kinds.others) <= set(today["reference"]["by_kind"])

    @pytest.mark.parametrize(
        ("entry", "told"),
        [
            pytest.param("{bounds: {cli: 0.5}}", "needs a reason", id="no reason"),
            pytest.param('{why: "x", bounds: {cli: 55}}', "a share", id="percent"),
            pytest.param('{why: "x", bounds: {gui: 0.5}}', "reference, cli", id="surface"),
        ],
    )
    def test_a_wrong_entry_is_told(self, tmp_path: Path, entry: str, told: str) -> None:
        """With the kind, and what is allowed."""
        path = tmp_path / "kinds.yaml"
        path.write_text(f"promised: {{reference: 0.7, cli: 0.55}}\nothers:\n  odd: {entry}\n")

        with pytest.raises(UsageError, match=f"odd.*{told}"):
            read_kinds(path)

    def test_nothing_asked_is_nothing_missed(self) -> None:
        """A kind may have a bound on one surface alone."""
        kinds = Kinds(promised={"cli": 0.5}, others={"odd": {}}, why={"odd": "x"})

        assert kinds.bound("odd", "cli") is None
        assert kinds.bound("plain", "reference") is None


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
