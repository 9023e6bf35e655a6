"""What a session's calls show about the files that it changed."""

from __future__ import annotations

import json
from functools import reduce

import pytest

from hermes_tool_router.registry_adapter.verify_resources import file_table, verify_tables
from hermes_tool_router.verifier.ledger import Ledger, ToolResult, observe, standing
from hermes_tool_router.verifier.values import State

TABLES, FILES = verify_tables(), file_table()


def shell(command: str, code: int = 0, output: str = "", turn: str = "t1") -> ToolResult:
    """A finished terminal call."""
    result = json.dumps({"output": output, "exit_code": code, "error": None})
    return ToolResult(tool="terminal", args={"command": command}, result=result, turn=turn)


def write(path: str, turn: str = "t1") -> ToolResult:
    """A landed write."""
    result = json.dumps({"bytes_written": 3, "resolved_path": path})
    return ToolResult(tool="write_file", args={"path": path}, result=result, turn=turn)


def after(*events: ToolResult) -> Ledger:
    """The ledger after these calls."""
    return reduce(lambda ledger, event: observe(ledger, event, TABLES, FILES), events, Ledger())


PASSED = shell("pytest -q", 0, "4 passed in 0.1s")
FAILED = shell("pytest -q", 1, "1 failed, 3 passed in 0.1s")
EDIT = write("/w/src/a.py")


@pytest.mark.parametrize(
    ("events", "state"),
    [
        pytest.param([EDIT], State.UNVERIFIED, id="edit alone"),
        pytest.param([EDIT, PASSED], State.VERIFIED, id="pass after the edit"),
        pytest.param([PASSED, EDIT], State.UNVERIFIED, id="pass before the edit"),
        pytest.param([EDIT, FAILED], State.REFUTED, id="failure after the edit"),
        pytest.param([EDIT, FAILED, PASSED], State.VERIFIED, id="failure, then a pass"),
        pytest.param([EDIT, FAILED, EDIT], State.REFUTED, id="edit after a failure, no new run"),
        pytest.param([EDIT, PASSED, shell("ls -la")], State.VERIFIED, id="looking changes nothing"),
        pytest.param([EDIT, PASSED, shell("git diff | cat")], State.VERIFIED, id="reading neither"),
        pytest.param([EDIT, PASSED, shell("sed -i s/a/b/ src/a.py")], State.OBSERVED, id="sed -i"),
        pytest.param([EDIT, PASSED, shell("git stash")], State.OBSERVED, id="stash after the pass"),
        pytest.param([EDIT, PASSED, shell("rm -rf /tmp/x")], State.VERIFIED, id="scratch files"),
        pytest.param([EDIT, PASSED, shell("echo x > log.txt")], State.VERIFIED, id="a log is none"),
        pytest.param(
            [EDIT, shell("sed -i s/a/b/ b.py && pytest -q", 0, "4 passed in 1s")],
            State.VERIFIED,
            id="change before the check in one command",
        ),
        pytest.param(
            [EDIT, shell("pytest -q && black .", 0, "4 passed in 1s")],
            State.OBSERVED,
            id="formatter after the check in one command",
        ),
        pytest.param([EDIT, shell("npx eslint .")], State.UNVERIFIED, id="check of other files"),
        pytest.param([EDIT, shell("make test", 0, "ok")], State.VERIFIED, id="check of any files"),
        pytest.param(
            [EDIT, PASSED, ToolResult(tool="execute_code", args={}, result="{}", turn="t1")],
            State.OBSERVED,
            id="code that may have changed files",
        ),
        pytest.param(
            [EDIT, shell("pytest -q | head -2", 0, "....")], State.UNVERIFIED, id="unknown result"
        ),
        pytest.param(
            [EDIT, shell("pytest -q", 0, "3 skipped in 0.1s")], State.UNVERIFIED, id="nothing ran"
        ),
        pytest.param([FAILED, write("/w/src/a.py", "t2")], State.UNVERIFIED, id="older turn"),
    ],
)
def test_changed_files_stand_as_the_order_of_calls_tells(
    events: list[ToolResult], state: State
) -> None:
    """Only changes make a pass stale, and only the turn's own failures refute."""
    found = standing(after(*events), ("/w/src/a.py",), FILES)

    assert found.state == state


def test_a_change_that_was_not_observed_leaves_freshness_open() -> None:
    """The host can skip observers, so its word about changed files counts."""
    found = standing(after(PASSED), ("/w/src/other.py",), FILES)

    assert found.state == State.OBSERVED


def test_relative_and_absolute_paths_are_one_file() -> None:
    """The host reports either."""
    found = standing(after(PASSED, write("src/a.py")), ("/w/src/a.py",), FILES)

    assert found.state == State.UNVERIFIED


def test_a_background_check_counts_when_it_ends() -> None:
    """``process`` brings the status and the output of what ``terminal`` started."""
    started = ToolResult(
        tool="terminal",
        args={"command": "pytest", "background": True},
        result=json.dumps({"output": "started", "exit_code": 0, "session_id": "p1"}),
        turn="t1",
    )
    ended = ToolResult(
        tool="process",
        args={"action": "poll", "session_id": "p1"},
        result=json.dumps({"status": "exited", "exit_code": 1, "output": "2 failed in 3s"}),
        turn="t1",
    )

    before = standing(after(EDIT, started), ("/w/src/a.py",), FILES)
    found = standing(after(EDIT, started, ended), ("/w/src/a.py",), FILES)

    assert (before.state, found.state) == (State.UNVERIFIED, State.REFUTED)


@pytest.mark.parametrize(
    "event",
    [
        pytest.param(
            ToolResult(tool="terminal", args={"command": "pytest"}, result="x", status="blocked"),
            id="blocked",
        ),
        pytest.param(
            ToolResult(
                tool="terminal",
                args={"command": "pytest"},
                result=json.dumps({"status": "approval_required", "exit_code": -1}),
            ),
            id="waits for approval",
        ),
        pytest.param(ToolResult(tool="terminal", args=None, result="{"), id="no arguments"),
        pytest.param(ToolResult(tool="terminal", args={"command": 3}, result="[]"), id="no text"),
        pytest.param(
            ToolResult(tool="process", args={"session_id": "x"}, result='{"exit_code": 0}'),
            id="process of nobody",
        ),
        pytest.param(
            ToolResult(tool="write_file", args={"path": "a.py"}, result='{"error": "denied"}'),
            id="write that failed",
        ),
        pytest.param(
            ToolResult(tool="patch", args={"path": "a.py"}, result='{"success": false}'),
            id="patch that failed",
        ),
    ],
)
def test_what_did_not_happen_leaves_no_evidence(event: ToolResult) -> None:
    """Nothing is checked and nothing is changed by it."""
    ledger = after(event)

    assert (ledger.evidence, ledger.changed) == ((), {})


def test_a_patch_of_many_files_changes_each_that_the_host_names() -> None:
    """``files_modified`` is what really happened, whatever the arguments say."""
    patch = ToolResult(
        tool="patch",
        args={"mode": "patch", "patch": "…"},
        result=json.dumps({"success": True, "files_modified": ["/w/a.py", "/w/b.py"]}),
    )

    assert after(patch).changed == {"/w/a.py": 1, "/w/b.py": 1}


def test_a_background_command_that_checks_nothing_is_not_waited_for() -> None:
    """A server may run for hours."""
    server = ToolResult(
        tool="terminal",
        args={"command": "npm run dev", "background": True},
        result=json.dumps({"session_id": "p1", "exit_code": 0, "output": ""}),
    )

    assert after(server).waiting == {}


def test_the_record_is_bounded() -> None:
    """A session of thousands of calls keeps the newest of each kind."""
    events = [e for i in range(400) for e in (write(f"/w/{i}.py"), PASSED)]

    ledger = after(*events)

    assert len(ledger.evidence) == 32
    assert len(ledger.changed) == 256
    assert len(ledger.actions) == 64
