"""The sanitizer with the environment's secrets as they are at each use.

Imports the sanitizer alone, so that one can be had without an HTTP stack.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from ..sanitizer import (
    PatternTable,
    Sanitized,
    SanitizedValue,
    Sanitizer,
    secret_names,
    table_from_bytes,
)

__all__ = ["Scrubber"]

_PATTERNS = Path(__file__).resolve().parents[1] / "sanitizer" / "data" / "patterns.json"


class Scrubber:
    """Sanitizes with fresh secrets each time, so that a key set after start is known."""

    def __init__(self, environ: Mapping[str, str], *, key_names: Iterable[str] = ()) -> None:
        """Take the live environment.

        Args:
            environ: read at each use.
            key_names: variables that the settings name as keys, whatever they are called.
        """
        self._environ = environ
        self._key_names = tuple(key_names)
        self._last: tuple[dict[str, str], Sanitizer] | None = None

    def text(self, text: str, /) -> Sanitized:
        """Sanitize a text.  Never raises."""
        return self._sanitizer().text(text)

    def value(self, obj: object, *, max_bytes: int) -> SanitizedValue:
        """Sanitize any value to at most ``max_bytes`` of JSON.  Never raises."""
        return self._sanitizer().value(obj, max_bytes=max_bytes)

    def for_display(self, text: str, *, max_chars: int) -> str:
        """Sanitize a text that a human reads; nothing in it is invisible.  Never raises."""
        return self._sanitizer().for_display(text, max_chars=max_chars)

    def _sanitizer(self) -> Sanitizer:
        environ = dict(self._environ)
        last = self._last
        if last is not None and last[0] == environ:
            return last[1]  # telling secrets by their names takes longer than comparing
        patterns = _patterns()
        secrets = secret_names(environ, patterns)
        for name in self._key_names:
            if value := environ.get(name, ""):
                secrets[name] = value
        sanitizer = Sanitizer(patterns, secrets=secrets)
        self._last = (environ, sanitizer)  # one assignment, so that threads see both or neither
        return sanitizer


@cache
def _patterns() -> PatternTable:
    """The shipped table; read once per process."""
    return table_from_bytes(_PATTERNS.read_bytes())
