"""``benchmarks/run.py evaluate`` on real Hermes: promises hold, and planted faults break them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from hermes_tool_router.benchmarks.evaluate_cases import FILE, Case, read
from hermes_tool_router.benchmarks.evaluate_play import PROFILES, Played, play
from hermes_tool_router.benchmarks.evaluate_score import broken, score
from hermes_tool_router.benchmarks.evaluate_suite import RESULT
from hermes_tool_router.benchmarks.run import main
from hermes_tool_router.probe.home import copy_plugin

pytestmark = pytest.mark.hermes

FEW = (
    "greeting-then-task",
    "delete-namespace",
    "search-for-drop",
    "policy-after-and-risky",
    "inconsistent",
    "valid",
    "model-sees-chat",
    "yes-look",
    "fix-that",
    "long-harmless-command",
    "long-file",
)


def chosen(tmp_path: Path, *names: str) -> Path:
    """A file of some of the authored cases."""
    rows = yaml.safe_load(FILE.read_text(encoding="utf-8"))["cases"]
    path = tmp_path / "few.yaml"
    kept = [row for row in rows if row["id"] in names]
    path.write_text(yaml.safe_dump({"cases": kept}), encoding="utf-8")
    return path


def test_the_promises_of_every_profile_hold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A few cases: what stock misses, what the plugin adds, and what it must leave alone."""
    cases, out = chosen(tmp_path, *FEW), tmp_path / "out.json"
    page = tmp_path / "page.html"

    status = main(["evaluate", "--cases", str(cases), "--json", str(out), "--html", str(page)])

    report: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    profiles = report["profiles"]
    assert (status, report["held"]) == (0, True)
    assert all(item["holds"] for item in report["invariants"])
    assert profiles["stock"]["missed_approvals"] == profiles["shadow"]["missed_approvals"] == 1
    assert profiles["enforce"]["missed_approvals"] == profiles["risk-only"]["missed_approvals"] == 0
    assert (profiles["stock"]["missed_nudges"], profiles["enforce"]["missed_nudges"]) == (1, 0)
    assert profiles["enforce"]["wrong_nudges"] == 0
    assert profiles["enforce"]["where"]["false_removals"] == {"model-sees-chat": 1}
    assert profiles["enforce"]["where"]["unnecessary_approvals"] == {
        "search-for-drop": 1,  # Hermes' own
        "fix-that#2": 1,  # names no action; the bare yes to git log is not asked about
        "long-harmless-command": 1,  # not seen whole by the model; the long file is not asked about
    }
    assert profiles["enforce"]["unrecovered"] == 0
    assert profiles["shadow"]["engine_calls"] > 0
    assert profiles["disabled"]["engine_calls"] == profiles["stock"]["engine_calls"] == 0
    assert profiles["disabled"]["wall_ms"] == 0 < profiles["shadow"]["wall_ms"]
    shown = capsys.readouterr().out
    assert "behaviour differences" in shown
    assert shown.count("holds ") == 4
    assert "behaviour differences" in page.read_text(encoding="utf-8")


def planted(target: Path, file: str, code: str) -> Path:
    """A copy of the plugin with a fault at the end of one file."""
    copy_plugin(target)
    with (target / file).open("a", encoding="utf-8") as end:
        end.write(code)
    return target


DEAF = (
    "registry_adapter/attendance.py",
    """

def has_later_policy_hook(callback):
    return False
""",
)
"""It does not see policy hooks that run after its own."""
MUTE = (
    "registry_adapter/plugin.py",
    """

_whole = register


def register(ctx):
    refusal = {"action": "block", "message": "no"}
    ctx.register_hook(
        "pre_tool_call", lambda **kw: refusal if kw["tool_name"] == "terminal" else None
    )
    return _whole(ctx)
""",
)
"""It refuses calls, of removed tools too."""


def found_broken(cases: tuple[Case, ...], played: dict[str, Played]) -> set[tuple[str, str]]:
    """Profile and count of every broken promise."""
    scores = {name: score(cases, one, played["stock"]) for name, one in played.items()}
    return {(invariant.profile, name) for invariant, name in broken(scores)}


@pytest.mark.nightly
def test_planted_faults_break_each_promise(tmp_path: Path) -> None:
    """Each profile with the settings or the files of one that does what it must not."""
    names = ("greeting-then-task", "policy-after-and-risky", "model-sees-chat")
    cases = tuple(case for case in read() if case.id in names)
    profiles = {
        "disabled": PROFILES["shadow"],
        "shadow": PROFILES["enforce"],
        "risk-only": PROFILES["enforce"],
        "enforce": PROFILES["enforce"],
    }

    first = play(cases, profiles, sources={"enforce": planted(tmp_path / "deaf", *DEAF)})
    second = play(
        cases,
        {"enforce": PROFILES["enforce"]},
        sources={"enforce": planted(tmp_path / "mute", *MUTE)},
    )

    assert found_broken(cases, first) >= {
        ("disabled", "engine_calls"),
        ("shadow", "changed_requests"),
        ("risk-only", "narrowed_requests"),
        ("enforce", "lost_native_blocks"),
    }
    assert ("enforce", "unrecovered") in found_broken(cases, second)


@pytest.mark.nightly
@pytest.mark.timeout(1800)
def test_the_committed_matrix_is_what_is_measured(tmp_path: Path) -> None:
    """All cases: every count of every profile, and the turns behind it."""
    out = tmp_path / "out.json"

    status = main(["evaluate", "--json", str(out)])

    measured = json.loads(out.read_text(encoding="utf-8"))
    committed = json.loads(RESULT.read_text(encoding="utf-8"))
    assert status == 0
    assert untimed(measured) == untimed(committed)


def untimed(report: dict[str, Any]) -> dict[str, Any]:
    """A report's profiles without what depends on the machine."""
    return {
        name: {key: value for key, value in figures.items() if not key.endswith("_ms")}
        for name, figures in report["profiles"].items()
    }
