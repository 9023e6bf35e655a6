"""Settings as Hermes 0.19.0 really stores and reads them."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
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


class AfterPauses:
    """Readings of the real host, each a minute after the one before, and what they asked it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        import hermes_cli.config as host

        self.now, self.asked = 0.0, 0
        real = host.load_config_readonly

        def counted() -> object:
            self.asked += 1
            return real()

        monkeypatch.setattr(host, "load_config_readonly", counted)
        self.source = SettingsSource(
            hermes_host(), guard=Guard(), environ={}, clock=lambda: self.now
        )

    def on(self, home: Path) -> bool:
        """Whether routing is on in the next turn."""
        self.now += 60
        return self.source(home).on

    def model(self, home: Path) -> str | None:
        """A setting of the next turn that is a text."""
        self.now += 60
        return self.source(home).settings.classifier.model


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> AfterPauses:
    """Turns a minute apart."""
    return AfterPauses(monkeypatch)


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


def _aged(path: Path) -> None:
    """As a file is that nobody has touched for long."""
    os.utime(path, ns=(1_000_000_000, 1_000_000_000))


def test_turn_after_a_pause_does_not_ask_the_host(home: Path, turns: AfterPauses) -> None:
    """Nothing changed, and the file system says so."""
    write(home, ENTRY)
    _aged(home / "config.yaml")

    assert [turns.on(home) for _ in range(4)] == [True] * 4
    assert turns.asked == 1


def _set(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hermes_tool_router.registry_adapter.hermes_config import write_settings

    write_settings({"enabled": "false"})


def _saved(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hermes_cli.config import load_config, save_config

    config = load_config()
    config["plugins"]["entries"]["tool-router"]["settings"]["global"]["enabled"] = False
    save_config(config)


def _vanished(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "config.yaml").unlink()


def _pinned(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pinned = copy.deepcopy(ENTRY)
    pinned["plugins"]["entries"]["tool-router"]["settings"]["global"]["enabled"] = False
    (home / "pinned").mkdir()
    write(home / "pinned", pinned)
    monkeypatch.setenv("HERMES_MANAGED_DIR", str(home / "pinned"))


@pytest.mark.parametrize("change", [_set, _saved, _vanished, _pinned])
def test_change_through_any_way_counts_at_the_next_turn(
    home: Path,
    turns: AfterPauses,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Path, pytest.MonkeyPatch], None],
) -> None:
    """Hermes' own setter and writer, a file that vanishes, an administrator's that appears."""
    write(home, ENTRY)
    _aged(home / "config.yaml")
    before = [turns.on(home), turns.on(home)]

    change(home, monkeypatch)

    assert before == [True, True]
    assert not turns.on(home)


def test_variable_that_a_setting_names_counts_at_the_next_turn(
    home: Path, turns: AfterPauses, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hermes keeps its own answer by the values of the variables too."""
    monkeypatch.setenv("ROUTER_TEST_MODEL", "one")
    block = {"classifier": {"model": "${ROUTER_TEST_MODEL}"}}
    write(home, {"plugins": {"entries": {"tool-router": {"settings": block}}}})
    _aged(home / "config.yaml")
    before = [turns.model(home), turns.model(home)]

    monkeypatch.setenv("ROUTER_TEST_MODEL", "two")

    assert before == ["one", "one"]
    assert turns.model(home) == "two"
