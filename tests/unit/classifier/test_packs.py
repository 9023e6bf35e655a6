"""The shipped question packs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_tool_router.classifier.catalogue import Candidate
from hermes_tool_router.classifier.encoding import encode_request
from hermes_tool_router.classifier.packs import load_pack, pack_names
from hermes_tool_router.classifier.presets import Wire
from hermes_tool_router.classifier.routing import routing_pack
from hermes_tool_router.router.errors import RuleError
from hermes_tool_router.router.questions import QuestionPack
from hermes_tool_router.router.values import ToolsetName

ROUTING = routing_pack(
    (
        Candidate(name=ToolsetName("web"), purpose="Search the web and read pages"),
        Candidate(name=ToolsetName("mcp-notes"), purpose="notes_add, notes_find"),
    )
)


@pytest.mark.parametrize(
    "pack",
    [
        *(pytest.param(load_pack(name), id=name) for name in pack_names() if name != "routing"),
        pytest.param(ROUTING, id="routing, filled in"),
    ],
)
def test_shipped_pack_passes_the_public_linter(pack: QuestionPack, tmp_path: Path) -> None:
    """jevkit-lint, warnings included."""
    state = {"message": "Please list the files here.", "tool": "terminal", "command": "ls"}
    request = tmp_path / "request.json"
    request.write_bytes(
        encode_request(Wire.SYSTEM_ONE, model="m", state=state, questions=pack.questions)
    )
    linter = shutil.which("jevkit-lint", path=str(Path(sys.executable).parent))
    assert linter, "jevkit-lint is not installed; see the dev group in pyproject.toml"

    result = subprocess.run(
        [linter, "--strict", "--no-color", str(request)], capture_output=True, text=True, timeout=60
    )

    assert result.returncode == 0, result.stdout


def test_the_packs_of_the_references_are_there() -> None:
    """Their questions by the ids that thresholds in the settings use."""
    found = {name: tuple(q.id for q in load_pack(name).questions) for name in pack_names()}

    assert found == {
        "completion": ("claims_completion", "has_evidence", "inconsistent", "needs_iteration"),
        "gate_v1": ("destructive", "exfiltration", "impact"),
        "gate_v2": (
            "reads_secrets",
            "sends_outbound",
            "blast_radius",
            "self_advocating",
            "destructive",
            "impact",
        ),
        "risk_assessment": (
            "requested",
            "changes_state",
            "destructive",
            "hard_to_reverse",
            "exposes_secrets",
            "confirmation_expected",
        ),
        "routing": ("toolset:{toolset}",),
        "turn": (
            "intent",
            "complexity",
            "side_effects",
            "needs_web",
            "needs_browser",
            "needs_terminal",
            "needs_files",
            "should_delegate",
        ),
    }


def test_an_unknown_pack_names_the_known_ones() -> None:
    """A typo is found by reading the message."""
    with pytest.raises(RuleError, match=r"no question pack 'gate_v3'; expected one of .*'gate_v2'"):
        load_pack("gate_v3")
