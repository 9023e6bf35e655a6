"""The runner and output tables, and the cases beside each entry."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from hermes_tool_router.calls.shell import parse
from hermes_tool_router.registry_adapter.resources import ROOT
from hermes_tool_router.registry_adapter.verify_resources import verify_tables
from hermes_tool_router.router.errors import RuleError
from hermes_tool_router.verifier.commands import find_checks
from hermes_tool_router.verifier.outputs import read_output
from hermes_tool_router.verifier.tables import tables_from_bytes
from hermes_tool_router.verifier.values import Kind

DATA = ROOT / "verifier" / "data"
RUNNERS = (DATA / "runners.yaml").read_bytes()
OUTPUTS = (DATA / "outputs.yaml").read_bytes()
TABLES = verify_tables()


def _rows(data: bytes, key: str, case: str) -> list[object]:
    rows: list[dict[str, Any]] = yaml.safe_load(data)[key]
    return [
        pytest.param(row["id"], text, id=f"{row['id']}: {text}")
        for row in rows
        for text in row["cases"][case]
    ]


@pytest.mark.parametrize(("ident", "command"), _rows(RUNNERS, "runners", "is"))
def test_a_check_is_known_under_its_runner(ident: str, command: str) -> None:
    """The first check in the command belongs to the entry that lists it."""
    checks = find_checks(parse(command), TABLES.runners)

    assert [check.runner.id for check in checks][:1] == [ident]


@pytest.mark.parametrize(("ident", "command"), _rows(RUNNERS, "runners", "is_not"))
def test_a_command_that_checks_nothing_is_left_alone(ident: str, command: str) -> None:
    """Lists, versions, dry runs and other subcommands are no check of any runner."""
    checks = find_checks(parse(command), TABLES.runners)

    assert not checks, ident


def _seen(ident: str, text: str) -> bool:
    signals = [signal for signal in TABLES.signals if signal.id == ident]
    found = read_output(text, frozenset(Kind), signals)
    return bool(found.fails + found.weak_fails + found.passes + found.none + found.unknown)


@pytest.mark.parametrize(("ident", "text"), _rows(OUTPUTS, "signals", "hit"))
def test_a_signal_sees_its_line(ident: str, text: str) -> None:
    """The pattern finds the line, and a number above 0 where it counts."""
    assert _seen(ident, text)


@pytest.mark.parametrize(("ident", "text"), _rows(OUTPUTS, "signals", "miss"))
def test_a_signal_passes_over_a_near_miss(ident: str, text: str) -> None:
    """Nothing is found, or nothing but zeros."""
    assert not _seen(ident, text)


def test_runners_of_fifteen_ecosystems_are_known() -> None:
    """Counted over the names in the table."""
    found = {r.ecosystem for rules in TABLES.runners.by_program.values() for r in rules} - {"any"}

    assert len(found) >= 15


@pytest.mark.parametrize(
    ("runners", "outputs", "message"),
    [
        pytest.param(b"[", OUTPUTS, "runners.yaml: not YAML", id="no YAML"),
        pytest.param(b"{}", OUTPUTS, "runners.yaml: expected a mapping", id="no provenance"),
        pytest.param(
            RUNNERS.replace(b'{id: "pytest",', b'{id: "pytest", colour: "red",', 1),
            OUTPUTS,
            "runner 'pytest': unknown key 'colour'",
            id="unknown key",
        ),
        pytest.param(
            RUNNERS.replace(b'id: "unittest"', b'id: "pytest"', 1),
            OUTPUTS,
            "runner 'pytest' stands twice",
            id="twice",
        ),
        pytest.param(
            RUNNERS.replace(b'kind: "test"', b'kind: "taste"', 1),
            OUTPUTS,
            "kind 'taste' is unknown; allowed: test, lint, build, script",
            id="unknown kind",
        ),
        pytest.param(
            RUNNERS.replace(b'run: ["tox"]', b"run: [1]", 1),
            OUTPUTS,
            "runner 'tox': run: expected a list of quoted strings",
            id="no string",
        ),
        pytest.param(
            RUNNERS.replace(b'codes: {"5": "none"}', b'codes: {"5": "fine"}', 1),
            OUTPUTS,
            "is no exit status with a reading",
            id="unknown reading",
        ),
        pytest.param(
            RUNNERS,
            OUTPUTS.replace(b'verdict: "fail"', b'verdict: "red"', 1),
            "signal 'pytest.failed': verdict is one of",
            id="unknown verdict",
        ),
        pytest.param(
            RUNNERS,
            OUTPUTS.replace(b'id: "pytest.errors"', b'id: "pytest.failed"', 1),
            "signal 'pytest.failed': stands twice",
            id="signal twice",
        ),
        pytest.param(
            RUNNERS,
            OUTPUTS.replace(b"weak: true", b"weaker: true", 1),
            "unknown key 'weaker'",
            id="unknown signal key",
        ),
        pytest.param(
            RUNNERS,
            OUTPUTS.replace(b"pattern: '", b"pattern: '(", 1),
            "signal 'pytest.failed': pattern does not compile",
            id="open bracket",
        ),
    ],
)
def test_a_wrong_table_is_refused(runners: bytes, outputs: bytes, message: str) -> None:
    """The message names the file, the entry and what is allowed."""
    with pytest.raises(RuleError) as caught:
        tables_from_bytes(runners, outputs)

    assert message in str(caught.value)
