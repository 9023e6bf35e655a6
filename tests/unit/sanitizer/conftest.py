"""The table that ships, and a sanitizer with it."""

from __future__ import annotations

import pytest

from hermes_tool_router.console.patterns import TABLE
from hermes_tool_router.sanitizer import PatternTable, Sanitizer, table_from_bytes


@pytest.fixture(scope="session")
def table() -> PatternTable:
    """The compiled table that ships."""
    return table_from_bytes(TABLE.read_bytes())


@pytest.fixture
def sanitizer(table: PatternTable) -> Sanitizer:
    """A sanitizer that knows no live secrets."""
    return Sanitizer(table)
