"""One gateway process serves two profiles, and only one of them has the router on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hermes_tool_router.probe import plan
from hermes_tool_router.probe.home import ENFORCE, PLUGIN, Contents, config_of
from hermes_tool_router.probe.scene import Scene
from hermes_tool_router.probe.script import say

pytestmark = pytest.mark.hermes

FIRST = "What is a leap second?"
SECOND = "Why is the sea salty?"
GATEWAY = {"HERMES_GATEWAY_SESSION": "1"}
OFF: Mapping[str, Any] = {"global": {"enabled": False}}
SHADOW: Mapping[str, Any] = {"global": {"enabled": True, "mode": "shadow"}}


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        pytest.param(ENFORCE, OFF, id="the gateway's own profile routes"),
        pytest.param(SHADOW, ENFORCE, id="the other profile routes, the gateway's only watches"),
    ],
)
def test_each_profile_of_a_gateway_sees_its_own_surface(
    drive: Scene, outer: Mapping[str, Any], inner: Mapping[str, Any]
) -> None:
    """Turns alternate between the homes: one is narrowed, the other is as without us."""
    drive.fill(Contents(settings=outer), [say("Done.")] * 2)
    work = _profile(drive, inner)
    watched = [home for home, held in ((drive.home.home, outer), (work, inner)) if held is not OFF]

    driven = drive.hermes.drive(
        [
            plan.agent("outer"),
            plan.turn("outer", FIRST),
            plan.home(work),
            plan.agent("inner"),
            plan.turn("inner", SECOND),
            plan.home(drive.home.home),
            plan.turn("outer", "And another one?"),
        ],
        env=GATEWAY,
    )

    assert not driven.fatal
    routed, plain = (FIRST, SECOND) if outer is ENFORCE else (SECOND, FIRST)
    granted = driven.turns[0].tools
    narrowed = drive.model.conversation(routed)
    whole = drive.model.conversation(plain)
    assert {request.tools for request in whole} == {
        tuple(name for name in granted if name != "request_toolset")
    }
    assert set(narrowed[0].tools) < set(granted)
    assert "request_toolset" in narrowed[0].tools
    assert {request.tools for request in narrowed} == {narrowed[0].tools}
    assert [home for home in (drive.home.home, work) if _sessions(home)] == watched


def _profile(drive: Scene, settings: Mapping[str, Any]) -> Path:
    """A second home below the first one; plugins are loaded by the gateway, once."""
    home = drive.home.home / "profiles" / "work"
    home.mkdir(parents=True)
    config = config_of(drive.model.base_url, Contents(settings=settings))
    (home / "config.yaml").write_text(json.dumps(config), encoding="utf-8")
    return home


def _sessions(home: Path) -> bool:
    """Whether the router keeps a state in this home."""
    return (home / PLUGIN / "state.db").exists()
