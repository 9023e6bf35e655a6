"""``hermes tool-router …`` and ``/router`` as people type them."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from hermes_tool_router.probe import plan
from hermes_tool_router.probe.home import ENFORCE, SOURCE, Contents
from hermes_tool_router.probe.scene import Scene
from hermes_tool_router.probe.script import say
from hermes_tool_router.probe.turns import Run

pytestmark = pytest.mark.hermes

NARROW = {"COLUMNS": "80", "NO_COLOR": "1", "LC_ALL": "C", "PYTHONIOENCODING": "cp1252:strict"}
SKILL = SOURCE / "skills" / "hermes-tool-router-onboarding" / "SKILL.md"


def command(drive: Scene, *arguments: str) -> Run:
    """One command on a narrow terminal with a Windows code page and no colour."""
    return drive.hermes.command("tool-router", *arguments, env=NARROW)


def answer(drive: Scene, *arguments: str) -> Any:
    """One command's JSON."""
    run = command(drive, *arguments, "--json")
    assert run.status == 0, run.tail
    return json.loads(run.stdout)


def settings(drive: Scene) -> Any:
    """What stands in Hermes' configuration under our entry."""
    config = yaml.safe_load((drive.home.home / "config.yaml").read_text(encoding="utf-8"))
    return config["plugins"]["entries"]["tool-router"]["settings"]


def test_a_day_from_off_to_enforce_and_back(drive: Scene) -> None:
    """Off, shadow, a look at a prompt, enforce, a real turn, its figures, off again."""
    drive.fill(Contents(), [say("Here it is.")])

    before = command(drive, "status")
    shadow = command(drive, "shadow")
    explained = answer(drive, "explain", "Search the web for the news of today.")
    reminder = answer(drive, "explain", "Remind me every Friday at noon to stretch.")
    enable = command(drive, "enable")
    turn = drive.hermes.chat("Search the web for the news of today.")
    after = answer(drive, "status")
    logged = command(drive, "log", "--kind", "decisions", "--json")
    disable = command(drive, "disable")

    assert before.status == 0
    assert "nothing is routed" in before.stdout
    assert "hermes tool-router shadow" in before.stdout
    assert (shadow.status, enable.status, disable.status) == (0, 0, 0)
    assert explained["outcome"] == "narrowed"
    assert 0 < explained["tokens_sent"] < explained["tokens_full"]
    # Hermes offers its scheduler only to sessions, and the command speaks of one.
    assert "cronjob" in reminder["toolsets"]
    assert turn.status == 0
    assert after["effect"]["enforced"] == 1
    assert after["effect"]["tokens_removed"] > 0
    assert [json.loads(line)["outcome"] for line in logged.stdout.splitlines()] == ["narrowed"]
    assert "news" not in logged.stdout
    assert settings(drive) == {"global": {"enabled": False, "mode": "enforce"}}


def test_output_fits_a_narrow_terminal_without_colour(drive: Scene) -> None:
    """Eighty columns, ASCII only, no escape sequences, from every command for people."""
    drive.fill(Contents(settings=ENFORCE))

    runs = [
        command(drive, *arguments.split("|"))
        for arguments in (
            "--help",
            "status",
            "explain|Fix the failing test in parser.py",
            "log",
            "rules|check",
            "rules|explain|Search the web",
            "onboard|--offer-key",
            "explain|--help",
        )
    ]

    assert [run.status for run in runs] == [0] * len(runs), [run.tail for run in runs]
    # What people copy is never broken: paths, and the commands of the offer.
    whole = (str(drive.home.root), "hermes config set")
    for run in runs:
        assert run.stdout.isascii()
        assert "\x1b" not in run.stdout
        lines = [line for line in run.stdout.splitlines() if not any(w in line for w in whole)]
        assert max(len(line) for line in lines) <= 80


def test_flat_settings_are_written_where_they_stand(drive: Scene) -> None:
    """A user without ``global:`` does not get a second, contradicting key."""
    drive.fill(Contents(settings={"enabled": True, "mode": "shadow"}))

    run = command(drive, "enable")

    assert run.status == 0, run.tail
    assert settings(drive) == {"enabled": True, "mode": "enforce"}


def test_what_wins_over_a_write_is_named(drive: Scene) -> None:
    """A block for the profile says otherwise: status 1, and where."""
    drive.fill(Contents(settings={"profiles": {"default": {"enabled": False}}}))

    run = command(drive, "enable")

    assert run.status == 1
    assert "profiles.default.enabled" in run.stdout


def test_managed_configuration_is_not_written(drive: Scene) -> None:
    """Status 3, the reason on the error output, and the file as it was."""
    drive.fill(Contents(settings=ENFORCE))
    command(drive, "status")  # makes the folders that a managed Hermes expects to be there
    (drive.home.home / ".managed").touch()
    before = (drive.home.home / "config.yaml").read_bytes()

    run = command(drive, "disable")

    assert run.status == 3
    assert "managed" in run.stderr
    assert (drive.home.home / "config.yaml").read_bytes() == before


def test_mistake_in_the_settings_shows_and_costs_the_status(drive: Scene) -> None:
    """Inactive, with the key and the nearest one; Hermes itself goes on."""
    drive.fill(Contents(settings={"global": {"enabled": True, "flor_toolsetz": []}}))

    run = command(drive, "status")

    words = " ".join(run.stdout.split())
    assert run.status == 1
    assert "global.flor_toolsetz" in words
    assert "floor_toolsets" in words


def test_wrong_usage_is_two(drive: Scene) -> None:
    """No command, an unknown command, a missing argument."""
    drive.fill(Contents())

    runs = [command(drive), command(drive, "expalin"), command(drive, "explain")]

    stranger = command(drive, "explain", "hi", "--platform", "nosuch")

    assert [run.status for run in runs] == [2, 2, 2]
    assert stranger.status == 1
    assert "grants no tools on platform 'nosuch'" in stranger.stderr


def test_slash_command_in_a_session(drive: Scene) -> None:
    """Status, surface, add and off speak of the session in which they are typed."""
    drive.fill(Contents(settings=ENFORCE), [say("Done.")] * 3)

    driven = drive.hermes.drive(
        [
            plan.agent("a"),
            plan.slash("router", "surface"),
            plan.turn("a", "Search the web for the news of today."),
            plan.slash("router"),
            plan.slash("router", "surface"),
            plan.slash("router", "add terminal, nosuch web"),
            plan.turn("a", "Thanks."),
            plan.slash("router", "off"),
            plan.turn("a", "Thanks again."),
            plan.slash("router", "nonsense"),
        ]
    )

    assert not driven.fatal
    unknown, status, surface, added, off, nonsense = driven.facts["slash"]
    first, second, third = (request.tools for request in drive.model.turns)
    assert "Send a message first" in unknown
    assert "this session: narrowed" in status
    assert surface.splitlines()[1] == f"tools, in order: {', '.join(first)}"
    lines = added.splitlines()
    assert lines[0] == "from the next step on: process, terminal"
    assert lines[1] == "there already: web"
    assert lines[2].startswith("not added: nosuch: not granted")
    assert second[: len(first)] == first
    assert "terminal" in second[len(first) :]
    assert "rest of this session" in off
    assert third[: len(second)] == second
    assert len(third) > len(second)
    assert "/router add TOOLSET" in nonsense


def test_onboarding_skill_works_when_followed_to_the_letter(drive: Scene) -> None:
    """Every command that the skill names runs, in its order, on a fresh home."""
    drive.fill(Contents())
    text = SKILL.read_text(encoding="utf-8")
    blocks = re.findall(r"```bash\n(.*?)```", text, re.S)
    lines = [line for block in blocks for line in block.splitlines() if line]

    runs = {line: _typed(drive, line) for line in lines}
    again = command(drive, "onboard", "--offer-key")

    assert len(lines) >= 7
    assert {line: run.status for line, run in runs.items()} == dict.fromkeys(runs, 0)
    offer = runs["hermes tool-router onboard --offer-key"].stdout
    assert "OPENROUTER_API_KEY" in offer
    assert str(drive.home.home / ".env") in offer
    assert again.stdout == "already offered; nothing to say\n"
    assert settings(drive)["global"]["enabled"] is False


def test_onboarding_copies_the_skill_and_keeps_an_edited_one(drive: Scene) -> None:
    """Plugin skills are not in Hermes' prompt index; a profile's skills are."""
    drive.fill(Contents())
    target = drive.home.home / "skills" / "hermes-tool-router-onboarding" / "SKILL.md"

    first = command(drive, "onboard")
    copied = target.read_bytes()
    target.write_text("edited", encoding="utf-8")
    second = command(drive, "onboard")
    kept = target.read_bytes()
    third = command(drive, "onboard", "--replace")

    assert (first.status, second.status, third.status) == (0, 1, 0)
    assert copied == SKILL.read_bytes() == target.read_bytes()
    assert kept == b"edited"


def _typed(drive: Scene, line: str) -> Run:
    """A line of the skill; only Hermes' own name stands in front."""
    words = shlex.split(line)
    assert words[0] == "hermes"
    return drive.hermes.command(*words[1:], env=NARROW)


def test_skill_file_has_what_hermes_reads() -> None:
    """Name equal to its folder, a description, both in the front matter."""
    front = yaml.safe_load(SKILL.read_text(encoding="utf-8").split("---")[1])

    assert front["name"] == Path(SKILL).parent.name
    assert len(front["description"]) <= 1024
