"""`make install` and `make uninstall`, through the script behind them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from hermes_tool_router.probe.home import SOURCE, STOCK, config_of
from hermes_tool_router.probe.model import StubModel
from hermes_tool_router.probe.script import say

pytestmark = pytest.mark.hermes

SKILL = Path("skills", "hermes-tool-router-onboarding", "SKILL.md")
QUESTION = "Why is the night sky dark?"


def environment(home: Path) -> dict[str, str]:
    """What a user whose home is ``home`` has."""
    return {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "COLUMNS": "80",
        "HERMES_DISABLE_LAZY_INSTALLS": "1",
    }


def run(home: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command as that user, from the root folder."""
    return subprocess.run(
        command,
        cwd="/",
        env=environment(home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def script(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``console/install.py``."""
    return run(home, sys.executable, str(SOURCE / "console" / "install.py"), *arguments)


def hermes(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``hermes -p router-test …``."""
    return run(home, sys.executable, "-m", "hermes_cli.main", "-p", "router-test", *arguments)


def test_a_profile_is_set_up_and_undone(tmp_path: Path) -> None:
    """From a Hermes that can chat to a routed turn, a clone that cannot, and back.

    Installing twice is installing once, and brings the skill up to date; undoing leaves the
    profile and says so.
    """
    profile = tmp_path / ".hermes" / "profiles" / "router-test"
    copy = profile / "plugins" / "tool-router"

    with StubModel() as model:
        (tmp_path / ".hermes").mkdir()
        stock = yaml.safe_dump(config_of(model.base_url, STOCK))
        (tmp_path / ".hermes" / "config.yaml").write_text(stock)
        model.load([say("It is far away.")])
        runs = [script(tmp_path, "install", "router-test")]
        for place in (copy, profile):  # as an older version would have left them
            (place / SKILL).write_text("older words", encoding="utf-8")
        runs.append(script(tmp_path, "install", "router-test"))
        skill = (profile / SKILL).read_text(encoding="utf-8")
        turn = hermes(tmp_path, "chat", "-Q", "-q", QUESTION)
        (sent,) = model.conversation(QUESTION)
    cloned = hermes(tmp_path, "profile", "create", "clone", "--clone", "--no-alias")
    status = hermes(tmp_path, "tool-router", "status")
    config = yaml.safe_load((profile / "config.yaml").read_text())
    installed = sorted(path.name for path in copy.parent.iterdir())
    with (profile / "config.yaml").open("a", encoding="utf-8") as file:
        file.write('command_allowlist: ["plugin_rule:tool-router:terminal:x:y"]\n')
    undone = script(tmp_path, "uninstall", "router-test")
    after = yaml.safe_load((profile / "config.yaml").read_text())

    assert [done.returncode for done in runs] == [0, 0], runs[0].stderr + runs[1].stderr
    assert "created profile router-test" in runs[0].stdout
    assert "created" not in runs[1].stdout
    assert "hermes -p router-test chat" in runs[0].stdout
    assert installed == ["tool-router"]
    assert skill == (SOURCE / SKILL).read_text(encoding="utf-8")
    assert config["plugins"]["enabled"] == ["tool-router"]
    entry = config["plugins"]["entries"]["tool-router"]
    assert entry["settings"] == {"global": {"enabled": True, "mode": "enforce"}}
    assert turn.returncode == 0, turn.stderr
    assert "request_toolset" in sent.tools
    assert "delegate_task" not in sent.tools
    assert cloned.returncode == status.returncode == 0, cloned.stderr + status.stdout
    assert "not installed in profile clone" in " ".join(status.stdout.split())
    assert undone.returncode == 0, undone.stderr
    assert "hermes profile delete router-test" in undone.stdout
    assert "plugin_rule:" in undone.stdout
    assert not copy.exists()
    assert not (profile / SKILL).parent.exists()
    assert "tool-router" not in str(after.get("plugins", {}).get("entries"))
    assert "tool-router" not in after.get("plugins", {}).get("enabled", [])


def test_undoing_in_no_profile_says_what_hermes_said(tmp_path: Path) -> None:
    """A mistyped profile is named, and nothing is made."""
    undone = script(tmp_path, "uninstall", "ruoter-test")

    assert undone.returncode == 1
    assert "ruoter-test" in undone.stderr
    assert "Traceback" not in undone.stderr
