"""Tasks of the live evaluation: their data, their checks, their reference solutions."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tool_router.benchmarks.live_tasks import (
    TASKS,
    Check,
    Seen,
    Task,
    prepare,
    read_tasks,
    solver,
)
from hermes_tool_router.benchmarks.options import UsageError
from hermes_tool_router.probe.script import Request, call, say

SHEET = """\
provenance: "these tests"
schema: 1
tasks:
  - id: "note.write"
    kind: "file"
    source: "authored"
    files: {"a/b.txt": "old"}
    turns:
      - say: "Write it."
        needs: ["file"]
        midway: ["terminal"]
        solution:
          - {call: "write_file", with: {path: "a/b.txt", content: "new"}}
          - {say: "Written."}
      - say: "And again."
        needs_any: [["file", "terminal"]]
        accept: ["web"]
        solution: [{say: "Twice."}]
    checks: [{file: "a/b.txt", equals: "new"}]
"""


def sheet(tmp_path: Path, text: str = SHEET) -> Path:
    """A tasks file."""
    path = tmp_path / "tasks.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def task(tmp_path: Path) -> Task:
    """The task of the sheet above."""
    return read_tasks(sheet(tmp_path)).tasks[0]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        pytest.param("schema: 1", "schema: 9", "schema 9 is not known", id="another schema"),
        pytest.param('kind: "file"', "kinds: 1", "note.write", id="an unknown key, its task named"),
        pytest.param('"a/b.txt": "old"', '"../b": "old"', "inside the folder", id="a way out"),
        pytest.param('equals: "new"', 'matches: "("', "regular expression", id="a bad expression"),
        pytest.param(', equals: "new"', "", "one of 'equals'", id="a check without a test"),
        pytest.param('{say: "Twice."}', "{}", "'call' or 'say'", id="an empty step"),
        pytest.param("note.write", "Note", "pattern", id="an odd id"),
        pytest.param("provenance:", "provenance: [", "not YAML", id="no YAML"),
    ],
)
def test_a_broken_rule_is_named(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    """With the task and what was expected."""
    path = sheet(tmp_path, SHEET.replace(old, new, 1))

    with pytest.raises(UsageError, match=complaint):
        read_tasks(path)


def test_two_tasks_with_one_opener_are_refused(tmp_path: Path) -> None:
    """The opener tells conversations apart."""
    text = SHEET + SHEET[SHEET.index("  - id") :].replace("note.write", "note.other")

    with pytest.raises(UsageError, match=r"opener 'Write it\.'"):
        read_tasks(sheet(tmp_path, text))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """With its path."""
    with pytest.raises(UsageError, match=r"cannot read .*nothing\.yaml"):
        read_tasks(tmp_path / "nothing.yaml")


def test_the_digest_tells_tasks_apart(tmp_path: Path) -> None:
    """A run is not gone on with under other tasks."""
    before = read_tasks(sheet(tmp_path)).digest

    after = read_tasks(sheet(tmp_path, SHEET.replace("Twice", "Thrice"))).digest

    assert before != after


def test_requirements_and_what_is_no_excess(task: Task) -> None:
    """Needs are groups of one; what the work may show is no excess."""
    first, second = task.turns

    assert first.requirements == (frozenset({"file"}),)
    assert first.useful == {"file", "terminal"}
    assert second.requirements == (frozenset({"file", "terminal"}),)
    assert second.useful == {"file", "terminal", "web"}


def asked(*roles_and_texts: tuple[str, str]) -> Request:
    """A request with these messages."""
    messages = [{"role": role, "content": text} for role, text in roles_and_texts]
    return Request(index=0, raw=b"", tools_raw=b"", body={"messages": messages})


def test_a_solution_is_played_by_turn_and_step(task: Task) -> None:
    """By the messages alone, so that a new process goes on with it."""
    play = solver([task])
    start = (("system", "You are."), ("user", "Write it."))
    second = (*start, ("assistant", ""), ("tool", "{}"))
    later = (*second, ("assistant", "Written."), ("user", "And again."))

    assert play(asked(*start)) == call("write_file", path="a/b.txt", content="new")
    assert play(asked(*second)) == say("Written.")
    assert play(asked(*later)) == say("Twice.")
    assert play(asked(*later, ("assistant", "Twice."))) == say("Done.")


class TestChecks:
    def holds(self, tmp_path: Path, **check: object) -> bool:
        """Whether it holds in a folder with one file, after two answers."""
        work, home = tmp_path / "work", tmp_path / "home"
        for folder in (work, home):
            folder.mkdir()
        (work / "a.txt").write_text("one \ntwo\n\n", encoding="utf-8")
        (home / "m.md").write_text("port 8123", encoding="utf-8")
        seen = Seen(
            work=work, home=home, answers=["It is 42.", "Done."], succeeded=frozenset({"todo"})
        )
        return seen.holds(Check.model_validate(check))

    @pytest.mark.parametrize(
        ("check", "expected"),
        [
            pytest.param({"file": "a.txt", "equals": "one\ntwo"}, True, id="equal but for blanks"),
            pytest.param({"file": "a.txt", "equals": "one two"}, False, id="lines count"),
            pytest.param({"file": "b.txt", "matches": ""}, False, id="a missing file never fits"),
            pytest.param({"file": "*.txt", "matches": "two$"}, False, id="matches the whole text"),
            pytest.param({"file": "*.txt", "matches": "two"}, True, id="a glob"),
            pytest.param({"file": "b.txt", "absent": True}, True, id="absent"),
            pytest.param({"file": "a.txt", "absent": True}, False, id="not absent"),
            pytest.param({"home": "*.md", "matches": "8123"}, True, id="in the home"),
            pytest.param({"home": "*.txt", "matches": "one"}, False, id="not in the home"),
            pytest.param({"answer": "Done"}, True, id="the last answer"),
            pytest.param({"answer": "42"}, False, id="not the last answer"),
            pytest.param({"answer": "42", "turn": 1}, True, id="the first answer"),
            pytest.param({"answer": "", "turn": 3}, False, id="a turn that never ended"),
            pytest.param({"called": "todo"}, True, id="a tool that ran"),
            pytest.param({"called": "cronjob"}, False, id="a tool that did not"),
            pytest.param({"python": "assert open('a.txt').read()"}, True, id="code that ends well"),
            pytest.param({"python": "assert False"}, False, id="code that fails"),
        ],
    )
    def test_a_check(self, tmp_path: Path, check: dict[str, object], expected: bool) -> None:
        """Each kind, held and not."""
        assert self.holds(tmp_path, **check) is expected


SHIPPED = read_tasks().tasks


def test_the_shipped_tasks_are_many_and_of_many_kinds() -> None:
    """What the issue asks for, and every toolset that a machine without network can use."""
    kinds = {task.kind for task in SHIPPED}
    toolsets = set().union(*(turn.useful for task in SHIPPED for turn in task.turns))

    assert len(SHIPPED) >= 20
    assert len(kinds) >= 10
    assert {"file", "terminal", "code_execution", "memory", "cronjob", "todo"} <= toolsets
    assert sum(len(task.turns) > 1 for task in SHIPPED) >= 3
    assert sum(any(turn.midway for turn in task.turns) for task in SHIPPED) >= 3
    assert TASKS.is_file()


@pytest.mark.parametrize("idle", SHIPPED, ids=lambda task: task.id)
def test_a_model_that_does_nothing_solves_no_task(tmp_path: Path, idle: Task) -> None:
    """Its files are as they were, and it says that it is done."""
    prepare(idle, tmp_path)
    seen = Seen(
        work=tmp_path,
        home=tmp_path / "none",
        answers=["All done."] * len(idle.turns),
        succeeded=frozenset(),
    )

    assert not all(seen.holds(check) for check in idle.checks)


@pytest.mark.parametrize("told", SHIPPED, ids=lambda task: task.id)
def test_what_is_to_be_found_is_not_in_what_is_said(tmp_path: Path, told: Task) -> None:
    """A model that repeats the question solves nothing either."""
    prepare(told, tmp_path)
    seen = Seen(
        work=tmp_path,
        home=tmp_path / "none",
        answers=[turn.say for turn in told.turns],
        succeeded=frozenset(),
    )

    assert not all(seen.holds(check) for check in told.checks)
