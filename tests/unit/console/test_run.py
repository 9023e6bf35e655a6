"""How a command ends."""

from __future__ import annotations

import argparse
import errno
from types import SimpleNamespace
from typing import Any

import pytest

from hermes_tool_router.console import run as commands


def test_a_full_disk_under_the_output_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No traceback, and the log is closed."""
    closed = []
    runtime: Any = SimpleNamespace(stores=SimpleNamespace(close=lambda: closed.append(True)))

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setitem(commands._COMMANDS, "report", full)
    status = commands.run(runtime, argparse.Namespace(router_command="report", json=False))

    assert (status, closed) == (1, [True])
    assert capsys.readouterr().err == "tool-router: [Errno 28] No space left on device\n"
