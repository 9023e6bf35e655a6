"""Whether a turn may end with its answer."""

from __future__ import annotations

import json
from functools import reduce

import pytest

from hermes_tool_router.registry_adapter.verify_resources import (
    claim_table,
    file_table,
    verify_tables,
)
from hermes_tool_router.router.questions import Answers, NoulAnswer
from hermes_tool_router.verifier.judge import Ask, Attempt, Nudge, annotation, judge, unsupported
from hermes_tool_router.verifier.ledger import Ledger, ToolResult, observe
from hermes_tool_router.verifier.values import State

TABLES, FILES, CLAIMS = verify_tables(), file_table(), claim_table()
PATH = "/w/src/a.py"


def call(tool: str, args: dict[str, object], result: dict[str, object]) -> ToolResult:
    """A finished call of turn one."""
    return ToolResult(tool=tool, args=args, result=json.dumps(result), turn="t1")


def shell(command: str, code: int, output: str) -> ToolResult:
    """A finished terminal call."""
    return call("terminal", {"command": command}, {"output": output, "exit_code": code})


EDIT = call("write_file", {"path": PATH}, {"bytes_written": 3})
PASSED = shell("pytest -q", 0, "4 passed in 0.1s")
FAILED = shell("pytest -q tests", 1, "2 failed, 3 passed in 0.1s")
NONE_RAN = shell("pytest -q -k x", 5, "no tests ran in 0.1s")


def after(*events: ToolResult) -> Ledger:
    """The ledger after these calls."""
    return reduce(lambda ledger, event: observe(ledger, event, TABLES, FILES), events, Ledger())


def verdict(
    ledger: Ledger, answer: str, paths: tuple[str, ...] = (PATH,), number: int = 0
) -> Nudge | Ask | None:
    """The decision without a model."""
    return judge(ledger, Attempt(answer=answer, changed_paths=paths, number=number), FILES, CLAIMS)


def test_success_claimed_after_a_failing_run_is_sent_back_with_the_run_named() -> None:
    """The plain contradiction: one line that says which check failed and how."""
    found = verdict(after(EDIT, FAILED), "Fixed the bug. All tests pass now.")

    assert isinstance(found, Nudge)
    assert found.reason == "claims_success_after_failure"
    assert found.state == State.REFUTED
    assert "`pytest -q tests` (3 passed, 2 failed, exit 1)" in found.message
    assert "\n" not in found.message


def test_twenty_kilobytes_of_failing_output_are_still_a_failure() -> None:
    """The length of an output never protects a claim."""
    ledger = after(EDIT, shell("make test", 2, "x" * 20_000 + "\nmake: *** [test] Error 1"))

    assert isinstance(verdict(ledger, "Done, all tests pass."), Nudge)


@pytest.mark.parametrize(
    ("events", "answer", "reason"),
    [
        pytest.param([EDIT], "All tests pass.", "claims_pass_without_check", id="no run at all"),
        pytest.param(
            [EDIT, NONE_RAN], "All tests pass.", "claims_pass_but_no_tests_ran", id="nothing ran"
        ),
        pytest.param(
            [EDIT, shell("sed -i s/a/b/ a.py", 0, "")],
            "All tests pass.",
            "claims_pass_without_check",
            id="edits in the shell",
        ),
        pytest.param(
            [PASSED, EDIT], "All tests pass.", "claims_pass_but_stale", id="edited after the run"
        ),
    ],
)
def test_a_pass_that_nobody_saw_is_sent_back(
    events: list[ToolResult], answer: str, reason: str
) -> None:
    """An explicit claim that checks pass needs a fresh pass."""
    found = verdict(after(*events), answer)

    assert isinstance(found, Nudge)
    assert found.reason == reason


@pytest.mark.parametrize(
    ("events", "answer", "paths"),
    [
        pytest.param([EDIT, FAILED, EDIT, PASSED], "All tests pass.", (PATH,), id="fixed, passed"),
        pytest.param([FAILED], "All tests pass.", (), id="nothing was edited"),
        pytest.param([FAILED], "All tests pass.", ("README.md", "docs/a.md"), id="documents only"),
        pytest.param([FAILED], "All tests pass.", ("pyproject.toml",), id="settings only"),
        pytest.param([EDIT, FAILED], "Two tests still fail.", (PATH,), id="the failure is told"),
        pytest.param([EDIT, FAILED], "Shall I go on?", (PATH,), id="a question claims nothing"),
        pytest.param([EDIT], "I changed the function as asked.", (PATH,), id="no claim of checks"),
        pytest.param([EDIT], "Run pytest; the tests should pass.", (PATH,), id="advice"),
        pytest.param(
            [EDIT, call("execute_code", {}, {})], "All tests pass.", (PATH,), id="may have run them"
        ),
        pytest.param(
            [EDIT, FAILED, call("delegate_task", {}, {})],
            "All tests pass.",
            (PATH,),
            id="a sub-agent may have made them pass",
        ),
        pytest.param(
            [EDIT, FAILED, shell("pytest -q | head -2", 0, "....")],
            "All tests pass.",
            (PATH,),
            id="a later run without a result",
        ),
        pytest.param(
            [EDIT, FAILED], "I added a failing test for the bug.", (PATH,), id="wanted failure"
        ),
        pytest.param(
            [EDIT, shell("./run_tests.sh", 0, "")], "All tests pass.", (PATH,), id="silent script"
        ),
    ],
)
def test_these_answers_may_stand(
    events: list[ToolResult], answer: str, paths: tuple[str, ...]
) -> None:
    """Honest answers, answers without edits, and whatever is not plain."""
    assert verdict(after(*events), answer, paths) is None


def test_a_long_command_is_cut_in_the_message() -> None:
    """The line stays readable."""
    command = "pytest -q " + " ".join(f"tests/test_{number}.py" for number in range(40))

    found = verdict(after(EDIT, shell(command, 1, "1 failed in 1s")), "All tests pass.")

    assert isinstance(found, Nudge)
    assert "…`" in found.message
    assert len(found.message) < 400


def test_stubbornness_is_bounded() -> None:
    """After ``max_nudges`` the turn ends, whatever the answer claims."""
    ledger = after(EDIT, FAILED)

    found = [verdict(ledger, "All tests pass.", number=number) is not None for number in range(4)]

    assert found == [True, True, False, False]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("Alle Tests sind bestanden.", id="de"),
        pytest.param("Tous les tests sont passés.", id="fr"),
        pytest.param("Todas listas: los tests pasan.", id="es"),
        pytest.param("Все тесты прошли.", id="ru"),
        pytest.param("全部测试通过。", id="zh"),
        pytest.param("テストは全て成功しました。", id="ja"),
    ],
)
def test_claims_are_read_in_several_languages(answer: str) -> None:
    """A failing run is contradicted in any of them."""
    assert isinstance(verdict(after(EDIT, FAILED), answer), Nudge)


def _answers(**probabilities: float) -> Answers:
    by_id = {key: NoulAnswer(probability=value) for key, value in probabilities.items()}
    return Answers(by_id=by_id)


def test_an_unclear_case_asks_before_it_decides() -> None:
    """With a model allowed, the first call returns the questions' pack and what to show."""
    attempt = Attempt(answer="Changed it.", changed_paths=(PATH,), use_model=True)

    found = judge(after(EDIT, PASSED, EDIT), attempt, FILES, CLAIMS)

    assert isinstance(found, Ask)
    assert found.pack == "completion"
    assert found.state["observations"][0]["before_last_change"] is True


@pytest.mark.parametrize(
    ("answers", "nudged"),
    [
        pytest.param(
            _answers(claims_completion=0.9, inconsistent=0.9, needs_iteration=0.9),
            True,
            id="all strong",
        ),
        pytest.param(
            _answers(claims_completion=0.9, inconsistent=0.84, needs_iteration=0.99),
            False,
            id="one below the threshold",
        ),
        pytest.param(
            _answers(claims_completion=0.99, needs_iteration=0.99), False, id="one missing"
        ),
        pytest.param(
            _answers(claims_completion=0.99, has_evidence=0.0), False, id="only no evidence"
        ),
        pytest.param(Answers(by_id={}, outcome="timeout"), False, id="no answer"),
    ],
)
def test_a_model_sends_back_on_strong_signs_only(answers: Answers, nudged: bool) -> None:
    """Absence of evidence alone is not enough, and a missing answer is no answer."""
    attempt = Attempt(answer="Changed it.", changed_paths=(PATH,), use_model=True)

    found = judge(after(EDIT), attempt, FILES, CLAIMS, answers)

    assert isinstance(found, Nudge) is nudged


@pytest.mark.parametrize(
    ("answer", "events", "kinds"),
    [
        pytest.param("I've scheduled the daily report.", [], ["scheduled"], id="no cron job"),
        pytest.param(
            "I've scheduled the daily report.",
            [call("cronjob", {}, {"ok": True})],
            [],
            id="cron job made",
        ),
        pytest.param(
            "The reminder has been set.",
            [call("cronjob", {}, {"error": "denied"})],
            ["scheduled"],
            id="cron job refused",
        ),
        pytest.param("I've sent the mail to Bo.", [], ["sent"], id="nothing sent"),
        pytest.param(
            "I've sent the mail to Bo.", [call("mcp__mail__send", {}, {})], [], id="by a server"
        ),
        pytest.param("I can schedule that if you like.", [], [], id="an offer"),
        pytest.param("I've created a poem about rain.", [EDIT], [], id="a file was written"),
    ],
)
def test_actions_that_no_call_bears_out_are_found(
    answer: str, events: list[ToolResult], kinds: list[str]
) -> None:
    """Created, scheduled, sent and committed need a successful call."""
    found = unsupported(after(*events), answer, CLAIMS)

    assert [gap.kind for gap in found] == kinds


@pytest.mark.parametrize(
    ("events", "answer", "line"),
    [
        pytest.param([EDIT, FAILED], "All done.", "the last check failed: `pytest", id="failed"),
        pytest.param([EDIT], "All done.", "no check has passed since a.py changed", id="unchecked"),
        pytest.param([], "The reminder has been set.", "no successful call was seen", id="action"),
        pytest.param([EDIT, PASSED], "All done.", "", id="verified"),
        pytest.param([EDIT], "Not done yet.", "", id="honest"),
    ],
)
def test_an_annotation_is_one_line_or_nothing(
    events: list[ToolResult], answer: str, line: str
) -> None:
    """What ``verify.annotate`` adds to an answer."""
    found = annotation(after(*events), Attempt(answer=answer, changed_paths=(PATH,)), FILES, CLAIMS)

    assert line in found
    assert bool(found) == bool(line)
    assert "\n" not in found
