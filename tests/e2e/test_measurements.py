"""The measurements that a stranger runs first."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hermes_tool_router.probe.home import SOURCE

pytestmark = pytest.mark.hermes


def script(scratch: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script of ``benchmarks/`` from the root folder, its temporary files in ``scratch``."""
    path, *rest = arguments
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        "LANG": "C.UTF-8",
    }
    return subprocess.run(
        [sys.executable, "-I", str(SOURCE / "benchmarks" / path), *rest],
        cwd="/",
        env=environment,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )


def test_the_tokens_suite_counts_what_was_sent(tmp_path: Path) -> None:
    """Parts add up, the system prompt is the same, and nothing is left behind."""
    run = script(tmp_path, "run.py", "tokens", "--json", "-")

    report: dict[str, Any] = json.loads(run.stdout)
    assert run.returncode == (1 if report["faults"] else 0)
    assert "counted by tiktoken" in report["counter"]
    for route in report["routes"]:
        stock, sent = route["stock"], route["sent"]
        assert stock["system"]["bytes"] == sent["system"]["bytes"]
        assert sent["tools"]["bytes"] < stock["tools"]["bytes"]
        saved = stock["request"]["tokens"] - sent["request"]["tokens"]
        assert route["tokens_saved"] == saved > 0
        assert route["hermes_estimate"]["sent"] < route["hermes_estimate"]["stock"]
    tools = sum(row["tools"] for row in report["toolsets"])
    assert tools == len(report["routes"][0]["stock"]["names"])
    assert report["registered"]["tools"] > tools
    assert list(tmp_path.iterdir()) == []


def test_the_latency_suite_reports_every_part(tmp_path: Path) -> None:
    """Costs are over stock Hermes; how large they are is not asserted here."""
    run = script(tmp_path, "run.py", "latency", "--json", "-")

    report: dict[str, Any] = json.loads(run.stdout)
    parts = {"first turn", "later turn", "tool call", "request, 80 tools", "loading the plugin"}
    parts.add("later turn, after a pause")
    assert parts <= set(report["costs_us"])
    assert all(report["yardstick"][who]["us"] > 0 for who in ("stock", "routed"))
    assert report["costs_us"]["first turn"]["median"] > 0
    assert run.returncode == (0 if report["held"] else 1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.nightly
def test_the_demo_shows_what_it_claims(tmp_path: Path) -> None:
    """Every remark holds, and nothing is left behind."""
    run = script(tmp_path, "demo.py")

    assert run.returncode == 0, run.stdout + run.stderr
    assert "NO  " not in run.stdout
    assert list(tmp_path.iterdir()) == []
