"""Settings as Hermes 0.19.0 really stores and reads them."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import yaml

pytest.importorskip("hermes_cli.config")

from hermes_tool_router.registry_adapter.guard import Guard
from hermes_tool_router.registry_adapter.settings_source import SettingsSource, hermes_host

ENTRY = {"plugins": {"entries": {"tool-router": {"settings": {"global": {"enabled": True}}}}}}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scratch home that this process uses."""
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    monkeypatch.delenv("HERMES_TOOL_ROUTER", raising=False)
    return tmp_path


def reading_source() -> SettingsSource:
    """A source over the real host, without a plugin context."""
    return SettingsSource(hermes_host(), guard=Guard(), environ={})


def write(home: Path, config: object) -> None:
    """Write Hermes' configuration."""
    (home / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")


def test_home_without_a_configuration_is_off(home: Path) -> None:
    """A fresh home has no entry of ours."""
    reading = reading_source()(home)

    assert (reading.active, reading.on) == (True, False)


def test_settings_under_our_entry_are_read(home: Path) -> None:
    """The host's own reader finds what the user wrote, and names the profile."""
    write(home, ENTRY)

    reading = reading_source()(home)

    assert reading.on
    assert reading.profile == "default"


def test_host_cache_is_never_changed(home: Path) -> None:
    """``load_config_readonly`` hands out the live cache of the process."""
    from hermes_cli.config import load_config_readonly

    write(home, ENTRY)
    before = copy.deepcopy(load_config_readonly())

    reading_source()(home, "cli")

    assert load_config_readonly() == before


def test_profile_home_gets_its_profile_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host derives the profile's name from the home of the turn."""
    from hermes_constants import reset_hermes_home_override, set_hermes_home_override

    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    work = tmp_path / "profiles" / "work"
    work.mkdir(parents=True)
    block = {"profiles": {"work": {"enabled": True}}}
    for home in (tmp_path, work):
        write(home, {"plugins": {"entries": {"tool-router": {"settings": block}}}})
    source = reading_source()

    outside = source(tmp_path).on
    token = set_hermes_home_override(str(work))
    inside = source(work).on
    reset_hermes_home_override(token)

    assert (outside, inside) == (False, True)


def test_broken_yaml_never_raises(home: Path) -> None:
    """Hermes falls back to its defaults, in which we are off."""
    (home / "config.yaml").write_text("plugins: [", encoding="utf-8")

    reading = reading_source()(home)

    assert not reading.on


def test_environment_variables_in_settings_are_the_hosts_business(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hermes expands ``${VAR}`` before we see the value."""
    monkeypatch.setenv("ROUTER_TEST_MODEL", "router-local")
    write(
        home,
        {
            "plugins": {
                "entries": {
                    "tool-router": {"settings": {"classifier": {"model": "${ROUTER_TEST_MODEL}"}}}
                }
            }
        },
    )

    assert reading_source()(home).settings.classifier.model == "router-local"


def test_profile_names_are_looked_up_as_hermes_does(home: Path) -> None:
    """Existing, missing, and impossible names."""
    (home / "profiles" / "work").mkdir(parents=True)
    host = hermes_host()

    found = [host.has_profile(name) for name in ("default", "work", "wrok", "no/name", "")]

    assert found[0]
    assert found[2:] == [False, False, False]
