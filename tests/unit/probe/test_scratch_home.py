"""The scratch home that a drive runs in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hermes_tool_router.probe.home import (
    ENFORCE,
    PLUGIN,
    STOCK,
    Contents,
    PluginCopy,
    ScratchHome,
)

URL = "http://127.0.0.1:1/v1"


def config(home: ScratchHome) -> dict[str, object]:
    """Read back the configuration."""
    loaded: dict[str, object] = json.loads((home.home / "config.yaml").read_text())
    return loaded


def test_the_folder_copy_has_the_plugin_and_no_ballast(tmp_path: Path) -> None:
    """Manifest and packages are there; history, environments and tests are not."""
    home = ScratchHome(tmp_path)

    home.fill(URL, Contents(settings=ENFORCE))

    copied = {path.name for path in (home.home / "plugins" / PLUGIN).iterdir()}
    assert {"plugin.yaml", "__init__.py", "router", "intent"} <= copied
    assert not copied & {".git", ".venv", ".cache", "tests", "build", "dist"}
    assert config(home)["plugins"] == {
        "enabled": [PLUGIN],
        "entries": {PLUGIN: {"settings": ENFORCE}},
    }


def test_the_pip_copy_is_only_enabled(tmp_path: Path) -> None:
    """Nothing is copied, since Hermes finds the wheel by its entry point."""
    home = ScratchHome(tmp_path)

    home.fill(URL, Contents(settings=ENFORCE, copy=PluginCopy.PIP))

    assert not (home.home / "plugins").exists()
    assert config(home)["plugins"]


def test_filling_again_leaves_nothing_of_the_last_run(tmp_path: Path) -> None:
    """State, sessions and plugins are gone; the work folder is not touched."""
    home = ScratchHome(tmp_path)
    home.fill(URL, Contents(settings=ENFORCE))
    (home.home / "state.db").write_text("x")
    (home.work / "notes.txt").write_text("x")

    home.fill(URL, STOCK)

    assert [path.name for path in home.home.iterdir()] == ["config.yaml"]
    assert (home.work / "notes.txt").exists()
    assert "plugins" not in config(home)


def test_other_plugins_and_host_blocks_are_added(tmp_path: Path) -> None:
    """A second plugin is enabled before ours, and a host block is merged into the base."""
    other = tmp_path / "aaa_other"
    other.mkdir()
    home = ScratchHome(tmp_path / "scene")

    home.fill(URL, Contents(others=(other,), config={"approvals": {"mode": "off"}}))

    written = config(home)
    assert (home.home / "plugins" / "aaa_other").is_dir()
    assert written["approvals"] == {"timeout": 5, "mode": "off"}
    assert "'enabled': ['aaa_other', 'tool-router']" in str(written["plugins"])


def test_the_environment_holds_nothing_of_the_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither keys nor a home of the caller's reach Hermes; lazy installs are off."""
    monkeypatch.setenv("SOME_API_KEY", "set")
    home = ScratchHome(tmp_path)

    found = home.environment(Path("/opt/python/bin/python"), EXTRA="1", TZ=None)

    assert found["HOME"] == str(home.user)
    assert found["HERMES_HOME"] == str(home.home)
    assert found["HERMES_DISABLE_LAZY_INSTALLS"] == "1"
    assert found["EXTRA"] == "1"
    assert "TZ" not in found
    assert "SOME_API_KEY" not in found
