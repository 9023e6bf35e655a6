"""Cut a text in the middle: head and tail stay, and the cut is marked."""

from __future__ import annotations

import re

from .lazy import lazy

__all__ = ["cut", "cut_mark", "has_cut_mark"]

_CUT = lazy(r"\[CUT: \d+ characters\]")
_MARKER_OPEN = "[REDACTED:"
_MARKER_MAX = 96


def cut_mark(chars: int) -> str:
    """Return what stands where ``chars`` characters were cut."""
    return f"[CUT: {chars} characters]"


def has_cut_mark(text: str) -> bool:
    """Whether the text was cut in an earlier pass, or says so."""
    return "[CUT: " in text and _CUT.search(text) is not None


def cut(head: str, tail: str, *, gone: int, max_chars: int, max_bytes: int | None) -> str:
    """Join a head and a tail within the bounds, with a mark between them.

    Args:
        head: text that begins where the result begins.
        tail: text that ends where the result ends.  May overlap ``head`` only
            where both are the whole text.
        gone: characters between head and tail; negative for an overlap.
        max_chars: most characters of the result.
        max_bytes: most UTF-8 bytes of the result; ``None``: no bound.
    """
    bound = max_chars if max_bytes is None else min(max_chars, max_bytes)
    mark = cut_mark(len(head) + len(tail) + gone)
    room = bound - len(mark)
    if room < 2:
        return mark[: max(0, bound)]
    # The head is where a command says what it does: it gets the larger part.
    keep_head = room * 3 // 5
    keep_tail = room - keep_head
    if max_bytes is not None:
        left = _first_bytes(head[:keep_head], keep_head)
        right = _last_bytes(tail[-keep_tail:], keep_tail)
    else:
        left, right = head[:keep_head], tail[-keep_tail:]
    left = _before_marker(left)
    right = _after_marker(right)
    missing = len(head) + len(tail) + gone - len(left) - len(right)
    return f"{left}{cut_mark(missing)}{right}"


def _first_bytes(text: str, size: int) -> str:
    return text.encode("utf-8", "replace")[:size].decode("utf-8", "ignore")


def _last_bytes(text: str, size: int) -> str:
    return text.encode("utf-8", "replace")[-size:].decode("utf-8", "ignore")


def _before_marker(text: str) -> str:
    """Drop a marker, or the beginning of one, that the cut went through."""
    at = text.rfind("[", max(0, len(text) - _MARKER_MAX))
    piece = text[at:] if at >= 0 else ""
    if (
        piece
        and "]" not in piece
        and (piece.startswith(_MARKER_OPEN) or _MARKER_OPEN.startswith(piece))
    ):
        return text[:at]
    return text


def _after_marker(text: str) -> str:
    """Drop the end of a marker that the cut went through."""
    at = text.find("]", 0, _MARKER_MAX)
    if (
        at >= 0
        and "[" not in text[:at]
        and re.fullmatch(r"[A-Z]{0,9}:?[A-Za-z0-9_.-]{0,80}", text[:at])
    ):
        return text[at + 1 :]
    return text
