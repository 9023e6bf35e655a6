"""The sanitizer: what may leave the machine or enter a log.

Pure and total: no method raises, whatever object it is given, and the work
grows with the size of what is looked at, which is bounded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from .bounds import cut, has_cut_mark
from .find import find_secrets
from .lazy import lazy
from .live import forms_of
from .live import secret_names as _secret_names
from .structure import Walker
from .table import PatternTable
from .values import Sanitized, SanitizedValue, Span, marker, type_name
from .visible import visible

__all__ = ["MAX_CHARS", "Sanitizer", "secret_names"]

MAX_CHARS = 131_072
"""Characters of a text or a structure that are looked at and sent."""
_MARGIN = 4_096
"""Characters behind a cut that are searched too, so that no half of a secret stays."""
_SURROGATE = lazy("[\ud800-\udfff]")


def secret_names(environ: Mapping[str, str], patterns: PatternTable) -> dict[str, str]:
    """Return the entries of an environment whose name says that the value is a secret.

    Hand the result to :class:`Sanitizer` as ``secrets``.
    """
    return _secret_names(environ, patterns.labels)


class Sanitizer:
    """Removes secrets from texts and structures.

    Cheap to make: make one per call, with the environment as it is then.
    """

    __slots__ = ("_forms", "_patterns", "_secrets")

    def __init__(self, patterns: PatternTable, *, secrets: Mapping[str, str] | None = None) -> None:
        """Take the patterns and the values that are known to be secret.

        Args:
            patterns: the compiled table.
            secrets: name to value, such as live environment secrets and the configured
                key.  Values shorter than six characters are ignored.
        """
        self._patterns = patterns
        self._secrets = dict(secrets or {})
        self._forms: tuple[str, ...] | None = None

    def text(
        self, text: object, *, max_chars: int = MAX_CHARS, max_bytes: int | None = None
    ) -> Sanitized:
        """Return the text without secrets and within the bounds.

        Args:
            text: a string; anything else is named by its type and counts as cut.
            max_chars: most characters of the result.
            max_bytes: most UTF-8 bytes of the result; ``None``: no bound.
        """
        if not issubclass(type(text), str):
            name = f"<{type_name(text)}>"
            return Sanitized(
                text=name[: max(0, max_chars)],
                complete=False,
                truncated=True,
                redactions=0,
                kinds=(),
                original_chars=0,
                sent_chars=len(name[: max(0, max_chars)]),
            )
        source = str.__str__(cast("str", text))
        limit = max(0, min(max_chars, MAX_CHARS))
        if len(source) <= limit + 2 * _MARGIN:
            out, spans = self._redacted(source)
            whole = len(out) <= limit and (
                max_bytes is None or len(out.encode("utf-8", "replace")) <= max_bytes
            )
            if not whole:
                out = cut(out, out, gone=-len(out), max_chars=limit, max_bytes=max_bytes)
        else:
            whole = False
            head, first = self._redacted(source[: limit * 3 // 5 + _MARGIN])
            tail, second = self._redacted(source[len(source) - limit * 2 // 5 - _MARGIN :])
            gone = len(source) - len(head) - len(tail)
            out = cut(head, tail, gone=gone, max_chars=limit, max_bytes=max_bytes)
            spans = first + second
        return Sanitized(
            text=out,
            complete=whole and not has_cut_mark(source),
            truncated=not whole or has_cut_mark(source),
            redactions=len(spans),
            kinds=tuple(sorted({span.kind for span in spans})),
            original_chars=len(source),
            sent_chars=len(out),
        )

    def value(
        self, obj: object, *, max_bytes: int, names: frozenset[str] = frozenset()
    ) -> SanitizedValue:
        """Return a structure as plain JSON without secrets and within the bounds.

        Args:
            obj: anything; what JSON cannot hold is named by its type and counts as cut.
            max_bytes: most UTF-8 bytes of ``json``; less than 512 counts as 512.
            names: fixed schema names of the caller, the only keys that
                ``truncated_fields`` may show; other places are shown by position.
        """
        return Walker(self._redacted, self._patterns, names).run(obj, max_bytes=max_bytes)

    def for_display(self, text: object, *, max_chars: int = MAX_CHARS) -> str:
        """Return a sanitized text for a human: nothing in it is invisible."""
        return visible(self.text(text, max_chars=max_chars).text)

    def _redacted(self, text: str) -> tuple[str, list[Span]]:
        """Return the text with every secret replaced by a marker, and what was found."""
        if self._forms is None:
            self._forms = tuple(
                form for value in self._secrets.values() for form in forms_of(value)
            )
        text = _SURROGATE.sub("\ufffd", text)
        spans = find_secrets(text, self._patterns, self._forms)
        if not spans:
            return text, spans
        out: list[str] = []
        at = 0
        for span in spans:
            out += (text[at : span.start], marker(span.kind))
            at = span.end
        out.append(text[at:])
        return "".join(out), spans
