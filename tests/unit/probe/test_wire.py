"""Byte views of a request body."""

from __future__ import annotations

import pytest

from hermes_tool_router.probe import wire


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        pytest.param(b'{"tools":[{"a": 1}],"b":2}', b'[{"a": 1}]', id="first"),
        pytest.param(b'{"b": {"tools": 3} , "tools" : [ 1,2 ] }', b"[ 1,2 ]", id="spaced"),
        pytest.param('{"é":"ü","tools":["ö"]}'.encode(), '["ö"]'.encode(), id="not-ascii"),
        pytest.param(b'{"b":1}', b"", id="absent"),
        pytest.param(b"{}", b"", id="empty object"),
    ],
)
def test_a_member_is_returned_as_it_was_serialised(raw: bytes, expected: bytes) -> None:
    """The bytes are those of the body, spaces included, at the top level only."""
    assert wire.member_bytes(raw, "tools") == expected


def test_a_body_that_is_no_object_is_refused() -> None:
    """An array has no members."""
    with pytest.raises(ValueError, match="a JSON object was expected"):
        wire.member_bytes(b"[1]", "tools")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(b"[1,2]", b"[1,2,3]", True, id="one more"),
        pytest.param(b"[1, 2]", b"[1, 2, 3]", True, id="spaced"),
        pytest.param(b"[1,2]", b"[1,2]", False, id="equal"),
        pytest.param(b"[1,2]", b"[1,3,2]", False, id="inserted"),
        pytest.param(b"[1,2]", b"[1,22]", False, id="longer element"),
        pytest.param(b"[1,2]", b"[1]", False, id="shorter"),
        pytest.param(b"", b"[1]", True, id="no array before"),
    ],
)
def test_an_append_keeps_every_earlier_byte(before: bytes, after: bytes, expected: bool) -> None:
    """Only elements behind the last one count as an append."""
    assert wire.is_append(before, after) is expected
