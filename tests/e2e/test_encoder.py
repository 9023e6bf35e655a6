"""The embedded encoder in real Hermes."""

from __future__ import annotations

import json

import pytest

from hermes_tool_router.classifier.local import is_installed
from hermes_tool_router.probe.home import Contents
from hermes_tool_router.probe.scene import Scene

pytestmark = [
    pytest.mark.hermes,
    pytest.mark.skipif(not is_installed(), reason="the extra [local] is not installed"),
]
ON = {"global": {"enabled": True, "mode": "enforce"}}


def test_it_is_found_and_asked(drive: Scene) -> None:
    """Installed is enough: nothing has to be switched on."""
    drive.fill(Contents(settings=ON))

    run = drive.hermes.command("tool-router", "explain", "wake me before the ferry", "--json")
    status = drive.hermes.command("tool-router", "status", "--json")

    assert run.status == 0, run.tail
    decision = json.loads(run.stdout)
    assert decision["tier"] == "local"
    assert "cronjob" in decision["toolsets"]
    assert json.loads(status.stdout)["features"]["encoder"] == "local only, asked on first turns"
