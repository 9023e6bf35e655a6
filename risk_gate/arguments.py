"""Arguments of a tool call, whatever object they are, as bounded text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["View", "view"]

MAX_VALUES = 4_096
"""Values of one call that are looked at, keys included."""
MAX_NESTING = 32
"""Depth that is followed."""
MAX_CHARS = 1_048_576
"""Characters of one text that are looked at: head and tail of a longer one."""


@dataclass(slots=True)
class View:
    """What the gate sees of the arguments.

    Attributes:
        top: top-level arguments by name, as text, in the order given.
        texts: every string with the name of the argument it belongs to.
        complete: nothing was cut or of a kind that cannot be read.
        reasons: what was cut, in words.
    """

    top: dict[str, str] = field(default_factory=dict)
    texts: list[tuple[str, str]] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """Nothing was left out."""
        return not self.reasons

    @property
    def text(self) -> str:
        """Every string, joined by newlines."""
        return "\n".join(text for _, text in self.texts)


def view(args: object) -> View:
    """Look at the arguments.  Never raises; cycles, depth and size are bounded.

    A string that holds a JSON object is read as that object, since some models
    send their arguments so.
    """
    seen = View()
    value = _decoded(args)
    if not isinstance(value, Mapping):
        seen.reasons.append("the arguments are no object")
        _walk(value, "", seen)
        return seen
    try:
        items = list(value.items())
    except Exception:
        seen.reasons.append("the arguments cannot be listed")
        return seen
    for key, item in items[:MAX_VALUES]:
        name = key if isinstance(key, str) else "?"
        before = len(seen.texts)
        _walk(item, name, seen)
        seen.top[name] = "\n".join(text for _, text in seen.texts[before:])
    if len(items) > MAX_VALUES:
        seen.reasons.append("there are too many arguments")
    return seen


def _decoded(args: object) -> object:
    if isinstance(args, str) and args.lstrip()[:1] == "{" and len(args) <= MAX_CHARS:
        try:
            decoded: object = json.loads(args)
        except (ValueError, RecursionError):
            return args
        return decoded
    return args


def _walk(value: object, name: str, seen: View) -> None:
    """Strings below a value, in order, without recursion."""
    stack: list[tuple[object, str, int]] = [(value, name, 0)]
    visited: set[int] = set()
    while stack:
        current, label, depth = stack.pop()
        if len(seen.texts) >= MAX_VALUES:
            seen.reasons.append("there are too many values")
            return
        if isinstance(current, str):
            seen.texts.append((label, _bounded(current, seen)))
        elif current is None or isinstance(current, bool | int | float):
            seen.texts.append((label, str(current)[:64]))
        elif id(current) in visited or depth >= MAX_NESTING:
            seen.reasons.append("the arguments are nested too deep or in a circle")
        else:
            visited.add(id(current))
            stack.extend(reversed(_children(current, label, depth, seen)))


def _children(value: object, label: str, depth: int, seen: View) -> list[tuple[object, str, int]]:
    try:
        if isinstance(value, Mapping):
            pairs = list(value.items())[:MAX_VALUES]
            return [(v, k if isinstance(k, str) else label, depth + 1) for k, v in pairs]
        if isinstance(value, list | tuple | set | frozenset):
            return [(item, label, depth + 1) for item in list(value)[:MAX_VALUES]]
    except Exception:
        seen.reasons.append("an argument cannot be read")
        return []
    if isinstance(value, bytes | bytearray):
        return [(bytes(value[:MAX_CHARS]).decode("utf-8", "replace"), label, depth + 1)]
    seen.reasons.append(f"an argument of type {type(value).__name__} cannot be read")
    return []


def _bounded(text: str, seen: View) -> str:
    if len(text) <= MAX_CHARS:
        return text
    seen.reasons.append("a text is too long to be judged whole")
    return f"{text[: MAX_CHARS // 2]}\n{text[-MAX_CHARS // 2 :]}"
