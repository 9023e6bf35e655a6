"""Figures of documents are the committed ones."""

from __future__ import annotations

import json

import pytest

from hermes_tool_router.benchmarks import evaluate_suite, record
from hermes_tool_router.benchmarks.evaluate_cases import read


def test_the_readme_table_is_the_committed_result() -> None:
    """Whoever measures again refreshes both, with ``benchmarks/demo.py --record``."""
    report = json.loads(record.RESULT.read_text("utf-8"))
    readme = record.README.read_text("utf-8")

    assert record.refreshed(readme, report) == readme
    assert len(report["stock_then_routed"]) == 6


def test_a_readme_without_a_place_for_the_table_is_refused() -> None:
    """A lost marker must not pass for a fresh table."""
    with pytest.raises(ValueError, match="it has 0"):
        record.refreshed("# Title\n", {"stock_then_routed": []})


def test_the_evaluation_table_is_the_committed_result() -> None:
    """Whoever measures again refreshes both, with ``benchmarks/run.py evaluate --update``."""
    report = json.loads(evaluate_suite.RESULT.read_text("utf-8"))
    document = evaluate_suite.DOCUMENT.read_text("utf-8")
    table = evaluate_suite.markdown(report)

    assert record.placed(document, evaluate_suite.RESULT, table) == document
    assert report["held"]
    assert report["cases"] == len(read())
