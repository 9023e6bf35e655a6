"""A digest of a call's arguments, whatever Python object they are."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Digest", "argument_digest"]

MAX_NODES = 100_000
"""Values that are digested; more cannot be bound."""
MAX_DEPTH = 200
"""Nesting that is digested."""
MAX_CHARS = 8_388_608
"""Characters that are digested; some 20 ms of work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """SHA-256 over a canonical form.

    Attributes:
        hex: of what could be read; equal arguments have equal digests.
        bound: every part took part.  Without it the digest must not stand for
            the arguments, and no reusable approval may hang on it.
    """

    hex: str
    bound: bool


def argument_digest(args: object) -> Digest:
    """Digest arguments.  Never raises.

    Mappings are equal whatever their order; ``1``, ``1.0``, ``True`` and
    ``"1"`` differ.  Surrogates are fine.  Cycles, depth and size beyond the
    bounds, and objects other than JSON's and bytes, are not bound.
    """
    state = _State()
    try:
        state.digest(args)
    except Exception:
        state.bound = False
    return Digest(hex=hashlib.sha256(b"".join(state.parts)).hexdigest(), bound=state.bound)


class _State:
    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.bound = True
        self._nodes = MAX_NODES
        self._chars = MAX_CHARS

    def digest(self, root: object) -> None:
        """Walk without recursion; an end marker closes each container."""
        stack: list[tuple[object, int]] = [(root, 0)]
        open_ids: list[int] = []
        while stack:
            value, depth = stack.pop()
            if value is _END:
                open_ids.pop()
                self._put("e", "")
                continue
            self._nodes -= 1
            if self._nodes < 0 or self._chars < 0:
                self.bound = False
                return
            if not self._scalar(value):
                self._container(value, depth, stack, open_ids)

    def _put(self, tag: str, text: str) -> None:
        self._chars -= len(text)
        if self._chars < 0:
            self.bound = False
        raw = text.encode("utf-8", "surrogatepass")
        self.parts += f"{tag}{len(raw)}:".encode(), raw

    def _scalar(self, value: object) -> bool:
        kind = type(value)
        if kind is str:
            self._put("s", str(value))
        elif value is None or kind in {bool, int, float}:
            text = repr(value) if kind is not int or abs(int(value)) < 10**300 else "big"  # type: ignore[call-overload]  # kind is int here
            self.bound = self.bound and text != "big"
            self._put("n", text)
        elif isinstance(value, bytes | bytearray):
            self._put("b", bytes(value).hex())
        else:
            return False
        return True

    def _container(
        self, value: object, depth: int, stack: list[tuple[object, int]], open_ids: list[int]
    ) -> None:
        if depth >= MAX_DEPTH or id(value) in open_ids:
            self.bound = False
            return
        if isinstance(value, Mapping):
            pairs = sorted(
                ((type(key).__name__, str(key), key, item) for key, item in value.items()),
                key=lambda pair: pair[:2],
            )
            self.bound = self.bound and all(isinstance(pair[2], str) for pair in pairs)
            self._put("m", "")
            stack.append((_END, depth))
            for _, text, _, item in reversed(pairs):
                stack.append((item, depth + 1))
                stack.append((text, depth + 1))
        elif isinstance(value, list | tuple):
            self._put("l", "")
            stack.append((_END, depth))
            stack.extend((item, depth + 1) for item in reversed(value))
        else:
            self.bound = False
            self._put("o", type(value).__name__)
            return
        open_ids.append(id(value))


_END = object()
