"""The live evaluation's figures, worked out by hand, and the file that a run goes on with."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from hermes_tool_router.benchmarks.live_endpoint import TroubleError
from hermes_tool_router.benchmarks.live_first import summary as first_summary
from hermes_tool_router.benchmarks.live_journal import SCHEMA, Journal, Run
from hermes_tool_router.benchmarks.live_play import result_failed
from hermes_tool_router.benchmarks.live_report import report, show, task_summary
from hermes_tool_router.benchmarks.live_stats import interval, sign_test
from hermes_tool_router.benchmarks.live_tasks import Task, read_tasks
from hermes_tool_router.benchmarks.options import UsageError

RUN = Run(
    schema=SCHEMA,
    model="m",
    endpoint="127.0.0.1",
    plugin="0.1.0",
    host="0.19.0",
    tasks="abc",
    steps=12,
    max_output=100,
    temperature=None,
)
TASKS = read_tasks().tasks[:4]


def played(task: Task, arm: str, *, solved: bool, tokens: int, **more: Any) -> dict[str, Any]:
    """A task's row with one turn of one needed toolset."""
    turn = {"offered": ["file"], "needed": 1, "met": 1, "exact": True, "first_s": 2.0}
    return {
        "row": "task",
        "id": task.id,
        "arm": arm,
        "turns": [{**turn, **more.pop("turn", {})}],
        "requests": 2,
        "input_tokens": tokens,
        "cached_tokens": 0,
        "output_tokens": 5,
        "calls": 2,
        "calls_succeeded": 1,
        "called": ["read_file", "terminal"],
        "held_back": 0,
        "recovered": 0,
        "asked_for_more": 0,
        "checks": [True, solved],
        "solved": solved,
        "capped": False,
        "seconds": 1.0,
        "error": "",
        **more,
    }


def four() -> list[dict[str, Any]]:
    """Stock solves three of four, we three: one lost, one won; 4,000 tokens against 1,000."""
    full = zip(TASKS, (True, True, True, False), strict=True)
    routed = zip(TASKS, (True, True, False, True), strict=True)
    sooner = {"first_s": 0.5, "exact": False}
    return [
        *(played(task, "full", solved=solved, tokens=1_000) for task, solved in full),
        *(
            played(task, "routed", solved=solved, tokens=250, turn=sooner, held_back=1, recovered=1)
            for task, solved in routed
        ),
    ]


def test_paired_figures_are_worked_out_by_hand() -> None:
    """Shares, differences, and who solved what alone."""
    found = task_summary(four(), TASKS, seed=1)

    full, routed, paired = found["full"], found["routed"], found["paired"]
    assert (found["pairs"], full["solved"], routed["solved"]) == (4, 3, 3)
    assert (full["checks_held"], full["recall"], full["calls_succeeded"]) == (0.875, 1, 0.5)
    assert (full["exact_route"], routed["exact_route"]) == (1, 0)
    assert (routed["held_back_calls"], routed["recovered"]) == (4, 4)
    assert paired["solved"]["difference"] == 0
    assert paired["solved"]["only_full"] == [TASKS[2].id]
    assert paired["solved"]["only_routed"] == [TASKS[3].id]
    assert paired["solved"]["sign_test_p"] == 1
    assert paired["input_saved"] == {"share": 0.75, "interval": (0.75, 0.75)}
    assert paired["first_s"] == {"median": -1.5, "interval": (-1.5, -1.5)}
    assert found["score"] == 1.75


def test_only_tasks_of_both_arms_count_by_their_latest_row() -> None:
    """A failed row does not count, and is counted as an error."""
    rows = four()
    rows.append(played(TASKS[2], "routed", solved=True, tokens=250))
    rows[4]["error"] = "timeout"

    found = task_summary(rows, TASKS, seed=1)

    assert (found["pairs"], found["errors"]) == (3, 1)
    assert found["routed"]["solved"] == 3
    assert found["paired"]["solved"]["only_full"] == []


def test_what_is_missing_is_said_with_its_reason(tmp_path: Path) -> None:
    """Never asked, or the last trouble; and that the run stopped."""
    journal = Journal(tmp_path / "run.jsonl", RUN, "a busy machine")
    journal.add(played(TASKS[0], "full", solved=True, tokens=100))
    journal.add(played(TASKS[0], "routed", solved=True, tokens=50, error="status 429"))

    found = report(
        journal,
        cases=[],
        tasks=TASKS[:2],
        seed=1,
        stopped=TroubleError("status 429", "go on later"),
    )

    assert (found["schema"], found["plugin"], found["host"]) == (SCHEMA, "0.1.0", "0.19.0")
    assert (found["complete"], found["stopped"]) == (False, "status 429: go on later")
    assert [(item["id"], item["arm"], item["why"]) for item in found["missing"]] == [
        (TASKS[0].id, "routed", "status 429"),
        (TASKS[1].id, "full", "not asked"),
        (TASKS[1].id, "routed", "not asked"),
    ]
    assert found["started"] <= found["finished"]
    assert found["notes"] == ["a busy machine"]
    assert json.loads(json.dumps(found)) is not None


def test_the_table_says_what_the_figures_cannot(tmp_path: Path) -> None:
    """A model that called nothing; an interval beside each difference; what is missing."""
    journal = Journal(tmp_path / "run.jsonl", RUN)
    for row in four():
        journal.add({**row, "calls": 0, "calls_succeeded": 0})
    found = report(journal, cases=[], tasks=read_tasks().tasks[:5], seed=1, stopped=None)
    out = io.StringIO()

    show(found, Console(file=out, width=200))

    text = out.getvalue()
    assert "4 tasks, m" in text
    assert "called no tool" in text
    assert "input tokens saved: 75.0% (75.0% to 75.0%)" in text
    assert f"missing: {read_tasks().tasks[4].id} (full: not asked)" in text


class TestJournal:
    def test_a_killed_run_is_gone_on_with(self, tmp_path: Path) -> None:
        """Half a line, as a kill may leave it, is dropped; whole ones stay."""
        path = tmp_path / "run.jsonl"
        Journal(path, RUN).add({"row": "task", "id": "a", "arm": "full", "error": ""})
        with path.open("a", encoding="utf-8") as lines:
            lines.write('{"row": "task", "id": "b')

        again = Journal(path, RUN)
        again.add({"row": "task", "id": "c", "arm": "full", "error": ""})

        assert [row["id"] for row in again.rows] == ["a", "c"]
        assert [row["id"] for row in Journal(path, RUN).rows] == ["a", "c"]

    def test_the_note_of_a_part_that_asked_nothing_is_not_kept(self, tmp_path: Path) -> None:
        """It is not the conditions of any figure."""
        path = tmp_path / "run.jsonl"
        Journal(path, RUN, "quiet").add({"row": "task", "id": "a", "arm": "full", "error": ""})
        Journal(path, RUN, "idle")
        Journal(path, RUN, "busy").add({"row": "task", "id": "b", "arm": "full", "error": ""})

        found = Journal(path, RUN)

        assert found.notes == ["quiet", "busy"]
        assert [row["id"] for row in found.rows] == ["a", "b"]

    @pytest.mark.parametrize(
        ("field", "value"),
        [("model", "n"), ("plugin", "0.2.0"), ("host", "0.20.0"), ("tasks", "abd"), ("steps", 13)],
    )
    def test_other_conditions_are_not_mixed(
        self, tmp_path: Path, field: str, value: str | int
    ) -> None:
        """The message names what differs."""
        path = tmp_path / "run.jsonl"
        Journal(path, RUN)

        with pytest.raises(UsageError, match=f"{field} .*choose another --out"):
            Journal(path, replace(RUN, **{field: value}))  # type: ignore[arg-type] # by name

    @pytest.mark.parametrize("text", ["", "{", "[]\n", '{"row": "run"}\n', "\xff\n"])
    def test_what_is_no_journal_is_refused(self, tmp_path: Path, text: str) -> None:
        """Nothing is written over it."""
        path = tmp_path / "run.jsonl"
        path.write_text(text, encoding="utf-8")

        with pytest.raises(UsageError, match="no live run"):
            Journal(path, RUN)

        assert path.read_text(encoding="utf-8") == text


def test_an_interval_is_seeded_and_holds_the_figure() -> None:
    """The mean of ten ones and ten zeros, resampled."""
    values = [1.0] * 10 + [0.0] * 10

    low, high = interval(values, lambda some: sum(some) / len(some), seed=3)

    assert (low, high) == interval(values, lambda some: sum(some) / len(some), seed=3)
    assert 0.2 < low < 0.5 < high < 0.8


def test_the_sign_test_is_exact() -> None:
    """Six of six: 2 / 64.  Five of six: 2 * (1 + 6) / 64."""
    assert (sign_test(6, 0), sign_test(5, 1), sign_test(0, 0)) == (0.0312, 0.2188, 1.0)


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ('{"output": "", "exit_code": 3, "error": null}', False),
        ('{"content": "", "error": "File not found: nope.txt"}', True),
        ('{"success": false}', True),
        ('{"status": "error", "output": ""}', True),
        ("Tool 'nosuch' does not exist. Available tools: clarify", True),
        ("Error: Invalid JSON arguments.", True),
        ("plain words of a plugin's tool", False),
        ("[1, 2]", False),
    ],
)
def test_a_failed_call_is_told_by_its_result(text: str, failed: bool) -> None:
    """Shapes of hermes-agent 0.19.0."""
    assert result_failed(text) is failed


CASES = [
    {"id": "shell", "prompt": "Run uptime in the terminal.", "required_toolsets": ["terminal"]},
    {"id": "none", "prompt": "What is the capital of Peru?", "required_toolsets": []},
]


def asked(case: str, arm: str, **more: Any) -> dict[str, Any]:
    """A first request that called nothing."""
    return {
        "row": "first",
        "id": case,
        "arm": arm,
        "offered": [],
        "called": [],
        "offered_toolsets": [],
        "called_toolsets": [],
        "input_tokens": 100,
        "cached_tokens": 0,
        "first_s": 1.0,
        "error": "",
        **more,
    }


def test_the_score_of_first_requests_is_worked_out_by_hand() -> None:
    """Full: both right, 2,000 tokens.  Routed: one of two, 500 tokens: 0.5 * 1.75."""
    shell = {"called": ["terminal"], "called_toolsets": ["terminal"]}
    made = [
        asked("shell", "full", input_tokens=1_000, offered=["terminal"], **shell),
        asked("none", "full", input_tokens=1_000),
        asked("shell", "routed", input_tokens=250, first_s=3.0),
        asked("none", "routed", input_tokens=250),
        asked("shell", "routed", error="status 500"),
    ]

    found = first_summary(made, CASES, seed=1)

    assert (found["pairs"], found["errors"]) == (2, 1)
    assert (found["full"]["right"], found["routed"]["right"]) == (1, 0.5)
    assert (found["saved"], found["score"]) == (0.75, 0.875)
    assert found["routed"]["first_s"] == 2.0


def test_a_first_call_of_a_tool_that_was_not_offered_is_counted() -> None:
    """It is what would be recovered in its step."""
    called = {"called": ["terminal"], "called_toolsets": ["terminal"], "offered": ["clarify"]}
    made = [asked("shell", "full"), asked("shell", "routed", **called)]

    found = first_summary(made, CASES, seed=1)

    assert found["routed"]["held_back_calls"] == 1
    assert first_summary([], CASES, seed=1) == {"cases": 2, "pairs": 0, "errors": 0}
