"""The routing suites: what they count, and the gates on our own cases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hermes_tool_router.benchmarks import routes_suite, sessions_suite
from hermes_tool_router.benchmarks.options import Options
from hermes_tool_router.benchmarks.routing import HERE, read_cases, surface
from hermes_tool_router.benchmarks.run import main
from hermes_tool_router.benchmarks.scoring import Scored, bounds, labelled, rule_table, summary
from hermes_tool_router.router.values import Reason, ToolsetName

COSTS = {"clarify": 50, "memory": 50, "skills": 100, "web": 200, "terminal": 600}
CASE = {"id": "a", "required_toolsets": ["web"], "required_any": [], "acceptable_extra": []}


def test_a_full_surface_is_a_hit_that_saves_nothing() -> None:
    """Abstentions count as zero."""
    found = summary([Scored(case=CASE, kept=None)], COSTS)

    assert (found["hit"], found["saving"], found["abstention"]) == (1.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("kept", "hit", "saving"),
    [
        pytest.param({"web"}, 1.0, 0.8, id="needed and nothing else"),
        pytest.param({"terminal"}, 0.0, 0.4, id="something else"),
        pytest.param({"web", "terminal"}, 1.0, 0.2, id="needed and more"),
    ],
)
def test_hit_and_saving_of_a_narrowed_surface(kept: set[str], hit: float, saving: float) -> None:
    """A hit needs everything; saving counts tokens."""
    found = summary([Scored(case=CASE, kept=frozenset(kept))], COSTS)

    assert (found["hit"], found["saving"]) == (hit, saving)


def test_one_member_of_a_group_is_enough() -> None:
    """A need that several toolsets can meet."""
    case = {**CASE, "required_toolsets": [], "required_any": [["terminal", "web"]]}

    assert Scored(case=case, kept=frozenset({"terminal"})).hit
    assert not Scored(case=case, kept=frozenset({"memory"})).hit


def test_the_bounds_are_the_floor_and_the_cheapest_sufficient_surface() -> None:
    """What can be reached at all."""
    found = bounds([Scored(case=CASE, kept=None)], COSTS)

    assert (found["floor"]["hit"], found["floor"]["saving"]) == (0.0, 0.8)
    assert (found["oracle"]["hit"], found["oracle"]["saving"]) == (1.0, 0.6)


def test_a_case_outside_the_surface_is_not_scored() -> None:
    """A need that nothing granted can meet is no fault."""
    assert not labelled({**CASE, "required_toolsets": ["kanban"]}, COSTS)


def test_a_rule_is_right_when_the_label_bears_it_out() -> None:
    """Accuracy counts votes for and against."""
    web, terminal = ToolsetName("web"), ToolsetName("terminal")
    reasons = (
        Reason(rule="web.a", toolset=web, weight=2.0),
        Reason(rule="terminal.b", toolset=terminal, weight=2.0),
    )

    found = rule_table(
        [Scored(case=CASE, kept=None, reasons=reasons)], ["web.a", "terminal.b", "file.c"]
    )

    assert found["web.a"]["accuracy"] == 1.0
    assert found["terminal.b"]["accuracy"] == 0.0
    assert found["file.c"] == {"coverage": 0.0, "overlap": None, "conflict": None, "accuracy": None}


def test_the_gates_hold_on_our_own_first_messages(tmp_path: Path) -> None:
    """The test split, which nothing was learned from."""
    options = Options(suite="routes", json=tmp_path / "r.json", predictions=tmp_path / "p.jsonl")

    status = routes_suite.run(options)

    report = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert status == 0
    assert report["gates"]["held"]
    assert len(read_cases(tmp_path / "p.jsonl")) == len(read_cases(HERE / "cases/routes.jsonl"))


def test_the_gates_hold_on_our_own_sessions(tmp_path: Path) -> None:
    """Monotonic, few expansions, everything there when it is needed."""
    options = Options(suite="sessions", json=tmp_path / "s.json", predictions=tmp_path / "p.jsonl")

    status = sessions_suite.run(options)

    report = json.loads((tmp_path / "s.json").read_text("utf-8"))
    assert status == 0
    assert report["all"]["lost"] == 0


def test_our_own_cases_are_many_distinct_and_of_many_languages() -> None:
    """What issue 3 asks of the authored corpus."""
    cases = read_cases(HERE / "cases" / "routes.jsonl")

    prompts = {case["prompt"] for case in cases}
    languages = {case["lang"] for case in cases}
    kinds = {case["kind"] for case in cases}

    assert len(prompts) >= 800
    assert len(languages) >= 25
    assert kinds >= {"negation", "quoted", "pasted", "multi", "followup", "frame", "mcp"}
    assert set(surface(None)) >= {"web", "terminal"}


def test_the_split_follows_from_the_id() -> None:
    """Frozen by hash before anything was learned."""
    cases = read_cases(HERE / "cases" / "routes.jsonl")

    wrong = [
        case["id"]
        for case in cases
        if (int(case["id"].split(":")[1][:8], 16) % 10 < 3) != (case["split"] == "test")
    ]

    assert wrong == []


@pytest.mark.parametrize(
    ("written", "options", "said"),
    [
        pytest.param("", [], "cases.jsonl holds no case", id="an empty file"),
        pytest.param('{"id": "a", "prompt": 3}', [], "'prompt' must be a text", id="no prompt"),
        pytest.param("{bad", [], "not JSON Lines", id="no JSON"),
        pytest.param('["a"]', [], "cases.jsonl:1: expected an object", id="no object"),
        pytest.param("", ["--json", "no/such/out.json"], "no folder 'no/such'", id="no folder"),
        pytest.param("", ["--html", "no/out.html"], "there is no folder 'no'", id="for a page"),
    ],
)
def test_a_mistake_is_a_sentence_before_anything_is_measured(
    written: str,
    options: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Status 2, and nothing but the sentence."""
    monkeypatch.chdir(tmp_path)
    cases = tmp_path / "cases.jsonl"
    cases.write_text(written, encoding="utf-8")

    status = main(["routes", "--cases", str(cases), *options])

    told = capsys.readouterr()
    assert (status, told.out) == (2, "")
    assert told.err.startswith("benchmarks: ")
    assert said in told.err


def test_cases_without_labels_are_routed_and_that_nothing_was_scored_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """For predictions on messages that nobody labelled."""
    cases, out = tmp_path / "cases.jsonl", tmp_path / "out.jsonl"
    cases.write_text('{"id": "a", "prompt": "search the web for it"}\n', encoding="utf-8")

    status = main(["routes", "--cases", str(cases), "--predictions", str(out)])

    assert status == 0
    assert "nothing was scored" in capsys.readouterr().err
    assert json.loads(out.read_text(encoding="utf-8"))["id"] == "a"
