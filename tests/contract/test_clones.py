"""The trap of ``hermes profile create --clone``, as the doctor sees it with Hermes' own readers."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("hermes_cli.config")

from hermes_tool_router.probe import doctor
from hermes_tool_router.probe.findings import Level

ENABLED = "plugins: {enabled: [tool-router]}\n"


def test_the_doctor_sees_a_clone_from_inside_and_from_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the clone: enabled, not installed.  In the profile that it came from: by its name."""
    clone = tmp_path / "profiles" / "clone"
    for home in (tmp_path, clone):
        home.mkdir(parents=True, exist_ok=True)
        (home / "config.yaml").write_text(ENABLED, encoding="utf-8")
    (tmp_path / "plugins" / "tool-router").mkdir(parents=True)
    (tmp_path / "plugins" / "tool-router" / "plugin.yaml").write_text("name: tool-router\n")

    monkeypatch.setenv("HERMES_HOME", str(clone))
    (inside,) = doctor._copies()
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    live, outside = doctor._copies()

    assert (inside.level, "--clone" in inside.text) == (Level.NOTE, True)
    assert live.data["live"] == str(tmp_path / "plugins" / "tool-router")
    assert (outside.id, outside.data["profiles"]) == ("copy.profiles", ["clone"])
