"""Commands and their results, read as checks."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from hermes_tool_router.registry_adapter.resources import ROOT
from hermes_tool_router.registry_adapter.verify_resources import verify_tables
from hermes_tool_router.verifier.outputs import digest
from hermes_tool_router.verifier.recognise import EXCERPT_CHARS, recognise
from hermes_tool_router.verifier.values import Kind, Verdict

TABLES = verify_tables()
CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (ROOT / "benchmarks" / "cases" / "verify.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("case", [pytest.param(c, id=f"{c['id']} {c['command']}") for c in CASES])
def test_the_authored_cases_are_read_as_a_careful_reader_would(case: dict[str, Any]) -> None:
    """Every authored command with its status and output."""
    found = recognise(case["command"], case["exit_code"], case["output"], TABLES)

    assert found.verdict in {case["expect"], *case["also_ok"]}


@pytest.mark.parametrize("code", [None, -1])
def test_an_unknown_status_leaves_the_word_to_the_output(code: int | None) -> None:
    """A summary decides; without one nothing is known."""
    with_summary = recognise("pytest", code, "3 passed in 1s", TABLES)
    without = recognise("pytest", code, "", TABLES)

    assert (with_summary.verdict, without.verdict) == (Verdict.PASS, Verdict.UNKNOWN)


def test_a_failure_at_the_end_of_a_long_output_is_seen() -> None:
    """Head and tail are read, and both are kept as evidence."""
    output = "collected 900 items\n" + "." * 60_000 + "\n1 failed, 899 passed in 9s"

    found = recognise("pytest -q || true", 0, output, TABLES)

    assert found.verdict == Verdict.FAIL
    assert found.excerpt.startswith("collected 900 items")
    assert found.excerpt.endswith("1 failed, 899 passed in 9s")
    assert "characters left out" in found.excerpt
    assert len(found.excerpt) < EXCERPT_CHARS + 60


def test_counts_kinds_and_runners_are_reported() -> None:
    """What a nudge and a status page quote."""
    found = recognise("ruff check . && pytest", 1, "2 failed, 7 passed in 1s", TABLES)

    assert found.counts == {"passed": 7, "failed": 2}
    assert found.kinds == (Kind.LINT, Kind.TEST)
    assert found.runners == ("ruff", "pytest")


def test_colours_do_not_hide_a_summary() -> None:
    """ANSI sequences are taken out first."""
    found = recognise("pytest || true", 0, "\x1b[31m1 failed\x1b[0m, 2 passed", TABLES)

    assert found.verdict == Verdict.FAIL


@pytest.mark.parametrize("text", ["", "\x00\ud800", "((((", "$(" * 500, "pytest " * 5000])
def test_odd_commands_never_raise(text: str) -> None:
    """Whatever it is, there is a verdict."""
    assert recognise(text, 0, text, TABLES).verdict in set(Verdict)


@pytest.mark.parametrize(
    "junk",
    ["0 " * 20_000, "." * 50_000, "a:1:" * 12_000, "FAILED, " * 6_000, "\n" * 50_000, "1" * 50_000],
)
def test_hostile_output_is_read_in_bounded_time(junk: str) -> None:
    """No pattern backtracks out of hand: CPU time, generous for a busy machine."""
    start = time.process_time()

    recognise("make test; true", 0, junk, TABLES)

    assert time.process_time() - start < 5


def test_a_digest_keeps_short_texts_whole() -> None:
    """Only longer ones are cut, and the cut is marked."""
    assert digest("abc", 3) == "abc"
    assert digest("abcdef", 3) == "a\n[… 3 characters left out …]\nef"


@pytest.mark.parametrize(
    ("command", "runner"),
    [
        pytest.param("coverage run -p manage.py test", "django", id="carrier of a script"),
        pytest.param("npx env-cmd -f .env -- jest --ci", "jest", id="carrier with two dashes"),
        pytest.param("npx c8 -r html", "", id="carrier of nothing"),
        pytest.param("python -u", "", id="interpreter without a script"),
        pytest.param("python -c 'import pytest'", "", id="code of its own"),
        pytest.param("build", "", id="a module only under python -m"),
        pytest.param("python -m build", "compileall", id="module"),
        pytest.param("mpirun -n 4 ./run_tests.sh", "own-script", id="an option with a value"),
    ],
)
def test_carriers_and_interpreters_are_seen_through(command: str, runner: str) -> None:
    """What stands behind them decides."""
    found = recognise(command, 0, "ok", TABLES)

    assert found.runners == ((runner,) if runner else ())


@pytest.mark.parametrize(
    ("command", "output", "verdict"),
    [
        pytest.param("pytest -q; echo $?", "0", Verdict.PASS, id="status alone"),
        pytest.param("pytest -q; printf 'code %s\n' $?", "code 1", Verdict.FAIL, id="printf"),
        pytest.param("pytest -q; echo ended", "ended", Verdict.UNKNOWN, id="no status printed"),
        pytest.param("pytest -q; echo rc=$? $?", "rc", Verdict.UNKNOWN, id="not in the output"),
        pytest.param("npm test", "AssertionError: 1 == 2", Verdict.UNKNOWN, id="contradiction"),
        pytest.param("ruff check . && make docs", "", Verdict.PASS, id="check before other work"),
    ],
)
def test_a_status_counts_where_it_can_be_known(command: str, output: str, verdict: Verdict) -> None:
    """Printed by the script itself, or implied by the way the commands are joined."""
    assert recognise(command, 0, output, TABLES).verdict == verdict
