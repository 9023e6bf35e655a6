"""Where the router does not act, Hermes is stock Hermes to the byte."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from hermes_tool_router.probe import plan
from hermes_tool_router.probe.home import STOCK, Contents
from hermes_tool_router.probe.scene import Scene
from hermes_tool_router.probe.script import call, say

pytestmark = pytest.mark.hermes

OPENER = "List the files of this folder and say which is the newest."


def requests(drive: Scene, contents: Contents) -> list[bytes]:
    """The bodies of two turns with a tool call, one after the other."""
    drive.fill(contents, [call("terminal", command="echo listed"), say("Done."), say("Done.")])
    driven = drive.hermes.drive(
        [plan.agent("a", session_id="fixed"), plan.turn("a", OPENER), plan.turn("a", "Thanks.")]
    )
    assert not driven.fatal
    return [request.raw for request in drive.model.turns]


def test_shadow_and_disabled_leave_every_request_alone(drive: Scene) -> None:
    """Shadow decides and logs; switched off does nothing; both send what stock Hermes sends."""
    shadow: Mapping[str, Any] = {"global": {"enabled": True, "mode": "shadow"}}
    disabled: Mapping[str, Any] = {"global": {"enabled": False, "mode": "enforce"}}

    stock = requests(drive, STOCK)
    assert len(stock) == 3

    assert requests(drive, Contents(settings=shadow)) == stock
    assert requests(drive, Contents(settings=disabled)) == stock
