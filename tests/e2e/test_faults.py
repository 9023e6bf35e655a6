"""Whatever is broken, the turn completes, with the full or the last surface."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import pytest

from hermes_tool_router.probe import plan, wire
from hermes_tool_router.probe.home import ENFORCE, PLUGIN, Contents
from hermes_tool_router.probe.scene import Scene
from hermes_tool_router.probe.script import Step, call, say
from hermes_tool_router.probe.turns import Hermes, end
from hermes_tool_router.registry_adapter.store import StateStore

pytestmark = pytest.mark.hermes

RECOVERED = {"id": "1", "content": "recovered", "status": "pending"}
OPENER = "What is the boiling point of water on Mount Everest?"


def warnings(hermes: Hermes) -> list[str]:
    """Our warnings in Hermes' log."""
    return [
        line
        for line in hermes.log().splitlines()
        if " WARNING " in line and (PLUGIN in line or "tool_router" in line)
    ]


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        pytest.param(
            {"global": {"enabled": True, "flor_toolsets": ["web"]}}, "flor_toolsets", id="unknown"
        ),
        pytest.param({"global": {"enabled": True, "mode": 3}}, "mode", id="wrong type"),
    ],
)
def test_a_mistaken_setting_sends_everything_and_warns_once(
    drive: Scene, settings: Mapping[str, Any], key: str
) -> None:
    """The full surface, and one warning that names the plugin and the key."""
    drive.fill(Contents(settings=settings), [say("Done.")])

    driven = drive.hermes.drive([plan.agent("a"), plan.turn("a", OPENER)])

    assert driven.turns[0].answer == "Done."
    assert drive.model.turns[0].tools == driven.turns[0].tools
    assert len(drive.model.turns[0].tools) > 15
    (warning,) = warnings(drive.hermes)
    assert key in warning


def test_a_broken_settings_file_sends_everything_and_warns_once(drive: Scene) -> None:
    """Our own config.yaml, edited into no YAML, makes the plugin inactive."""
    drive.fill(Contents(settings=ENFORCE), [say("Done.")])
    (drive.home.home / "plugins" / PLUGIN / "config.yaml").write_text("global: [enabled: {\n")

    driven = drive.hermes.drive([plan.agent("a"), plan.turn("a", OPENER)])

    assert driven.turns[0].answer == "Done."
    assert drive.model.turns[0].tools == driven.turns[0].tools
    (warning,) = warnings(drive.hermes)
    assert "config.yaml" in warning


def test_a_damaged_database_opens_the_known_session_and_is_set_aside(drive: Scene) -> None:
    """The session that it held sends everything; a new one is narrowed again."""
    drive.fill(Contents(settings=ENFORCE), [say("Done.")])
    first = drive.hermes.drive([plan.agent("a", session_id="known"), plan.turn("a", OPENER)])
    narrowed = drive.model.turns[0]
    for path in drive.home.state.iterdir():
        path.write_bytes(b"this is no database" * 400)

    drive.model.load([say("Done.")])
    again = drive.hermes.chat("And in Denver?", resume="known")

    assert not first.fatal
    assert again.status == 0, again.tail
    assert set(narrowed.tools) < set(drive.model.turns[0].tools)
    assert len(warnings(drive.hermes)) == 1
    store = StateStore(drive.home.home)
    health = store.health()
    store.close()
    assert (health.intact, len(health.set_aside)) == (True, 1)


def test_a_state_folder_that_cannot_be_made_costs_only_memory(drive: Scene) -> None:
    """Where nothing can be stored, the session is still narrowed and recovers, or is full."""
    drive.fill(Contents(settings=ENFORCE), [call("todo", todos=[RECOVERED]), say("Done.")])
    drive.home.state.write_text("a file where the folder should be")

    driven = drive.hermes.drive([plan.agent("a"), plan.turn("a", OPENER)])

    assert driven.turns[0].answer == "Done."
    first, after = drive.model.turns
    assert "recovered" in after.results[-1][1]
    assert after.tools_raw == first.tools_raw or wire.is_append(first.tools_raw, after.tools_raw)
    assert len(warnings(drive.hermes)) == 1


def test_a_kill_in_the_middle_of_a_turn_loses_no_surface(drive: Scene) -> None:
    """After SIGKILL in the request that follows a recovery, the next process goes on with it."""
    drive.fill(
        Contents(settings=ENFORCE),
        [call("todo", todos=[RECOVERED]), Step(text="late", delay_s=120)],
    )
    process = drive.hermes.start([plan.agent("a", session_id="killed"), plan.turn("a", OPENER)])
    deadline = time.monotonic() + 90
    while len(drive.model.turns) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    end(process)
    first, grown = drive.model.turns

    drive.model.load([say("Done.")])
    again = drive.hermes.chat("And in Denver?", resume="killed")

    assert again.status == 0, again.tail
    assert "Done." in again.stdout
    assert wire.is_append(first.tools_raw, grown.tools_raw)
    assert drive.model.turns[0].tools_raw == grown.tools_raw
