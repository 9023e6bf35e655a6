"""The tiers side by side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hermes_tool_router.benchmarks.options import Options, UsageError
from hermes_tool_router.benchmarks.tier_table import LOCAL_TIERS, compare
from hermes_tool_router.classifier.local import is_installed


def _cases(path: Path, *needs: str) -> Path:
    rows = [
        {"id": str(at), "lang": "en", "prompt": "restart nginx", "required_toolsets": [need]}
        for at, need in enumerate(needs)
    ]
    path.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    return path


@pytest.mark.skipif(not is_installed(), reason="the extra [local] is not installed")
def test_every_tier_gets_a_row(tmp_path: Path) -> None:
    """Same messages, same surface, one line a tier."""
    target = tmp_path / "report.json"
    cases = _cases(tmp_path / "cases.jsonl", "terminal", "kanban")

    status = compare(Options(suite="routes", cases=cases, json=target))

    found = json.loads(target.read_text("utf-8"))["tiers"]
    assert status == 0
    assert list(found) == list(LOCAL_TIERS)
    assert [row["n"] for row in found.values()] == [1, 1, 1]
    assert [row["hit"] for row in found.values()] == [1.0, 1.0, 1.0]
    assert found["local"]["hit_other"] is None


def test_cases_that_no_surface_can_meet_are_refused(tmp_path: Path) -> None:
    """A table of nothing would read like a result."""
    cases = _cases(tmp_path / "cases.jsonl", "mcp-elsewhere")

    with pytest.raises(UsageError, match="no case has labels"):
        compare(Options(suite="routes", cases=cases))
