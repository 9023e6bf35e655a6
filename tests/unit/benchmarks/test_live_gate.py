"""The gate on tasks: what counts as evidence, what turns it red, and what is not measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hermes_tool_router.benchmarks.live_gate import LEAST_TASKS, NAME, RESULTS, look
from hermes_tool_router.benchmarks.live_journal import SCHEMA, version


def written(folder: Path, name: str = "live-m.json", **changed: Any) -> None:
    """A report of twenty tasks, of which both arms solve eighteen."""
    tasks: dict[str, Any] = {
        "tasks": LEAST_TASKS,
        "pairs": LEAST_TASKS,
        "full": {"solved": 18},
        "routed": {"solved": 18},
        "paired": {"solved": {"only_full": ["file.a", "cron.b"]}},
    }
    report = {
        "schema": SCHEMA,
        "model": "m",
        "plugin": version(),
        "reference": False,
        "tasks": tasks | changed.pop("tasks", {}),
        **changed,
    }
    (folder / name).write_text(json.dumps(report), encoding="utf-8")


def test_a_report_without_a_loss_holds_the_gate(tmp_path: Path) -> None:
    """And needs no remark."""
    written(tmp_path)

    found = look(tmp_path)

    assert found.gate is not None
    assert (found.gate.name, found.gate.held, found.gate.value) == (NAME, True, 0)
    assert found.remarks == ()


def test_a_lost_task_turns_it_red(tmp_path: Path) -> None:
    """The worst report decides; the tasks that only stock solves are named."""
    written(tmp_path)
    written(tmp_path, "live-n.json", tasks={"routed": {"solved": 16}})

    found = look(tmp_path)

    assert found.gate is not None
    assert (found.gate.held, found.gate.value) == (False, 2)
    assert found.gate.faults == ("file.a", "cron.b")


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        pytest.param({"schema": 1}, "schema 2", id="an older report"),
        pytest.param({"reference": True}, "no model", id="the reference solutions"),
        pytest.param({"plugin": "0.0.9"}, "version 0.0.9", id="another version of ours"),
        pytest.param({"tasks": {"pairs": 19}}, "19 tasks", id="too few tasks"),
        pytest.param({"tasks": {"tasks": 30}}, "20 tasks", id="an unfinished run"),
        pytest.param(
            {"tasks": {"full": {"solved": 11}, "routed": {"solved": 0}}},
            "m solves 11 of 20",
            id="a model that solves little",
        ),
    ],
)
def test_what_cannot_show_a_loss_is_no_evidence(
    tmp_path: Path, changed: dict[str, Any], why: str
) -> None:
    """Not measured, which is neither green nor red."""
    written(tmp_path, **changed)

    found = look(tmp_path)

    assert found.gate is None
    assert why in found.remarks[0]
    assert "not measured" in found.remarks[-1]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 2}'])
def test_a_damaged_report_is_no_evidence(tmp_path: Path, text: str) -> None:
    """And no reason to fail."""
    (tmp_path / "live-m.json").write_text(text, encoding="utf-8")

    assert look(tmp_path).gate is None


def test_a_report_of_first_requests_alone_is_no_evidence(tmp_path: Path) -> None:
    """They ran no tool."""
    written(tmp_path)
    report = json.loads((tmp_path / "live-m.json").read_text(encoding="utf-8"))
    (tmp_path / "live-m.json").write_text(json.dumps({**report, "tasks": None}), encoding="utf-8")

    found = look(tmp_path)

    assert found.gate is None
    assert "0 tasks" in found.remarks[0]


def test_the_committed_reports_are_no_evidence_yet() -> None:
    """The small local model's; README and docs claim nothing while this holds."""
    assert look(RESULTS).gate is None
