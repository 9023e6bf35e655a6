"""``benchmarks/live.py`` on a loopback endpoint: two arms, no tool run, resumable, capped."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tool_router.benchmarks.live import main, summary
from hermes_tool_router.benchmarks.live_ask import Answer, Asker, Budget, Endpoint
from hermes_tool_router.probe.model import StubModel
from hermes_tool_router.probe.script import Request, Step, ToolCall, say

CASES = [
    {"id": "shell", "prompt": "Run uptime in the terminal.", "required_toolsets": ["terminal"]},
    {"id": "none", "prompt": "What is the capital of Peru?", "required_toolsets": []},
]
KEY = "-".join(("loopback", "only", "key"))


def damage(trace: Path) -> Callable[[Request], Step]:
    """A model whose call would leave a trace, were it run."""

    def answered(request: Request) -> Step:
        if "uptime" not in request.opener:
            return say("Lima.")
        command = {"command": f"touch {trace}"}
        return Step(calls=(ToolCall(name="terminal", arguments=command),))

    return answered


def rows(path: Path) -> list[dict[str, Any]]:
    """The report's rows."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


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
        first = len(model.turns)
        finished = main([*arguments, *more])
        second = len(model.turns)
        again = main([*arguments, *more])
        third = len(model.turns)

    assert (stopped, finished, again) == (0, 0, 0)
    assert (first, second, third) == (2, 4, 4)
    made = rows(out)
    assert {(row["case"], row["arm"]) for row in made} == {
        (case, arm) for case in ("shell", "none") for arm in ("full", "routed")
    }
    shell = {row["arm"]: row for row in made if row["case"] == "shell"}
    assert shell["full"]["called_toolsets"] == shell["routed"]["called_toolsets"] == ["terminal"]
    assert len(shell["routed"]["offered"]) < len(shell["full"]["offered"])
    assert not trace.exists()
    assert KEY not in out.read_text(encoding="utf-8")
    assert "2 cases, stub" in capsys.readouterr().out


def test_what_must_not_be_mixed_or_is_not_set_is_refused(
    arguments: list[str], tmp_path: Path
) -> None:
    """A key that is not there, a report of another model, a file that is no report."""
    where = ["--base-url", "http://127.0.0.1:9/v1"]
    out = tmp_path / "live.jsonl"

    unset = main([*arguments, *where, "--key-env", "NO_SUCH_VARIABLE"])
    out.write_text('{"version": 1, "model": "other"}\n', encoding="utf-8")
    other = main([*arguments, *where])
    out.write_text("{", encoding="utf-8")
    odd = main([*arguments, *where])

    assert (unset, other, odd) == (2, 2, 2)


class TestAsker:
    REQUEST = Request(
        index=0,
        raw=b"",
        tools_raw=b"",
        body={
            "messages": [{"role": "user", "content": "Run uptime."}],
            "tools": [{"type": "function", "function": {"name": "terminal", "parameters": {}}}],
            "reasoning_effort": "high",
        },
    )

    def ask(self, model: StubModel, budget: Budget) -> Answer:
        """One session's two requests."""
        asker = Asker(Endpoint(base_url=model.base_url, model="stub", key=KEY), budget)
        assert asker(self.REQUEST) == asker(self.REQUEST) == say("Noted.")
        return asker.answers["Run uptime."]

    def test_a_session_is_asked_about_once_and_its_answer_is_read(self, tmp_path: Path) -> None:
        """The call's name, the endpoint's own count, and only standard fields are sent."""
        budget = Budget(requests=5, input_tokens=1_000_000)
        with StubModel(damage(tmp_path / "x")) as model:
            found = self.ask(model, budget)
            (sent,) = model.requests

        assert (found.called, found.offered, found.error) == (("terminal",), ("terminal",), "")
        assert found.first_s > 0
        assert budget.requests == 4
        assert budget.input_tokens == 1_000_000 - found.input_tokens
        assert "reasoning_effort" not in sent.body

    def test_a_refusal_is_noted_and_counts_against_the_budget(self) -> None:
        """By its status alone."""
        budget = Budget(requests=1, input_tokens=10)
        with StubModel([Step(status=500)]) as model:
            found = self.ask(model, budget)

        assert found.error == "status 500"
        assert budget.spent

    def test_nobody_listening_is_noted(self) -> None:
        """The exception's name, without the address."""
        asker = Asker(
            Endpoint(base_url="http://127.0.0.1:9/v1", model="m"),
            Budget(requests=1, input_tokens=1),
        )

        asker(self.REQUEST)

        assert asker.answers["Run uptime."].error == "ConnectError"

    def test_a_spent_budget_sends_nothing(self) -> None:
        """The row says why."""
        with StubModel() as model:
            found = self.ask(model, Budget(requests=0, input_tokens=10))

            assert model.requests == ()
        assert found.error == "budget"


def row(case: str, arm: str, **more: Any) -> dict[str, Any]:
    """One row that called nothing."""
    return {
        "case": case,
        "arm": arm,
        "offered": [],
        "called": [],
        "offered_toolsets": [],
        "called_toolsets": [],
        "input_tokens": 100,
        "first_s": 1.0,
        "error": "",
        **more,
    }


def test_the_score_is_worked_out_by_hand() -> None:
    """Full: both right, 2,000 tokens.  Routed: one of two, 500 tokens: 0.5 * 1.75."""
    shell = {"called": ["terminal"], "called_toolsets": ["terminal"]}
    made = [
        row("shell", "full", input_tokens=1_000, offered=["terminal"], **shell),
        row("none", "full", input_tokens=1_000),
        row("shell", "routed", input_tokens=250, first_s=3.0),
        row("none", "routed", input_tokens=250),
        row("shell", "routed", error="status 500"),
    ]

    found = summary(made, CASES)

    assert (found["pairs"], found["errors"]) == (2, 1)
    assert (found["full"]["right"], found["routed"]["right"]) == (1, 0.5)
    assert (found["saved"], found["score"]) == (0.75, 0.875)
    assert found["routed"]["first_s"] == 2.0


def test_a_call_of_a_tool_that_was_not_offered_is_counted() -> None:
    """It is what would be recovered in its step."""
    called = {"called": ["terminal"], "called_toolsets": ["terminal"], "offered": ["clarify"]}
    made = [row("shell", "full"), row("shell", "routed", **called)]

    found = summary(made, CASES)

    assert found["routed"]["held_back_calls"] == 1
    assert summary([], CASES) == {"pairs": 0, "errors": 0}
