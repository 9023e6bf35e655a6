"""Walk a structure: plain JSON out, secrets removed, bounds kept, loss accounted for."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence, Set

from .accept import Seen, accepts
from .commands import find_arguments
from .fit import METADATA, Ledger, fitted
from .labels import kind_of, label_of
from .table import PatternTable
from .values import JsonValue, SanitizedValue, Span, marker

__all__ = ["MAX_CHARS", "MAX_DEPTH", "MAX_VISITED", "Walker"]

MAX_VISITED = 512
"""Values and keys that are looked at."""
MAX_DEPTH = 24
MAX_CHARS = 131_072
"""Characters of all strings together that are looked at."""
MIN_BYTES = 512

Redact = Callable[[str], tuple[str, list[Span]]]


class Walker:
    """One pass over one structure; make a new one for each."""

    __slots__ = ("_ledger", "_names", "_patterns", "_redact")

    def __init__(self, redact: Redact, patterns: PatternTable, names: frozenset[str]) -> None:
        self._redact = redact
        self._patterns = patterns
        self._names = names
        self._ledger = Ledger()

    def run(self, obj: object, *, max_bytes: int) -> SanitizedValue:
        """Return the structure, its metadata and both as JSON."""
        ledger = self._ledger
        source = self._without_metadata(obj)
        value = self._walk(source, (), 0, frozenset())
        budget = max(MIN_BYTES, max_bytes)
        document = fitted(value, ledger, budget)
        return SanitizedValue(
            value=value_of(document, value),
            document=document,
            json=json.dumps(document, ensure_ascii=False, separators=(",", ":")),
            metadata=ledger.block(),
            complete=ledger.complete,
            truncated=ledger.truncated,
            redactions=ledger.redactions,
            kinds=tuple(sorted(ledger.kinds)),
        )

    def _without_metadata(self, obj: object) -> object:
        """Take the metadata of an earlier pass out: it can only add to what is missing."""
        if type(obj) is not dict or METADATA not in obj:
            return obj
        self._ledger.take_over(obj[METADATA])
        rest = {key: value for key, value in obj.items() if key != METADATA}
        return rest["value"] if list(rest) == ["value"] else rest

    def _walk(
        self, obj: object, path: tuple[str, ...], depth: int, above: frozenset[int]
    ) -> JsonValue:
        ledger = self._ledger
        if ledger.visited >= MAX_VISITED:
            return ledger.lost(path, "[CUT: too many values]")
        ledger.visited += 1
        if obj is None or obj is True or obj is False:
            return obj
        if isinstance(obj, str):
            return self._string(str.__str__(obj), path)
        if isinstance(obj, bytes | bytearray | memoryview):
            return self._string(bytes(obj[: MAX_CHARS + 1]).decode("utf-8", "replace"), path)
        if isinstance(obj, int | float):
            return self._number(obj, path)
        if isinstance(obj, Mapping | Sequence | Set):
            if depth >= MAX_DEPTH or id(obj) in above:
                return ledger.lost(
                    path, "[CUT: too deep]" if depth >= MAX_DEPTH else "[CUT: cycle]"
                )
            try:
                return self._container(obj, path, depth, above | {id(obj)})
            except Exception:  # a foreign container may raise anything from its methods
                return ledger.lost(path, f"<{type(obj).__name__}>")
        return ledger.lost(path, f"<{type(obj).__name__}>")

    def _number(self, obj: float, path: tuple[str, ...]) -> JsonValue:
        try:
            plain: JsonValue = int(obj) if isinstance(obj, int) else float(obj)
            if isinstance(plain, float) and not math.isfinite(plain):
                return repr(plain)
            text = json.dumps(plain)
        except (ValueError, OverflowError, TypeError):
            return self._ledger.lost(path, f"<{type(obj).__name__}>")
        digits, spans = self._redact(text) if len(text) >= 12 else (text, [])
        if spans:
            self._ledger.redacted(spans)
            return digits
        return plain

    def _string(self, text: str, path: tuple[str, ...], *, key: str = "") -> str:
        ledger = self._ledger
        text = ledger.bounded(text, path, MAX_CHARS)
        masked = self._labelled(text, key) if key else None
        if masked is not None:
            return masked
        clean, spans = self._redact(text)
        ledger.redacted(spans)
        return clean

    def _labelled(self, text: str, key: str) -> str | None:
        """Return a string whose key says that it is a secret, ``None`` where it does not."""
        family = label_of(key, self._patterns.labels)
        if family in {"authorization", "cookie"}:
            clean, spans = self._redact(f"{key}: {text}")
            self._ledger.redacted(spans)
            return clean[len(key) + 2 :]
        if family in {"", "scheme", "query"}:
            return None
        if not accepts(text, Seen(family, "quoted"), self._patterns.labels):
            return None
        span = Span(0, len(text), kind_of(family))
        self._ledger.redacted([span])
        return marker(span.kind)

    def _container(
        self, obj: object, path: tuple[str, ...], depth: int, above: frozenset[int]
    ) -> JsonValue:
        if isinstance(obj, Mapping):
            return self._mapping(obj, path, depth, above)
        items: list[JsonValue] = []
        known = list(obj) if isinstance(obj, Set) else obj
        assert isinstance(known, Sequence)
        size = len(known)
        secret = self._arguments(known[:MAX_VISITED])
        for position in range(size):
            if self._ledger.visited >= MAX_VISITED:
                self._ledger.lost(path, "")
                items.append(f"[CUT: {size - position} values]")
                break
            here = (*path, str(position))
            if position in secret:
                self._ledger.visited += 1
                items.append(secret[position])
            else:
                items.append(self._walk(known[position], here, depth + 1, above))
        return items

    def _arguments(self, items: Sequence[object]) -> dict[int, JsonValue]:
        """Return the redacted arguments of a command that is given as a list of words."""
        if len(items) < 2 or not all(type(item) is str and len(item) < 1000 for item in items):
            return {}
        words = [str(item) for item in items]
        line = " ".join(words)
        if not any(word.startswith(("-", "/")) for word in words):
            return {}
        found: dict[int, JsonValue] = {}
        starts = [0]
        for word in words:
            starts.append(starts[-1] + len(word) + 1)
        flagged = [
            Span(starts[at + 1], starts[at + 1] + len(words[at + 1]), kind_of(family))
            for at, word in enumerate(words[:-1])
            if word.startswith("-")
            and (family := label_of(word.lstrip("-"), self._patterns.labels)) not in {"", "scheme"}
            and accepts(words[at + 1], Seen(family, "flag"), self._patterns.labels)
        ]
        for span in [*flagged, *find_arguments(line, self._patterns)]:
            for at, word in enumerate(words):
                if starts[at] <= span.start and span.end <= starts[at] + len(word):
                    left = span.start - starts[at]
                    self._ledger.redacted([span])
                    found[at] = word[:left] + marker(span.kind) + word[span.end - starts[at] :]
        return found

    def _mapping(
        self, obj: Mapping[object, object], path: tuple[str, ...], depth: int, above: frozenset[int]
    ) -> JsonValue:
        ledger = self._ledger
        out: dict[str, JsonValue] = {}
        label = self._named_value(obj)
        for position, (key, item) in enumerate(obj.items()):
            if ledger.visited + 1 >= MAX_VISITED:
                ledger.lost(path, "")
                out[f"[CUT: {len(obj) - position} fields]"] = None
                break
            ledger.visited += 1
            name = self._key(key, path)
            here = (*path, name if name in self._names else str(position))
            while name in out:
                name += "#"
            if isinstance(item, str):
                ledger.visited += 1
                about = label if label and name.lower() in {"value", "val"} else name
                out[name] = self._string(str.__str__(item), here, key=about)
            else:
                out[name] = self._under(name, item, here, depth, above)
        return out

    def _under(
        self, name: str, item: object, path: tuple[str, ...], depth: int, above: frozenset[int]
    ) -> JsonValue:
        """Walk what is under a key; a number can be a secret too, by its key."""
        value = self._walk(item, path, depth + 1, above)
        if type(value) in {int, float} and self._labelled(str(value), name) is not None:
            return marker(kind_of(label_of(name, self._patterns.labels)))
        if isinstance(value, list) and label_of(name, self._patterns.labels) not in {"", "scheme"}:
            return [self._again(entry, name) for entry in value]
        return value

    def _again(self, entry: JsonValue, name: str) -> JsonValue:
        if isinstance(entry, str):
            masked = self._labelled(entry, name)
            return entry if masked is None else masked
        return entry

    def _named_value(self, obj: Mapping[object, object]) -> str:
        """Return the name in ``{"name": …, "value": …}``, empty for another mapping."""
        if len(obj) <= 8:
            for field in ("name", "key", "Name", "Key", "label"):
                name = obj.get(field)
                if type(name) is str and ("value" in obj or "Value" in obj or "val" in obj):
                    return name
        return ""

    def _key(self, key: object, path: tuple[str, ...]) -> str:
        if isinstance(key, str):
            return self._string(str.__str__(key), path)
        if key is None or isinstance(key, bool | int | float):
            return str(self._number(key, path) if key is not None else None)
        if isinstance(key, bytes):
            return self._string(key[: MAX_CHARS + 1].decode("utf-8", "replace"), path)
        self._ledger.lost(path, "")
        return f"<{type(key).__name__}>"


def value_of(document: dict[str, JsonValue], value: JsonValue) -> JsonValue:
    """Return the structure in a document, without its metadata block."""
    rest = {key: item for key, item in document.items() if key != METADATA}
    return rest if isinstance(value, dict) else rest.get("value")
