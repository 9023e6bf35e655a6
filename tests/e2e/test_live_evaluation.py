"""``benchmarks/live.py`` on a loopback endpoint: two arms, resumable, capped, troubles kept."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tool_router.benchmarks.live import main
from hermes_tool_router.benchmarks.live_ask import Asker
from hermes_tool_router.benchmarks.live_endpoint import Budget, Caller, Endpoint
from hermes_tool_router.benchmarks.live_tasks import read_tasks, solver
from hermes_tool_router.probe.home import SOURCE
from hermes_tool_router.probe.model import StubModel
from hermes_tool_router.probe.script import Request, Step, ToolCall, say

CASES = [
    {"id": "shell", "prompt": "Run uptime in the terminal.", "required_toolsets": ["terminal"]},
    {"id": "none", "prompt": "What is the capital of Peru?", "required_toolsets": []},
]
KEY = "-".join(("loopback", "only", "key"))
RECOVERY = "recovery.build-steps"


def damage(trace: Path) -> Callable[[Request], Step]:
    """A model whose call would leave a trace, were it run."""

    def answered(request: Request) -> Step:
        if "uptime" not in request.opener:
            return say("Lima.")
        command = {"command": f"touch {trace}"}
        return Step(calls=(ToolCall(name="terminal", arguments=command),))

    return answered


def rows(path: Path) -> list[dict[str, Any]]:
    """The run's results."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines[1:]]


@pytest.fixture
def arguments(tmp_path: Path) -> list[str]:
    """Cases, and where the report goes."""
    cases = tmp_path / "cases.jsonl"
    cases.write_text("\n".join(json.dumps(case) for case in CASES), encoding="utf-8")
    return ["--cases", str(cases), "--model", "stub", "--out", str(tmp_path / "live.jsonl")]


@pytest.mark.hermes
def test_both_arms_are_asked_once_and_no_tool_runs(
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A small budget stops it, a second run goes on, a third has nothing to ask."""
    monkeypatch.setenv("LIVE_TEST_KEY", KEY)
    out, trace = tmp_path / "live.jsonl", tmp_path / "a-tool-was-run"
    with StubModel(damage(trace)) as model:
        more = ["--base-url", model.base_url, "--key-env", "LIVE_TEST_KEY"]
        stopped = main([*arguments, *more, "--max-requests", "2"])
        first, told = len(model.turns), capsys.readouterr()
        finished = main([*arguments, *more])
        second = len(model.turns)
        again = main([*arguments, *more])
        third = len(model.turns)

    assert (stopped, finished, again) == (0, 0, 0)
    assert (first, second, third) == (2, 4, 4)
    assert "missing: " in told.out
    assert "the budget is spent" in told.err
    made = rows(out)
    assert {(row["id"], row["arm"]) for row in made} == {
        (case, arm) for case in ("shell", "none") for arm in ("full", "routed")
    }
    shell = {row["arm"]: row for row in made if row["id"] == "shell"}
    assert shell["full"]["called_toolsets"] == shell["routed"]["called_toolsets"] == ["terminal"]
    assert len(shell["routed"]["offered"]) < len(shell["full"]["offered"])
    assert not trace.exists()
    assert KEY not in out.read_text(encoding="utf-8")
    assert "2 first requests, stub" in capsys.readouterr().out


@pytest.mark.hermes
def test_a_killed_run_of_tasks_is_gone_on_with(tmp_path: Path) -> None:
    """It ends in the second arm; that arm alone is played again, and its pruned tool recovered."""
    out, found = tmp_path / "run.jsonl", tmp_path / "report.json"
    with StubModel(solver(read_tasks().tasks)) as model:
        arguments = ["tasks", "--only", RECOVERY, "--base-url", model.base_url, "--model", "stub"]
        arguments += ["--out", str(out), "--json", str(found)]
        status = killed_after_a_row([str(SOURCE / "benchmarks" / "live.py"), *arguments], out)
        kept = [(row["id"], row["arm"]) for row in rows(out)]
        gone_on = main(arguments)

    assert (status, kept, gone_on) == (130, [(RECOVERY, "full")], 0)
    assert [row["arm"] for row in rows(out)] == ["full", "routed"]
    report = json.loads(found.read_text(encoding="utf-8"))
    tasks = report["tasks"]
    assert (report["complete"], report["first"], tasks["pairs"]) == (True, None, 1)
    assert (tasks["full"]["solved"], tasks["routed"]["solved"]) == (1, 1)
    assert (tasks["full"]["held_back_calls"], tasks["routed"]["held_back_calls"]) == (0, 1)
    assert tasks["routed"]["recovered"] == 1
    assert tasks["full"]["calls_succeeded"] == tasks["routed"]["calls_succeeded"] == 1
    assert tasks["full"]["recall"] == tasks["routed"]["recall"] == 1
    assert tasks["full"]["exact_route"] == 0
    assert tasks["paired"]["input_saved"]["share"] > 0.3
    assert report["host"] == "0.19.0"


def killed_after_a_row(command: list[str], out: Path) -> int:
    """Start a run, end it with SIGTERM when the first row is there, and return its status."""
    process = subprocess.Popen(
        [sys.executable, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        while process.poll() is None and (not out.exists() or not rows(out)):
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        return process.wait(60)
    finally:
        process.kill()
        process.wait()


@pytest.mark.nightly
@pytest.mark.hermes
@pytest.mark.timeout(3_600)
def test_every_reference_solution_works_in_both_arms(tmp_path: Path) -> None:
    """Each task can be solved with all tools and with the routed ones, every call recovered."""
    found = tmp_path / "report.json"

    status = main(
        ["tasks", "--reference", "--out", str(tmp_path / "run.jsonl"), "--json", str(found)]
    )

    report = json.loads(found.read_text(encoding="utf-8"))
    tasks = report["tasks"]
    unsolved = [
        (row["id"], arm)
        for row in tasks["rows"]
        for arm in ("full", "routed")
        if not row[arm]["solved"]
    ]
    assert (status, report["missing"], unsolved) == (0, [], [])
    assert tasks["routed"]["recovered"] == tasks["routed"]["held_back_calls"] > 0


def test_what_must_not_be_mixed_or_is_not_set_is_refused(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A key that is not there, no endpoint, a file that is no run, tasks that no id names."""
    where = ["--base-url", "http://127.0.0.1:9/v1"]
    out = tmp_path / "live.jsonl"

    unset = main([*arguments, *where, "--key-env", "NO_SUCH_VARIABLE"])
    nowhere = main(arguments)
    unknown = main(["tasks", *arguments, *where, "--only", "no such task"])
    out.write_text("{", encoding="utf-8")
    odd = main([*arguments, *where])
    unsolvable = main(["--reference", "--out", str(out)])

    assert (unset, nowhere, unknown, odd, unsolvable) == (2, 2, 2, 2, 2)
    told = capsys.readouterr().err
    for part in ("NO_SUCH_VARIABLE", "--base-url", "no such task", "no live run", "no solution"):
        assert part in told


class TestAsker:
    REQUEST = Request(
        index=0,
        raw=b"",
        tools_raw=b"",
        body={
            "messages": [{"role": "user", "content": "Run uptime."}],
            "tools": [{"type": "function", "function": {"name": "terminal", "parameters": {}}}],
        },
    )

    def test_a_session_is_asked_about_once(self, tmp_path: Path) -> None:
        """Hermes is told a plain text each time, so that no tool runs."""
        with StubModel(damage(tmp_path / "x")) as model:
            endpoint = Endpoint(base_url=model.base_url, model="stub")
            asker = Asker(Caller(endpoint, Budget(requests=5, input_tokens=1_000_000)))
            told = (asker(self.REQUEST), asker(self.REQUEST))
            sent = len(model.requests)

        found = asker.answers["Run uptime."]
        assert told == (say("Noted."), say("Noted."))
        assert sent == 1
        assert (found.called, found.offered, found.error) == (("terminal",), ("terminal",), "")

    def test_a_refusal_is_noted(self) -> None:
        """By its status alone."""
        with StubModel(lambda request: Step(status=401)) as model:
            endpoint = Endpoint(base_url=model.base_url, model="stub")
            asker = Asker(Caller(endpoint, Budget(requests=5, input_tokens=10)))
            asker(self.REQUEST)

        assert asker.answers["Run uptime."].error == "status 401"


@pytest.mark.hermes
def test_an_endpoint_that_refuses_keeps_what_was_answered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One question; the row says why, the run ends with 1 and says what is missing."""
    out = tmp_path / "run.jsonl"
    with StubModel(lambda request: Step(status=401)) as model:
        status = main(
            [
                *("tasks", "--only", RECOVERY, "--model", "stub", "--out", str(out)),
                *("--base-url", model.base_url),
            ]
        )
        asked = len(model.requests)

    assert (status, asked) == (1, 1)
    assert [(row["arm"], row["error"]) for row in rows(out)] == [("full", "status 401")]
    told = capsys.readouterr().out
    assert f"{RECOVERY} (full: status 401)" in told
    assert "the key was refused" in told
