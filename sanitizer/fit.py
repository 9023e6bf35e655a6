"""What was lost, and fitting a document into its byte budget."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace

from .bounds import cut, has_cut_mark
from .values import JsonValue, Span

__all__ = ["METADATA", "Ledger", "fitted", "size_of"]

METADATA = "input_metadata"
_MAX_PATHS = 8
_LOWEST_CAP = 32
_ALL = 1 << 30


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

    def forget_places(self) -> None:
        """Leave out where something was lost; that it was stays."""
        self._fields.clear()

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


def fitted(
    value: JsonValue, ledger: Ledger, budget: int, names: frozenset[str] = frozenset()
) -> dict[str, JsonValue]:
    """Return the document with its metadata, at most ``budget`` bytes of JSON.

    Strings lose their middle, the longest ones first, down to 32 characters; then
    lists and mappings lose their last entries.  Places are noted by position, or by
    the key where it is one of ``names``.
    """
    document = _document(value, ledger)
    if size_of(document) <= budget:
        return document
    whole = max((len(text) for text in _strings(value)), default=0)
    for trim, least, most in (
        (_Trim(cap=0, keep=_ALL, names=names), _LOWEST_CAP, whole),
        (_Trim(cap=_LOWEST_CAP, keep=0, names=names), 0, _widest(value)),
    ):
        best = _largest(value, ledger, budget, trim, least, most)
        if best is not None:
            cut_value, paths = best.applied(value)
            for path in paths:
                ledger.lost(path, "")
            return _document(cut_value, ledger)
    ledger.lost((), "")
    ledger.forget_places()
    return {"value": None, METADATA: ledger.block()}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trim:
    """Bounds for a value: characters of a string, entries of a list or mapping."""

    cap: int
    keep: int
    names: frozenset[str]

    def applied(self, value: JsonValue) -> tuple[JsonValue, list[tuple[str, ...]]]:
        """Return the value within the bounds, and where something was lost."""
        paths: list[tuple[str, ...]] = []
        return _trimmed(value, self, (), paths), paths


def _largest(
    value: JsonValue, ledger: Ledger, budget: int, trim: _Trim, least: int, most: int
) -> _Trim | None:
    """Return the widest bounds that fit, the one that is 0 in ``trim`` being varied."""
    best = None
    while least <= most:
        middle = (least + most) // 2
        bounds = replace(trim, cap=middle) if trim.cap == 0 else replace(trim, keep=middle)
        cut_value, paths = bounds.applied(value)
        if size_of(_document(cut_value, ledger)) + _room(paths) <= budget:
            best, least = bounds, middle + 1
        else:
            most = middle - 1
    return best


def _room(paths: list[tuple[str, ...]]) -> int:
    """Return the most bytes by which the metadata grows when these losses are noted."""
    return 16 + sum(min(64, 4 * len(".".join(path))) + 3 for path in paths[:_MAX_PATHS])


def _widest(value: JsonValue) -> int:
    """Return the number of entries of the widest list or mapping in a value."""
    if isinstance(value, list):
        return max([len(value), *map(_widest, value)])
    if isinstance(value, dict):
        return max([len(value), *map(_widest, value.values())])
    return 0


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


def _trimmed(
    value: JsonValue, trim: _Trim, path: tuple[str, ...], paths: list[tuple[str, ...]]
) -> JsonValue:
    if isinstance(value, str):
        if len(value) <= trim.cap:
            return value
        paths.append(path)
        return cut(value, value, gone=-len(value), max_chars=trim.cap, max_bytes=None)
    if isinstance(value, list):
        items = [
            _trimmed(item, trim, (*path, str(at)), paths)
            for at, item in enumerate(value[: trim.keep])
        ]
        if len(value) > trim.keep:
            paths.append(path)
            items.append(f"[CUT: {len(value) - trim.keep} values]")
        return items
    if isinstance(value, dict):
        kept: dict[str, JsonValue] = {}
        for at, (key, item) in enumerate(value.items()):
            if at == trim.keep:
                paths.append(path)
                kept[f"[CUT: {len(value) - at} fields]"] = None
                break
            name = key
            if len(key) > max(trim.cap, 64):
                paths.append(path)
                name = cut(key, key, gone=-len(key), max_chars=64, max_bytes=None)
            while name in kept:
                name += "#"
            here = key if key in trim.names else str(at)
            kept[name] = _trimmed(item, trim, (*path, here), paths)
        return kept
    return value
