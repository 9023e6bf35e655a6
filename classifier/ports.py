"""What this package needs from others, as small protocols."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from .outcomes import CallRecord

__all__ = ["Observer", "SanitizedText", "SanitizedValue", "StateSanitizer"]

Observer = Callable[[CallRecord], None]
"""Told about every call, after it ended, in the caller's thread; must not raise."""


class SanitizedValue(Protocol):
    """What may leave the machine."""

    @property
    def json(self) -> str:
        """One JSON object with ``value`` and ``input_metadata``, within the byte budget."""
        ...

    @property
    def complete(self) -> bool:
        """Nothing was cut; redaction alone does not make it incomplete."""
        ...


class SanitizedText(Protocol):
    """A text that may leave the machine."""

    @property
    def text(self) -> str:
        """Always encodable as UTF-8."""
        ...

    @property
    def complete(self) -> bool:
        """Nothing was cut."""
        ...


class StateSanitizer(Protocol):
    """Removes secrets from what a model is shown."""

    def text(self, text: str, /) -> SanitizedText:
        """Sanitize a text.  Never raises."""
        ...

    def value(self, obj: object, *, max_bytes: int) -> SanitizedValue:
        """Sanitize any value to at most ``max_bytes`` of JSON.  Never raises."""
        ...
