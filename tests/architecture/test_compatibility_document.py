"""docs/compatibility.md and CI name the same versions, and tests that exist."""

from __future__ import annotations

import ast
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
NIGHTLY = runpy.run_path(str(ROOT / ".ci" / "nightly.py"))


def functions(path: Path) -> set[str]:
    """Names of all functions in a file, those of classes included."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_test_that_the_document_names_exists() -> None:
    """A gap whose test was renamed or dropped is a claim without proof."""
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", TEXT)

    missing = {
        (path, name)
        for path, name in named
        if not (ROOT / path).is_file() or name not in functions(ROOT / path)
    }

    assert len(named) > 30
    assert missing == set()


def test_every_gap_has_a_test() -> None:
    """Each row of the table between the marks ends in one."""
    table = TEXT.split("<!-- gaps -->\n")[1].split("<!-- /gaps -->")[0].splitlines()[2:]

    assert [
        row for row in table if not re.search(r"\| `tests/[\w/]+\.py::test_\w+` \|$", row)
    ] == []


def test_nightly_runs_the_supported_versions_and_files_that_exist() -> None:
    """The rows that say `make nightly`, and the release of every commit."""
    nightly = re.findall(r"^\| ([\d.]+) \| works \|", TEXT, re.MULTILINE)
    files = [name.partition("::") for name in NIGHTLY["TESTS"]]

    assert sorted(nightly) == list(NIGHTLY["VERSIONS"])
    assert [path for path, _, _ in files if not (ROOT / path).is_file()] == []
    assert [name for path, _, name in files if name and name not in functions(ROOT / path)] == []


@pytest.mark.parametrize(
    ("attributes", "wrong"),
    [
        ('tests="2" failures="0" errors="0" skipped="0"', []),
        ('tests="2" failures="1" errors="0" skipped="0"', ["1 failures"]),
        ('tests="2" failures="0" errors="0" skipped="1"', ["1 skipped"]),
        ('tests="0"', ["0 tests where at least 2 were expected"]),
    ],
)
def test_a_report_that_proves_nothing_is_a_fault(attributes: str, wrong: list[str]) -> None:
    """A matrix is green only where tests ran, all of them."""
    report = f"<testsuites><testsuite {attributes}></testsuite></testsuites>"

    assert NIGHTLY["faults"](report, 2) == wrong


def test_no_key_reaches_the_matrix() -> None:
    """What a test there can see is listed by name."""
    seen = NIGHTLY["bare"](
        {"PATH": "/bin", "SOME_API_KEY": "x", "HERMES_HOME": "/h", "JEV_LIVE": "1"}
    )

    assert set(seen) == {"PATH", "PYTHONDONTWRITEBYTECODE", "HERMES_DISABLE_LAZY_INSTALLS"}
