"""The mirror of the call log as a file."""

from __future__ import annotations

import json
import logging
import os
import stat
from pathlib import Path

import pytest

from hermes_tool_router.registry_adapter.log import JsonLines, as_row
from hermes_tool_router.registry_adapter.records import CallRecord


def lines(path: Path) -> list[dict[str, object]]:
    """Rows of a log file."""
    return [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]


def test_row_is_one_line_with_a_time(tmp_path: Path) -> None:
    """A line break inside a value does not break the file."""
    log = JsonLines(tmp_path / "logs" / "calls.jsonl", max_bytes=10_000, days=30)
    record = CallRecord(purpose="gate", backend="typesafe", outcome="ok", model="jev\n1")

    log.write(as_row(record, at=0.0))

    assert lines(log.path)[0]["at"] == "1970-01-01T00:00:00.000+00:00"
    assert lines(log.path)[0]["model"] == "jev\n1"


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_file_is_the_owners_alone(tmp_path: Path) -> None:
    """Also a file that was there before, with a wider mode."""
    path = tmp_path / "calls.jsonl"
    path.touch(mode=0o644)

    JsonLines(path, max_bytes=10_000, days=30).write({"a": 1})

    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_full_file_makes_way_and_four_are_kept(tmp_path: Path) -> None:
    """No line is split, and the oldest file goes."""
    log = JsonLines(tmp_path / "calls.jsonl", max_bytes=30, days=30)

    for number in range(12):
        log.write({"number": number, "pad": "xx"})

    kept = {path.name: [row["number"] for row in lines(path)] for path in tmp_path.iterdir()}
    assert kept == {
        "calls.jsonl": [11],
        "calls.jsonl.1": [10],
        "calls.jsonl.2": [9],
        "calls.jsonl.3": [8],
    }


def test_old_files_go(tmp_path: Path) -> None:
    """Age counts for rotated files and for a current one that nobody wrote to."""
    for name in ("calls.jsonl", "calls.jsonl.2"):
        (tmp_path / name).write_text('{"number":0}\n', encoding="ascii")
        os.utime(tmp_path / name, (0, 0))
    log = JsonLines(tmp_path / "calls.jsonl", max_bytes=10_000, days=1, clock=lambda: 90_000.0)

    log.write({"number": 1})

    assert [path.name for path in tmp_path.iterdir()] == ["calls.jsonl"]
    assert lines(log.path) == [{"number": 1}]


def test_file_that_cannot_be_written_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A folder in its place, for example."""
    log = JsonLines(tmp_path, max_bytes=10_000, days=30)

    with caplog.at_level(logging.WARNING):
        written = [log.write({"a": 1}), log.write({"a": 2})]

    assert written == [False, False]
    assert len(caplog.records) == 1
