"""`make install` and `make uninstall`, through the script behind them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from hermes_tool_router.probe.home import SOURCE

pytestmark = pytest.mark.hermes


def script(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``cli/install.py`` as a user whose home is ``home``."""
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "HERMES_DISABLE_LAZY_INSTALLS": "1",
    }
    return subprocess.run(
        [sys.executable, str(SOURCE / "cli" / "install.py"), *arguments],
        cwd="/",
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def test_a_profile_is_set_up_and_undone(tmp_path: Path) -> None:
    """Installing twice is installing once; undoing leaves the profile and says so."""
    profile = tmp_path / ".hermes" / "profiles" / "router-test"
    copy = profile / "plugins" / "tool-router"

    runs = [script(tmp_path, "install", "router-test") for _ in range(2)]
    config = yaml.safe_load((profile / "config.yaml").read_text())
    installed = sorted(path.name for path in copy.parent.iterdir())
    undone = script(tmp_path, "uninstall", "router-test")
    after = yaml.safe_load((profile / "config.yaml").read_text())

    assert [run.returncode for run in runs] == [0, 0], runs[0].stderr + runs[1].stderr
    assert "created profile router-test" in runs[0].stdout
    assert "created" not in runs[1].stdout
    assert "hermes -p router-test chat" in runs[0].stdout
    assert installed == ["tool-router"]
    assert config["plugins"]["enabled"] == ["tool-router"]
    entry = config["plugins"]["entries"]["tool-router"]
    assert entry["settings"] == {"global": {"enabled": True, "mode": "enforce"}}
    assert undone.returncode == 0, undone.stderr
    assert "hermes profile delete router-test" in undone.stdout
    assert not copy.exists()
    assert "tool-router" not in str(after.get("plugins", {}).get("entries"))
    assert "tool-router" not in after.get("plugins", {}).get("enabled", [])


def test_undoing_in_no_profile_says_what_hermes_said(tmp_path: Path) -> None:
    """A mistyped profile is named, and nothing is made."""
    run = script(tmp_path, "uninstall", "ruoter-test")

    assert run.returncode == 1
    assert "ruoter-test" in run.stderr
    assert "Traceback" not in run.stderr
