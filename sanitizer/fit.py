"""What was lost, and fitting a document into its byte budget."""

from __future__ import annotations

import json
from collections.abc import Iterable

from .bounds import cut, has_cut_mark
from .values import JsonValue, Span

__all__ = ["METADATA", "Ledger", "fitted", "size_of"]

METADATA = "input_metadata"
_MAX_PATHS = 8
_LOWEST_CAP = 32


class Ledger:
    """Counts of one pass.

    Attributes:
        visited: values and keys looked at.
        redactions: places where something was removed.
        kinds: kinds of what was removed.
        complete: nothing was cut, skipped or unreadable.
        truncated: something was cut.
    """

    __slots__ = (
        "_earlier_redactions",
        "_fields",
        "_original",
        "_read",
        "complete",
        "kinds",
        "processed",
        "redactions",
        "truncated",
        "visited",
    )

    def __init__(self) -> None:
        self.visited = 0
        self.redactions = 0
        self.kinds: set[str] = set()
        self.complete = True
        self.truncated = False
        self.processed = 0
        self._original = 0
        self._read = 0
        self._earlier_redactions = 0
        self._fields: list[str] = []

    def block(self) -> dict[str, JsonValue]:
        """Return the metadata as it goes out; its field names are fixed."""
        redactions = self.redactions + self._earlier_redactions
        return {
            "input_complete": self.complete,
            "truncated": self.truncated,
            "truncated_fields": list(self._fields),
            "redacted": redactions > 0,
            "redactions": redactions,
            "original_chars": max(self._original, self._read),
            "processed_chars": self.processed,
        }

    def take_over(self, earlier: object) -> None:
        """Read the metadata of an earlier pass.

        INVARIANT: an earlier block can only make the input less complete, never more;
        one that is not ours makes it incomplete.
        """
        if not isinstance(earlier, dict):
            self.complete = False
            return
        whole, was_cut = earlier.get("input_complete"), earlier.get("truncated")
        if whole is not True:
            self.complete = False
        if was_cut is not False:
            self.truncated = True
            self.complete = False
        fields = earlier.get("truncated_fields")
        if isinstance(fields, list):
            for field in fields[:_MAX_PATHS]:
                if isinstance(field, str) and len(field) <= 64:
                    self._note(field)
        self._earlier_redactions = _count(earlier.get("redactions"))
        self._original = _count(earlier.get("original_chars"))

    def redacted(self, spans: Iterable[Span]) -> None:
        """Count what was removed."""
        for span in spans:
            self.redactions += 1
            self.kinds.add(span.kind)

    def lost(self, path: tuple[str, ...], stand_in: str) -> str:
        """Note a loss at ``path`` and return what stands there instead."""
        self.complete = False
        self.truncated = True
        self._note(".".join(path))
        return stand_in

    def bounded(self, text: str, path: tuple[str, ...], limit: int) -> str:
        """Return as much of the text as the limit on all characters leaves."""
        left = limit - self._read
        self._read += len(text)
        if has_cut_mark(text):
            self.lost(path, "")
        if len(text) <= left:
            return text
        self.lost(path, "")
        return cut(text, text, gone=-len(text), max_chars=max(64, left), max_bytes=None)

    def _note(self, field: str) -> None:
        if field not in self._fields and len(self._fields) < _MAX_PATHS:
            self._fields.append(field[:64])


def _count(value: object) -> int:
    return value if type(value) is int and 0 <= value < 2**53 else 0


def size_of(value: JsonValue) -> int:
    """Return the UTF-8 bytes of ``value`` as compact JSON."""
    return len(
        json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    )


def fitted(value: JsonValue, ledger: Ledger, budget: int) -> dict[str, JsonValue]:
    """Return the document with its metadata, at most ``budget`` bytes of JSON.

    First long strings lose their middle, the longest ones first; then lists and
    mappings lose their last entries.
    """
    document = _document(value, ledger)
    if size_of(document) <= budget:
        return document
    lengths = sorted({len(text) for text in _strings(value)}, reverse=True)
    cap = lengths[0] if lengths else 0
    while cap > _LOWEST_CAP:
        cap = max(_LOWEST_CAP, cap * 3 // 4)
        document = _document(_capped(value, cap, ledger, ()), ledger)
        if size_of(document) <= budget:
            return document
    keep = 256
    while keep > 0:
        keep //= 2
        document = _document(
            _pruned(_capped(value, _LOWEST_CAP, ledger, ()), keep, ledger, ()), ledger
        )
        if size_of(document) <= budget:
            return document
    ledger.lost((), "")
    ledger._fields.clear()
    return {"value": None, METADATA: ledger.block()}


def _document(value: JsonValue, ledger: Ledger) -> dict[str, JsonValue]:
    ledger.processed = sum(len(text) for text in _strings(value))
    body = value if isinstance(value, dict) else {"value": value}
    return {**body, METADATA: ledger.block()}


def _strings(value: JsonValue) -> list[str]:
    """Return all keys and strings of a value."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for item in value for text in _strings(item)]
    if isinstance(value, dict):
        return [text for key, item in value.items() for text in (key, *_strings(item))]
    return []


def _capped(value: JsonValue, cap: int, ledger: Ledger, path: tuple[str, ...]) -> JsonValue:
    """Cut every string to ``cap`` characters."""
    if isinstance(value, str):
        if len(value) <= cap:
            return value
        ledger.lost(path, "")
        return cut(value, value, gone=-len(value), max_chars=cap, max_bytes=None)
    if isinstance(value, list):
        return [_capped(item, cap, ledger, (*path, str(at))) for at, item in enumerate(value)]
    if isinstance(value, dict):
        return {
            key if len(key) <= max(cap, 64) else key[: max(cap, 64)]: _capped(
                item, cap, ledger, (*path, str(at))
            )
            for at, (key, item) in enumerate(value.items())
        }
    return value


def _pruned(value: JsonValue, keep: int, ledger: Ledger, path: tuple[str, ...]) -> JsonValue:
    """Keep the first ``keep`` entries of every list and mapping."""
    if isinstance(value, list):
        items = [
            _pruned(item, keep, ledger, (*path, str(at))) for at, item in enumerate(value[:keep])
        ]
        if len(value) > keep:
            ledger.lost(path, "")
            items.append(f"[CUT: {len(value) - keep} values]")
        return items
    if isinstance(value, dict):
        kept = {
            key: _pruned(item, keep, ledger, (*path, str(at)))
            for at, (key, item) in enumerate(value.items())
            if at < keep
        }
        if len(value) > keep:
            ledger.lost(path, "")
            kept[f"[CUT: {len(value) - keep} fields]"] = None
        return kept
    return value
