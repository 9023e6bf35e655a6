"""What went over the wire, without serialising it again.

Comparing parsed JSON would call two different requests equal; a provider's
prompt cache looks at bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

__all__ = ["is_append", "member_bytes"]

_SPACE = " \t\r\n"


def _skip(text: str, position: int) -> int:
    while position < len(text) and text[position] in _SPACE:
        position += 1
    return position


def member_bytes(raw: bytes, name: str) -> bytes:
    """Return the value of a top-level member exactly as it was serialised.

    Args:
        raw: a JSON object in UTF-8.
        name: the member, such as ``tools``.

    Returns:
        Its bytes; empty where the object has no such member.

    Raises:
        ValueError: ``raw`` is not a JSON object.
    """
    text = raw.decode()
    position = _skip(text, 0)
    if not text.startswith("{", position):
        raise ValueError(f"a JSON object was expected, not {text[:20]!r}")
    decoder = json.JSONDecoder()
    position = _skip(text, position + 1)
    while not text.startswith("}", position):
        key, position = decoder.raw_decode(text, position)
        start = _skip(text, _skip(text, position) + 1)  # past the colon
        _, end = decoder.raw_decode(text, start)
        if key == name:
            return text[start:end].encode()
        position = _skip(text, end)
        if text.startswith(",", position):
            position = _skip(text, position + 1)
    return b""


def is_append(before: bytes, after: bytes) -> bool:
    """Say whether array ``after`` is array ``before`` with elements added at its end.

    Equal arrays are no append.  An empty ``before`` (no array) is one if
    ``after`` is an array at all.
    """
    if not before or before == b"[]":
        return after.startswith(b"[") and after != b"[]"
    body = before.rstrip()[:-1].rstrip()  # without the closing bracket
    return after.startswith(body) and after[len(body) :].lstrip().startswith(b",")


def text_of(content: Any) -> str:
    """Join the text of a message's content, which is a string or a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
