"""The committed table, and its sources."""

from __future__ import annotations

from pathlib import Path

import pytest

import hermes_tool_router.sanitizer as package
from hermes_tool_router.sanitizer import PatternTable, Sanitizer, table_from_bytes

DATA = Path(str(package.__file__)).parent / "data"


@pytest.fixture(scope="session")
def sources() -> dict[str, str]:
    """File name to YAML text, in the order in which they are compiled."""
    names = ("vendors.yaml", "contexts.yaml", "labels.yaml", "commands.yaml")
    return {name: (DATA / "patterns" / name).read_text(encoding="utf-8") for name in names}


@pytest.fixture(scope="session")
def table() -> PatternTable:
    """The compiled table that ships."""
    return table_from_bytes((DATA / "patterns.json").read_bytes())


@pytest.fixture
def sanitizer(table: PatternTable) -> Sanitizer:
    """A sanitizer that knows no live secrets."""
    return Sanitizer(table)
