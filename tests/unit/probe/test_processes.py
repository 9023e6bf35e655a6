"""Processes that a drive starts, and ends."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hermes_tool_router.probe import turns

# Leaves a child behind that would sleep for an hour, and tells its number.
PARENT = """
import subprocess, sys
quiet = subprocess.DEVNULL
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"],
                         stdin=quiet, stdout=quiet, stderr=quiet)
open(sys.argv[1], "w").write(str(child.pid))
if sys.argv[2] == "wait":
    child.wait()
"""


def start(note: Path, then: str) -> subprocess.Popen[str]:
    """Start the parent as the drive starts Hermes."""
    return subprocess.Popen(
        [sys.executable, "-c", PARENT, str(note), then],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def is_gone(pid: int) -> bool:
    """Whether a process has ended; a killed one may still wait to be reaped."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if Path(f"/proc/{pid}/stat").exists():
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
            if state == "Z":
                return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize(("then", "timeout_s"), [("leave", 60.0), ("wait", 2.0)])
def test_nothing_that_was_started_stays_behind(tmp_path: Path, then: str, timeout_s: float) -> None:
    """A child outlives neither a parent that ended nor one that took too long."""
    note = tmp_path / "pid"

    run = turns.finish(start(note, then), timeout_s)

    assert run.timed_out is (then == "wait")
    assert is_gone(int(note.read_text()))


def test_ending_a_process_ends_its_children(tmp_path: Path) -> None:
    """The whole group goes, and ending twice is harmless."""
    note = tmp_path / "pid"
    process = start(note, "wait")
    deadline = time.monotonic() + 30
    while not (note.exists() and note.read_text()) and time.monotonic() < deadline:
        time.sleep(0.02)

    turns.end(process)
    turns.end(process)

    assert process.returncode < 0
    assert is_gone(int(note.read_text()))
