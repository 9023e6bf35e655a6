"""The compiled rule book and its sources."""

from __future__ import annotations

import zlib

from hermes_tool_router.intent.compile import MAGIC
from hermes_tool_router.registry_adapter.rule_files import BOOK, build


def test_the_committed_book_equals_its_sources() -> None:
    """Folder installs have no build step, so the compiled book is committed."""
    committed = BOOK.read_bytes()

    fresh = build()

    # zlib builds differ in how they pack, never in what comes out.
    assert zlib.decompress(committed[len(MAGIC) :]) == zlib.decompress(fresh[len(MAGIC) :])
