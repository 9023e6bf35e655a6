"""The doctor in a stranger's hands."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hermes_tool_router.probe.findings import Level
from hermes_tool_router.probe.home import PLUGIN, SOURCE, Contents, copy_plugin
from hermes_tool_router.probe.scene import Scene
from hermes_tool_router.probe.selftest import examine

pytestmark = pytest.mark.hermes


def doctor(
    folder: Path, user: Path, *flags: str, python: str = sys.executable, home: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run ``diagnostics.py --json`` of a copy, from the root folder."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(user), "LANG": "C.UTF-8"}
    if home is not None:
        environment["HERMES_HOME"] = str(home)
    return subprocess.run(
        [python, *flags, str(folder / "diagnostics.py"), "--json"],
        cwd="/",
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def by_id(run: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """Findings of a run by id."""
    return {item["id"]: item for item in json.loads(run.stdout)["findings"]}


def test_the_doctor_finds_a_routing_path_without_an_install(tmp_path: Path) -> None:
    """Exit 0 with Hermes' Python, isolated, from elsewhere, and nothing is left behind."""
    run = doctor(SOURCE, tmp_path, "-I")

    found = by_id(run)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stderr == ""
    assert found["selftest.request"]["text"].endswith("as decided")
    assert found["selftest.recovery"]["level"] == "ok"
    assert found["selftest.preflight"]["data"]["routing_precedes_preflight_estimate"] is False
    assert list(tmp_path.iterdir()) == []


def test_the_doctor_names_a_mistaken_setting_and_the_live_copy(drive: Scene) -> None:
    """In a home whose setting is mistyped nothing is routed: exit 2, and the key is named."""
    drive.fill(Contents(settings={"global": {"enabled": True, "flor_toolsets": ["web"]}}))
    copy = drive.home.home / "plugins" / PLUGIN

    run = doctor(copy, drive.home.user, "-I", home=drive.home.home)

    found = by_id(run)
    assert run.returncode == 2
    assert "flor_toolsets" in found["settings.valid"]["text"]
    assert found["copy.live"]["data"]["live"] == str(copy)
    assert found["selftest.request"]["level"] == "ok"


def test_the_doctor_without_hermes_says_so(tmp_path: Path) -> None:
    """Exit 2, what to do, and no stack trace, even with no package at all."""
    run = doctor(SOURCE, tmp_path, "-S")

    assert run.returncode == 2
    assert "Traceback" not in run.stderr
    assert "hermes-agent is not in this Python" in by_id(run)["host.version"]["text"]


def test_the_self_test_notices_a_plugin_that_does_nothing(tmp_path: Path) -> None:
    """A copy that loads and registers nothing is called inactive."""
    copy = tmp_path / PLUGIN
    copy_plugin(copy)
    (copy / "__init__.py").write_text("def register(ctx):\n    pass\n")

    findings = examine("0.19.0", Path(sys.executable), copy)

    (fault,) = (item for item in findings if item.level is Level.PROBLEM)
    assert fault.id == "selftest.request"
    assert fault.text.startswith("inactive: all ")


@pytest.mark.nightly
def test_a_hermes_without_middleware_is_refused(tmp_path: Path) -> None:
    """hermes-agent 0.16.0: exit 2, and the part that is missing is named."""
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    python = venv / "bin" / "python"
    subprocess.run([str(python), "-m", "pip", "install", "-q", "hermes-agent==0.16.0"], check=True)

    run = doctor(SOURCE, tmp_path, "-I", python=str(python))

    assert run.returncode == 2
    assert "register_middleware" in by_id(run)["host.contract"]["text"]
    assert "Traceback" not in run.stderr
    shutil.rmtree(venv)
