"""Every way in which Hermes can get the plugin: git, wheel, wheel and folder at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hermes_tool_router.probe import plan
from hermes_tool_router.probe.home import ENFORCE, PLUGIN, Contents, PluginCopy, copy_plugin
from hermes_tool_router.probe.scene import Scene
from hermes_tool_router.probe.script import say
from hermes_tool_router.probe.turns import Driven

pytestmark = pytest.mark.hermes

OPENER = "Why do we see lightning before we hear thunder?"
PLAN = [{"do": "plugins"}, plan.agent("a"), plan.turn("a", OPENER)]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for ``PYTHONPATH`` into which pip installed the package."""
    root = tmp_path_factory.mktemp("wheel")
    copy_plugin(root / "source")
    subprocess.run(
        [
            sys.executable,
            *("-m", "pip", "install", "-q", "--no-deps", "--disable-pip-version-check"),
            *("--target", str(root / "site"), str(root / "source")),
        ],
        check=True,
        capture_output=True,
        timeout=240,
    )
    return root / "site"


def ours(driven: Driven) -> dict[str, Any]:
    """How Hermes lists the plugin; it must list it once."""
    (found,) = (item for item in driven.facts["plugins"] if item["name"] == PLUGIN)
    return dict(found)


def is_narrowed(drive: Scene, driven: Driven) -> bool:
    """Whether fewer tools were sent than were granted."""
    return len(drive.model.turns[0].tools) < len(driven.turns[0].tools)


def test_the_wheel_alone_routes(drive: Scene, wheel: Path) -> None:
    """Hermes finds the entry point, and the shipped data files are in the wheel."""
    drive.fill(Contents(settings=ENFORCE, copy=PluginCopy.PIP), [say("Done.")])

    driven = drive.hermes.drive(PLAN, env={"PYTHONPATH": str(wheel)})

    assert not driven.fatal
    assert ours(driven)["source"] == "entrypoint"
    assert is_narrowed(drive, driven)


def test_with_wheel_and_folder_one_copy_is_live(drive: Scene, wheel: Path) -> None:
    """One entry, one callback each, also after a forced rescan in the same process."""
    drive.fill(Contents(settings=ENFORCE), [say("Done.")])

    driven = drive.hermes.drive(
        [{"do": "rescan"}, {"do": "rescan"}, *PLAN], env={"PYTHONPATH": str(wheel)}
    )

    assert not driven.fatal
    assert ours(driven)["error"] is None
    counts = {**driven.facts["hooks"], **driven.facts["middleware"]}
    assert counts["pre_llm_call"] == counts["llm_execution"] == counts["tool_request"] == 1
    assert is_narrowed(drive, driven)


def test_hermes_installs_from_git(drive: Scene, tmp_path: Path) -> None:
    """``hermes plugins install file://…`` of a repository, its next step shown, then a turn."""
    repository = tmp_path / "repository"
    copy_plugin(repository)
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "All of it"]):
        name = ("-c", "user.name=test", "-c", "user.email=test@example.invalid")
        subprocess.run(["git", "-C", str(repository), *name, *command], check=True, timeout=60)
    drive.fill(Contents(copy=PluginCopy.NONE), [say("Done.")])

    installed = drive.hermes.command("plugins", "install", repository.as_uri(), "--enable")
    enabled = drive.hermes.command("tool-router", "enable")
    driven = drive.hermes.drive(PLAN)

    assert installed.status == 0, installed.tail
    assert "hermes tool-router shadow" in installed.stdout  # after-install.md
    assert enabled.status == 0, enabled.tail
    assert ours(driven)["source"] == "user"
    assert is_narrowed(drive, driven)
