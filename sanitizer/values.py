"""What the sanitizer returns, and the spans it works with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["JsonValue", "Sanitized", "SanitizedValue", "Span", "marker", "type_name"]

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]
"""What a JSON document can hold."""


class Span(NamedTuple):
    """A secret in a text: characters ``[start, end)`` and what it is."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sanitized:
    """A text that may leave the machine."""

    text: str
    """Always encodable as UTF-8: lone surrogates are replaced by U+FFFD."""
    complete: bool
    """Nothing was cut.  Redaction alone leaves a text complete."""
    truncated: bool
    """Text was cut out of the middle; the cut is marked where it was made."""
    redactions: int
    """Number of places where something was removed."""
    kinds: tuple[str, ...]
    """Kinds of what was removed, sorted, each once."""
    original_chars: int
    sent_chars: int
    """Characters of ``text``, markers included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SanitizedValue:
    """A structure that may leave the machine."""

    value: JsonValue
    """Plain JSON values, the metadata block not among them."""
    document: dict[str, JsonValue]
    """What to send: the mapping itself, or ``{"value": …}``, with ``input_metadata`` in it."""
    json: str
    """``document`` as compact JSON, within the byte budget."""
    metadata: Mapping[str, JsonValue]
    """The ``input_metadata`` block of ``document``."""
    complete: bool
    """Nothing was cut, skipped or unreadable, here or in an earlier pass."""
    truncated: bool
    redactions: int
    """Places where this pass removed something."""
    kinds: tuple[str, ...]


def marker(kind: str) -> str:
    """Return what stands in a text for a removed secret of ``kind``."""
    return f"[REDACTED:{kind}]"


def type_name(obj: object) -> str:
    """Return the name of an object's type, past any metaclass that would hide it."""
    return str(type.__dict__["__name__"].__get__(type(obj)))
