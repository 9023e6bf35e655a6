"""Pattern files are rejected, never repaired, with words that say what is allowed."""

from __future__ import annotations

import json

import pytest

from hermes_tool_router.sanitizer import PatternError, table_from_bytes
from hermes_tool_router.sanitizer.book import compiled

GOOD = "{id: a.b, keywords: ['k'], pattern: 'k', source: s, match: ['k'], no_match: ['x']}"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (GOOD.replace("source: s, ", ""), "'source' is missing or empty"),
        (GOOD.replace("match: ['k']", "match: []"), "'match' is missing or empty"),
        (GOOD.replace("a.b", "Nodot"), "an id is vendor.pattern-name"),
        (GOOD.replace("pattern: 'k'", "pattern: '(k'"), "pattern: missing )"),
        (GOOD.replace("source", "sauce"), "unknown field 'sauce'; allowed"),
        (GOOD.replace("['k'],", "['K'],", 1).replace("{id", "{nocase: true, id"), "lower case"),
        (GOOD.replace("pattern: 'k'", "pattern: '(k)(a)?(b)?'"), "pattern has 3 groups"),
        (f"{GOOD}, {GOOD}", "'a.b' is defined twice"),
    ],
)
def test_faulty_shape_is_named(entry: str, message: str) -> None:
    """File, id, fault and what is allowed."""
    with pytest.raises(PatternError, match=message.replace("(", r"\(").replace(")", r"\)")):
        compiled({"x.yaml": f"shapes: [{entry}]"})


@pytest.mark.parametrize("text", ["shapes: [", "- a list", "42"])
def test_file_that_is_no_mapping_is_rejected(text: str) -> None:
    """The top of a file is a mapping."""
    with pytest.raises(PatternError, match=r"x\.yaml"):
        compiled({"x.yaml": text})


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"\xff", b"{}", json.dumps({"format": 99}).encode(), b'{"format": 1}']
)
def test_damaged_table_is_rejected(data: bytes) -> None:
    """A table that cannot be read is an error, not an empty table."""
    with pytest.raises(PatternError, match=r"patterns\.json"):
        table_from_bytes(data)
