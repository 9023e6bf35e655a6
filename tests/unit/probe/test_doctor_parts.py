"""The doctor's judgements, apart from any running Hermes."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tool_router.probe.contract import RELIANCES, judge
from hermes_tool_router.probe.copies import Installed, describe, look, stranded, stranded_text
from hermes_tool_router.probe.findings import Level, Report, note, ok, problem

EVERYTHING = {item.name: True for item in RELIANCES}


def test_a_host_with_everything_is_fit() -> None:
    """One finding, and it is good."""
    (finding,) = judge("0.19.0", EVERYTHING)

    assert finding.level is Level.OK


@pytest.mark.parametrize("lost", [item.name for item in RELIANCES if item.needed])
def test_a_host_without_a_needed_part_cannot_route(lost: str) -> None:
    """Each needed part alone is a problem that names it, its use and the version to install."""
    first, *rest = judge("0.16.0", {**EVERYTHING, lost: False})

    assert first.level is Level.PROBLEM
    assert lost in first.text
    assert "0.18.1 or newer" in first.text
    assert rest == []


def test_a_host_without_an_extra_still_routes() -> None:
    """A missing extra is worth a note."""
    extra = next(item.name for item in RELIANCES if not item.needed)

    findings = judge("0.18.0", {**EVERYTHING, extra: False})

    assert [finding.level for finding in findings] == [Level.OK, Level.NOTE]


def test_nothing_looked_at_is_nothing_there() -> None:
    """A name that was not looked up does not count as present."""
    assert judge("0.19.0", {})[0].level is Level.PROBLEM


def installed(folder: bool, wheel: bool, enabled: bool) -> Installed:
    """Copies at fixed places."""
    return Installed(
        folder=Path("/home/plugins/tool-router") if folder else None,
        wheel=Path("/site/hermes_tool_router") if wheel else None,
        enabled=enabled,
    )


@pytest.mark.parametrize(
    ("copies", "live", "level", "says"),
    [
        pytest.param(installed(True, False, True), "folder", Level.OK, "loads", id="folder"),
        pytest.param(installed(False, True, True), "wheel", Level.OK, "loads", id="wheel"),
        pytest.param(installed(True, True, True), "wheel", Level.NOTE, "two copies", id="both"),
        pytest.param(installed(True, False, False), "", Level.NOTE, "not enabled", id="disabled"),
        pytest.param(installed(False, False, True), "", Level.NOTE, "--clone", id="neither"),
        pytest.param(installed(False, False, False), "", Level.NOTE, "not installed", id="none"),
    ],
)
def test_the_live_copy_is_named(copies: Installed, live: str, level: Level, says: str) -> None:
    """With both the wheel wins, as in Hermes; a copy that is not enabled is not live."""
    source = getattr(copies, live) if live else Path("/elsewhere")

    finding = describe(copies, source)

    assert (finding.level, says in finding.text) == (level, True)
    assert finding.data["live"] == (str(source) if live else None)


def test_a_live_copy_elsewhere_is_told() -> None:
    """Somebody who runs a checkout's doctor learns that Hermes uses other files."""
    finding = describe(installed(True, False, True), Path("/checkout"))

    assert finding.level is Level.NOTE
    assert "another copy" in finding.text


def test_a_folder_counts_once_it_has_a_manifest(tmp_path: Path) -> None:
    """An empty folder is no copy, and `disabled` wins over `enabled`."""
    folder = tmp_path / "plugins" / "tool-router"
    folder.mkdir(parents=True)
    config = {"plugins": {"enabled": ["tool-router"], "disabled": ["tool-router"]}}

    before = look(tmp_path, config)
    (folder / "plugin.yaml").write_text("name: tool-router\n")
    after = look(tmp_path, {"plugins": {"enabled": ["tool-router"]}})

    assert (before.folder, before.enabled) == (None, False)
    assert (after.folder, after.enabled) == (folder, True)


def test_clones_without_the_plugin_are_named(tmp_path: Path) -> None:
    """Seen from any profile but itself; a copy of its own makes a profile whole."""
    enabled = "plugins: {enabled: [tool-router]}\n"
    homes = {name: tmp_path / "profiles" / name for name in ("clone", "odd", "other", "whole")}
    for name, text in {"clone": enabled, "odd": "[", "other": "{}", "whole": enabled}.items():
        homes[name].mkdir(parents=True)
        (homes[name] / "config.yaml").write_text(text)
    (homes["whole"] / "plugins" / "tool-router").mkdir(parents=True)
    (homes["whole"] / "plugins" / "tool-router" / "plugin.yaml").write_text("name: tool-router\n")

    seen = [stranded(home) for home in (tmp_path, homes["whole"], homes["clone"])]

    assert seen == [("clone",), ("clone",), ()]
    assert "in profile clone, so" in stranded_text(seen[0])
    assert stranded_text(()) == ""


@pytest.mark.parametrize("config", [{}, {"plugins": None}, {"plugins": {"enabled": "all"}}])
def test_an_odd_configuration_enables_nothing(tmp_path: Path, config: dict[str, object]) -> None:
    """What is no list of names is no list of names."""
    assert not look(tmp_path, config).enabled


def test_one_problem_is_enough_not_to_route() -> None:
    """Notes do not count, a problem does; the exit status follows."""
    fine = Report(findings=(ok("a.b", "x"), note("a.c", "y")))
    bad = Report(findings=(*fine.findings, problem("a.d", "z")))

    assert (fine.routes, fine.as_json()["exit_status"]) == (True, 0)
    assert (bad.routes, bad.as_json()["exit_status"]) == (False, 2)
