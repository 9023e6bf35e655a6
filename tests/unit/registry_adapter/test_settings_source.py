"""Settings are read when they are asked for, and a mistake is said once."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from hermes_tool_router.registry_adapter.guard import Guard
from hermes_tool_router.registry_adapter.settings_source import (
    RECHECK_S,
    SHIPPED,
    SettingsSource,
    hermes_host,
)


class Hermes:
    """Stands for the host: one configuration, one profile, and how often it was asked."""

    def __init__(self, settings: object = None, profile: str = "default") -> None:
        self.answer = settings
        self.name = profile
        self.asked = 0

    def settings(self) -> object:
        """The answer set by the test; an exception is raised."""
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def files(self, home: str) -> None:
        """No file shows the answer."""

    def profile(self) -> str:
        """The name set by the test."""
        return self.name

    def has_profile(self, name: str) -> bool:
        """Two profiles beside the active one."""
        return name in {"work", "b", self.name}


class Clock:
    """A clock that moves when told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        """Seconds."""
        return self.now


def source(
    host: Hermes,
    *,
    clock: Clock | None = None,
    environ: Mapping[str, str] | None = None,
    shipped: Path = SHIPPED,
) -> SettingsSource:
    """A source over a host that stands still unless told."""
    return SettingsSource(
        host, guard=Guard(), shipped=shipped, environ=environ or {}, clock=clock or Clock()
    )


def touch(path: Path, text: str, tick: int) -> None:
    """Write a file with a modification time that no earlier write had."""
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(tick, tick))


def test_user_settings_lie_over_the_shipped_file(tmp_path: Path) -> None:
    """The shipped file is the lowest layer."""
    reading = source(Hermes({"global": {"enabled": True}}))(tmp_path)

    assert reading.on
    assert reading.settings.router_hard_timeout_ms == 2000
    assert reading.origin == {"enabled": "plugins.entries.tool-router.settings: global.enabled"}


def test_profile_in_the_shipped_file_is_enough(tmp_path: Path) -> None:
    """The seed's install step edits the plugin's own file."""
    shipped = tmp_path / "shipped.yaml"
    shipped.write_text("profiles: {router-test: {enabled: true}}", encoding="utf-8")

    there = source(Hermes(profile="router-test"), shipped=shipped)(tmp_path)
    elsewhere = source(Hermes(profile="default"), shipped=shipped)(tmp_path)

    assert (there.on, elsewhere.on) == (True, False)
    assert there.origin == {"enabled": f"{shipped}: profiles.router-test.enabled"}


def test_unchanged_files_are_not_read_again(tmp_path: Path) -> None:
    """Within the recheck time the host is asked once per platform."""
    host = Hermes({"enabled": True, "platforms": {"cli": {"enabled": False}}})
    settings = source(host)

    readings = [settings(tmp_path, platform).on for platform in ("", "cli", "", "cli", "", "cli")]

    assert readings == [True, False] * 3
    assert host.asked == 2


def test_edit_of_the_configuration_counts_at_once(tmp_path: Path) -> None:
    """A changed modification time is seen by the next call."""
    host = Hermes({"enabled": False})
    settings = source(host)
    touch(tmp_path / "config.yaml", "a: 1", 1_000_000_000)
    before = settings(tmp_path).on

    touch(tmp_path / "config.yaml", "a: 2", 2_000_000_000)
    host.answer = {"enabled": True}
    after = settings(tmp_path).on

    assert (before, after) == (False, True)


def test_change_without_a_file_is_seen_after_the_recheck_time(tmp_path: Path) -> None:
    """Hermes expands environment variables, which no file shows."""
    host, clock = Hermes({"enabled": False}), Clock()
    settings = source(host, clock=clock)
    settings(tmp_path)

    host.answer = {"enabled": True}
    early = settings(tmp_path).on
    clock.now += RECHECK_S
    late = settings(tmp_path).on

    assert (early, late) == (False, True)


def test_two_homes_of_one_process_keep_their_own(tmp_path: Path) -> None:
    """A gateway switches the home per turn."""
    host = Hermes({"enabled": True}, profile="a")
    settings = source(host)
    first, second = tmp_path / "a", tmp_path / "b"
    settings(first)
    host.answer, host.name = {"profiles": {"b": {"enabled": False}}, "enabled": True}, "b"

    readings = [settings(home).on for home in (second, first, second)]

    assert readings == [False, True, False]


def test_mistake_makes_inactive_and_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """One warning per distinct problem, however often and wherever it is met."""
    host, clock = Hermes({"global": {"flor_toolsetz": []}}), Clock()
    settings = source(host, clock=clock)

    with caplog.at_level(logging.INFO):
        for platform in ("", "cli", "telegram"):
            clock.now += 10
            reading = settings(tmp_path, platform)

    assert (reading.active, reading.on, reading.mistaken) == (False, False, True)
    assert "flor_toolsetz" in reading.problem
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    message = caplog.records[0].getMessage()
    assert message.startswith("tool-router: settings key 'global.flor_toolsetz'")
    assert "nearest known key: floor_toolsets" in message


def test_next_mistake_is_said_as_well(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A second, different problem has its own warning."""
    host, clock = Hermes({"mode": "x"}), Clock()
    settings = source(host, clock=clock)
    settings(tmp_path)

    clock.now += 10
    host.answer = {"enabled": "y"}
    settings(tmp_path)

    assert len(caplog.records) == 2


def test_mended_mistake_works_without_a_restart(tmp_path: Path) -> None:
    """Inactive is not for good."""
    host, clock = Hermes({"enabled": "perhaps"}), Clock()
    settings = source(host, clock=clock)
    before = settings(tmp_path)

    clock.now += 10
    host.answer = {"enabled": True}
    after = settings(tmp_path)

    assert (before.on, after.on) == (False, True)


def test_notice_is_logged_once_below_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Notices inform; they are no trouble."""
    settings = source(Hermes({"enabled": True, "routing_scope": "x"}))

    with caplog.at_level(logging.INFO):
        notices = [settings(tmp_path, platform).notices for platform in ("", "cli")]

    assert len(notices[0]) == len(notices[1]) == 1
    assert [record.levelname for record in caplog.records] == ["INFO"]


def test_block_for_a_profile_that_does_not_exist_is_mentioned(tmp_path: Path) -> None:
    """It would never hold, and nobody would notice."""
    blocks = {"work": {"enabled": True}, "wrok": {"enabled": True}}

    reading = source(Hermes({"profiles": blocks}))(tmp_path)

    assert reading.active
    assert reading.notices == ("settings profiles.wrok: Hermes has no such profile",)


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(b"global: [", id="no YAML"),
        pytest.param(b"global:\n\tenabled: true", id="a tab"),
        pytest.param(b"\xff\xfe\x00global", id="no text"),
        pytest.param(b"- a\n- b", id="a list"),
    ],
)
def test_broken_shipped_file_makes_inactive(tmp_path: Path, broken: bytes) -> None:
    """A local edit of our own file never raises into Hermes."""
    shipped = tmp_path / "config.yaml"
    shipped.write_bytes(broken)

    reading = source(Hermes({"enabled": True}), shipped=shipped)(tmp_path)

    assert not reading.active
    assert reading.problem


def test_missing_shipped_file_means_the_defaults(tmp_path: Path) -> None:
    """The model has the same defaults."""
    reading = source(Hermes({"enabled": True}), shipped=tmp_path / "none.yaml")(tmp_path)

    assert reading.on


def test_host_that_fails_makes_inactive(tmp_path: Path) -> None:
    """Whatever Hermes raises, the answer is a reading."""
    reading = source(Hermes(PermissionError("no")))(tmp_path)

    assert not reading.active
    assert "cannot be read" in reading.problem


def test_environment_switches_off_whatever_the_files_say(tmp_path: Path) -> None:
    """The kill switch needs no file and asks nobody."""
    host = Hermes({"enabled": True})

    reading = source(host, environ={"HERMES_TOOL_ROUTER": "off"})(tmp_path)

    assert not reading.active
    assert "HERMES_TOOL_ROUTER" in reading.problem
    assert not reading.mistaken
    assert host.asked == 0


class NewerContext:
    """A plugin context as newer hosts have it: ``get_config`` key by key."""

    profile_name = "work"

    def __init__(self, values: Mapping[str, object]) -> None:
        self.values = values

    def get_config(self, key: str, default: object = None) -> object:
        """One value, or the default."""
        return self.values.get(key, default)


def test_newer_host_is_asked_through_its_context(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``get_config`` counts where the host has it."""
    pytest.importorskip("hermes_cli.config")
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    context = NewerContext({"global": {"enabled": True}, "timeout_seconds": 1.0})

    host = hermes_host(context)

    assert host.settings() == {"global": {"enabled": True}, "timeout_seconds": 1.0}
    assert host.profile() == "work"
