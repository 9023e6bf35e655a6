"""What may leave the machine or enter a log.

``Sanitizer`` is the whole interface: ``text``, ``value`` and ``for_display``.
The table of patterns comes from ``table_from_bytes``, whose argument is the
content of ``data/patterns.json``.
"""

from __future__ import annotations

from .api import MAX_CHARS, Sanitizer, secret_names
from .errors import PatternError
from .load import table_from_bytes
from .table import PatternTable
from .values import JsonValue, Sanitized, SanitizedValue
from .visible import visible

__all__ = [
    "MAX_CHARS",
    "JsonValue",
    "PatternError",
    "PatternTable",
    "Sanitized",
    "SanitizedValue",
    "Sanitizer",
    "secret_names",
    "table_from_bytes",
    "visible",
]
