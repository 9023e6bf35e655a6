"""Walk a structure: plain JSON out, secrets removed, bounds kept, loss accounted for.

Built-in containers are read through the methods of their base classes, so that
a subclass cannot run code here; any other object is named by its type.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import cast

from .accept import Seen, accepts
from .commands import find_arguments
from .fit import METADATA, Ledger, fitted
from .labels import label_of
from .lazy import lazy
from .names import kind_of
from .table import PatternTable
from .values import JsonValue, SanitizedValue, Span, marker, type_name

__all__ = ["MAX_CHARS", "MAX_DEPTH", "MAX_VISITED", "Walker"]

MAX_VISITED = 512
"""Values and keys that are looked at."""
MAX_DEPTH = 24
"""Containers inside each other."""
MAX_CHARS = 131_072
"""Characters of all strings together that are looked at."""
MIN_BYTES = 512
"""Least byte budget: the metadata block and a little more."""

Redact = Callable[[str], tuple[str, list[Span]]]
Pairs = list[tuple[object, object]]

_FLAG = lazy(r"--?[A-Za-z][\w-]{0,63}")
_NO_VALUE = frozenset({"", "scheme", "query"})
"""Labels that announce nothing about a value in a structure."""


class Walker:
    """One pass over one structure; make a new one for each."""

    __slots__ = ("_book", "_known", "_ledger", "_names", "_patterns", "_redact")

    def __init__(self, redact: Redact, patterns: PatternTable, names: frozenset[str]) -> None:
        self._redact = redact
        self._known: dict[str, tuple[str, list[Span]]] = {}
        self._patterns = patterns
        self._book = patterns.labels
        self._names = names
        self._ledger = Ledger()

    def run(self, obj: object, *, max_bytes: int) -> SanitizedValue:
        """Return the structure, its metadata and both as JSON."""
        ledger = self._ledger
        value = self._top(obj)
        document = fitted(value, ledger, max(MIN_BYTES, max_bytes), self._names)
        rest = {key: item for key, item in document.items() if key != METADATA}
        return SanitizedValue(
            value=rest if isinstance(value, dict) else rest.get("value"),
            document=document,
            json=json.dumps(document, ensure_ascii=False, separators=(",", ":")),
            metadata=ledger.block(),
            complete=ledger.complete,
            truncated=ledger.truncated,
            redactions=ledger.redactions,
            kinds=tuple(sorted(ledger.kinds)),
        )

    def _top(self, obj: object) -> JsonValue:
        """Walk a whole input; metadata of an earlier pass is read, not sent again."""
        if not issubclass(type(obj), dict):
            return self._walk(obj, (), 0, frozenset())
        pairs: Pairs = []
        for key, item in _pairs(obj):
            if type(key) is str and key == METADATA:
                self._ledger.take_over(item)
            else:
                pairs.append((key, item))
        if len(pairs) == 1 and pairs[0][0] == "value" and len(pairs) < len(_pairs(obj)):
            return self._walk(pairs[0][1], (), 0, frozenset({id(obj)}))
        self._ledger.visited += 1
        return self._mapping(pairs, (), 0, frozenset({id(obj)}))

    def _walk(
        self, obj: object, path: tuple[str, ...], depth: int, above: frozenset[int]
    ) -> JsonValue:
        ledger, kind = self._ledger, type(obj)
        if ledger.visited >= MAX_VISITED:
            return ledger.lost(path, "[CUT: too many values]")
        ledger.visited += 1
        if obj is None or obj is True or obj is False:
            return obj
        text = _as_text(obj)
        if text is not None:
            return self._string(text, path)
        if issubclass(kind, int | float):
            return self._number(obj, path)
        if not issubclass(kind, dict | list | tuple | set | frozenset):
            return ledger.lost(path, f"<{type_name(obj)}>")
        if id(obj) in above:
            return ledger.lost(path, "[CUT: cycle]")
        if depth >= MAX_DEPTH:
            return ledger.lost(path, "[CUT: too deep]")
        above |= {id(obj)}
        if issubclass(kind, dict):
            return self._mapping(_pairs(obj), path, depth, above)
        return self._sequence(_items(obj), path, depth, above)

    def _number(self, obj: object, path: tuple[str, ...]) -> JsonValue:
        try:
            plain = int.__int__(obj) if issubclass(type(obj), int) else float.__float__(obj)  # type: ignore[arg-type]  # checked by issubclass
            text = json.dumps(plain)
        except ValueError:  # an integer of more digits than Python converts
            return self._ledger.lost(path, f"<{type_name(obj)}>")
        if isinstance(plain, float) and not math.isfinite(plain):
            return text
        if len(text) < 12:
            return plain
        clean, spans = self._redact(text)
        self._ledger.redacted(spans)
        return clean if spans else plain

    def _string(self, text: str, path: tuple[str, ...], *, key: str = "") -> str:
        text = self._ledger.bounded(text, path, MAX_CHARS)
        masked = self._labelled(text, key) if key else None
        if masked is not None:
            return masked
        # Records repeat their keys, and often their values.
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = self._redact(text)
        self._ledger.redacted(known[1])
        return known[0]

    def _labelled(self, text: str, key: str) -> str | None:
        """Return a string whose key says that it is a secret, ``None`` where it does not."""
        family = label_of(key, self._book)
        if family in {"authorization", "cookie"}:
            clean, spans = self._redact(f"{key}: {text}")
            self._ledger.redacted(spans)
            return clean[len(key) + 2 :]
        if family in _NO_VALUE or not accepts(text, Seen(family, "quoted"), self._book):
            return None
        return self._masked(Span(0, len(text), kind_of(family)))

    def _masked(self, span: Span) -> str:
        self._ledger.redacted([span])
        return marker(span.kind)

    def _sequence(
        self, items: list[object], path: tuple[str, ...], depth: int, above: frozenset[int]
    ) -> JsonValue:
        out: list[JsonValue] = []
        secret = self._arguments(items[:MAX_VISITED])
        for position, item in enumerate(items):
            if self._ledger.visited >= MAX_VISITED:
                out.append(self._ledger.lost(path, f"[CUT: {len(items) - position} values]"))
                break
            if position in secret:
                self._ledger.visited += 1
                out.append(secret[position])
            else:
                out.append(self._walk(item, (*path, str(position)), depth + 1, above))
        return out

    def _arguments(self, items: list[object]) -> dict[int, str]:
        """Return the redacted ones of the arguments of a command, given as a list of words."""
        words = [item for item in items if type(item) is str and len(item) < 1000]
        if len(words) < 2 or len(words) != len(items) or not any(w.startswith("-") for w in words):
            return {}
        starts = [0]
        for word in words:
            starts.append(starts[-1] + len(word) + 1)
        spans = list(find_arguments(self._patterns.hints(" ".join(words)), self._patterns))
        for at, word in enumerate(words[:-1]):
            if not _FLAG.fullmatch(word) or words[at + 1].startswith("-"):
                continue
            family = label_of(word.lstrip("-"), self._book)
            if family not in _NO_VALUE and accepts(words[at + 1], Seen(family, "flag"), self._book):
                spans.append(Span(starts[at + 1], starts[at + 2] - 1, kind_of(family)))
        found: dict[int, str] = {}
        for span in spans:
            for at, word in enumerate(words):
                if at not in found and starts[at] <= span.start and span.end < starts[at + 1]:
                    left, right = span.start - starts[at], span.end - starts[at]
                    found[at] = word[:left] + self._masked(span) + word[right:]
        return found

    def _mapping(
        self, pairs: Pairs, path: tuple[str, ...], depth: int, above: frozenset[int]
    ) -> JsonValue:
        ledger = self._ledger
        out: dict[str, JsonValue] = {}
        label = _named_value(pairs)
        for position, (key, item) in enumerate(pairs):
            if ledger.visited + 1 >= MAX_VISITED:
                out[ledger.lost(path, f"[CUT: {len(pairs) - position} fields]")] = None
                break
            ledger.visited += 1
            name = self._key(key, path)
            here = (*path, name if name in self._names else str(position))
            while name in out or name == METADATA:
                name += "#"
            about = label if label and name.lower() in {"value", "val"} else name
            out[name] = self._under(about, item, here, depth, above)
        return out

    def _under(
        self, name: str, item: object, path: tuple[str, ...], depth: int, above: frozenset[int]
    ) -> JsonValue:
        """Walk what is under a key, which may say that it is a secret."""
        text = _as_text(item)
        if text is not None:
            self._ledger.visited += 1
            return self._string(text, path, key=name)
        value = self._walk(item, path, depth + 1, above)
        if type(value) in {int, float}:
            masked = self._labelled(str(value), name)
            return value if masked is None else masked
        if isinstance(value, list) and label_of(name, self._book) not in _NO_VALUE:
            return [self._entry(entry, name) for entry in value]
        return value

    def _entry(self, entry: JsonValue, name: str) -> JsonValue:
        """Redact one of several secrets under one key."""
        masked = self._labelled(entry, name) if isinstance(entry, str) else None
        return entry if masked is None else masked

    def _key(self, key: object, path: tuple[str, ...]) -> str:
        text = _as_text(key)
        if text is not None:
            return self._string(text, path)
        if key is None or key is True or key is False:
            return json.dumps(key)
        if issubclass(type(key), int | float):
            return str(self._number(key, path))
        return self._ledger.lost(path, f"<{type_name(key)}>")


def _as_text(obj: object) -> str | None:
    """Return a string or bytes as a plain string, ``None`` for anything else."""
    kind = type(obj)
    if issubclass(kind, str):
        return str.__str__(cast("str", obj))
    if issubclass(kind, bytes | bytearray):
        return bytes.decode(bytes(cast("bytes", obj)[: MAX_CHARS + 1]), "utf-8", "replace")
    return None


def _pairs(obj: object) -> Pairs:
    return list(dict.items(cast("dict[object, object]", obj)))


def _items(obj: object) -> list[object]:
    kind = type(obj)
    for base in (list, tuple, set, frozenset):
        if issubclass(kind, base):
            return list(base.__iter__(obj))  # type: ignore[arg-type]  # checked by issubclass
    return []


def _named_value(pairs: Pairs) -> str:
    """Return the name in ``{"name": …, "value": …}``, empty for another mapping."""
    if len(pairs) > 8:
        return ""
    known = {key.lower(): item for key, item in pairs if type(key) is str}
    if not {"value", "val"} & known.keys():
        return ""
    for field in ("name", "key", "label"):
        name = known.get(field)
        if type(name) is str:
            return name
    return ""
