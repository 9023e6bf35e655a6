"""The compiled rule book and its sources."""

from __future__ import annotations

import pytest

from hermes_tool_router.intent.compile import MAGIC
from hermes_tool_router.intent.load import book_from_bytes
from hermes_tool_router.registry_adapter.rule_files import BOOK, build


def test_the_committed_book_equals_its_sources() -> None:
    """Folder installs have no build step, so the compiled book is committed."""
    assert BOOK.read_bytes() == build()


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"HTRB1\nx", id="an older book"),
        pytest.param(MAGIC, id="nothing in it"),
        pytest.param(BOOK.read_bytes()[:-1], id="cut"),
        pytest.param(BOOK.read_bytes() + b"x", id="too long"),
    ],
)
def test_a_damaged_book_is_refused(data: bytes) -> None:
    """Never half a book."""
    with pytest.raises(ValueError, match="rule book"):
        book_from_bytes(data)
