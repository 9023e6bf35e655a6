"""docs/operations.md and after-install.md name what there is."""

from __future__ import annotations

import argparse
import re
import shlex
from pathlib import Path

import pytest

from hermes_tool_router.console.parser import set_up
from hermes_tool_router.registry_adapter.store_file import SCHEMA

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ("docs/operations.md", "docs/configuration.md", "after-install.md")


def parser() -> argparse.ArgumentParser:
    """The parser of the commands."""
    made = argparse.ArgumentParser(prog="hermes tool-router")
    set_up(made)
    return made


def commands(document: str) -> list[str]:
    """Arguments of every ``hermes tool-router …`` that a document shows whole."""
    text = (ROOT / document).read_text(encoding="utf-8")
    found = re.findall(r"(?:`| {4,})hermes tool-router ([^`\n]+?)(?:`|\n)", text)
    return [line for line in found if "…" not in line]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_command_in_a_document_parses(document: str) -> None:
    """What people copy is what the parser takes."""
    lines = commands(document)

    assert lines
    for line in lines:
        parser().parse_args(shlex.split(line))


def test_operations_lists_every_command_and_every_table() -> None:
    """A command or table that is added must be described."""
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    (action,) = (a for a in parser()._actions if isinstance(a, argparse._SubParsersAction))
    tables = re.findall(r"EXISTS (\w+) \(", SCHEMA)

    assert [name for name in action.choices if f"hermes tool-router {name}" not in text] == []
    assert [name for name in tables if f"| `{name}` |" not in text] == []
