"""``rules check`` on own rules, against Hermes' own toolsets."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

pytest.importorskip("model_tools")

from hermes_tool_router.console import rules_view
from hermes_tool_router.console.output import Output
from hermes_tool_router.registry_adapter.own_rules import own_rules_file


@pytest.mark.parametrize(
    ("toolset", "said"),
    [
        pytest.param("file", "", id="granted"),
        pytest.param("mcp-ledger", "", id="a server that may be off"),
        pytest.param("fil", "which no tool here belongs to, did you mean 'file'?", id="near"),
        pytest.param("qqqq", "is for 'qqqq', which no tool here belongs to", id="far"),
    ],
)
def test_a_rule_for_nobody_is_named(
    toolset: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is valid, and would never do anything."""
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    path = own_rules_file(tmp_path)
    path.parent.mkdir()
    path.write_text(f"rules: [{{id: own.ledger, toolset: {toolset}, any: [ledger], weight: 4}}]")
    text = io.StringIO()

    status = rules_view.check(Output(as_json=False, console=Console(file=text, width=500)))

    assert status == 0
    assert said in text.getvalue()
    assert ("no tool here belongs to" in text.getvalue()) is bool(said)
