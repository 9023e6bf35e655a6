"""Quotes and escapes of shell words, and brace expansion."""

from __future__ import annotations

import re
from itertools import pairwise

__all__ = ["ansi_c", "braces", "double_quoted", "unescaped"]

MAX_BRACE_WORDS = 64
"""Words that one brace expression may make; beyond that it stays as written."""

_ESCAPED = re.compile(r"\\(\n|.)", re.DOTALL)
_DOUBLE = re.compile(r'\\([$`"\\\n])')
_ANSI = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|(.))",
    re.DOTALL,
)
_ANSI_LETTERS = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "v": "\v",
}  # fmt: skip
_RANGE = re.compile(r"(-?\d{1,6}|[A-Za-z])\.\.(-?\d{1,6}|[A-Za-z])\Z")


def unescaped(text: str) -> str:
    """An unquoted word without its backslashes; a line continuation vanishes."""
    if "\\" not in text:
        return text
    return _ESCAPED.sub(lambda match: "" if match[1] == "\n" else match[1], text)


def double_quoted(text: str) -> str:
    """The inside of double quotes without the backslashes that the shell removes there."""
    if "\\" not in text:
        return text
    return _DOUBLE.sub(lambda match: "" if match[1] == "\n" else match[1], text)


def ansi_c(text: str) -> str:
    r"""The inside of ``$'…'``: ``\x41``, ``\101``, ``\n`` and the like decoded."""

    def decoded(match: re.Match[str]) -> str:
        for digits, base in ((match[1], 16), (match[2], 16), (match[3], 16), (match[4], 8)):
            if digits:
                code = int(digits, base)
                return chr(code) if code < 0x110000 else "\ufffd"
        letter = match[5] or ""
        return _ANSI_LETTERS.get(letter, letter)

    return _ANSI.sub(decoded, text)


def braces(chars: list[tuple[str, bool]]) -> list[list[tuple[str, bool]]]:
    """Expand ``{a,b}`` and ``{1..3}`` in a word given as (character, quoted) pairs.

    Returns:
        The words in the shell's order; the word itself where nothing expands
        or the result would exceed :data:`MAX_BRACE_WORDS`.
    """
    done: list[list[tuple[str, bool]]] = []
    todo = [chars]
    while todo:
        current = todo.pop(0)
        if len(todo) + len(done) > MAX_BRACE_WORDS:
            return [chars]
        expanded = _first_brace(current)
        if expanded is None:
            done.append(current)
        else:
            todo = expanded + todo
    return done


def _first_brace(chars: list[tuple[str, bool]]) -> list[list[tuple[str, bool]]] | None:
    """Alternatives of the first brace expression that is one; ``None`` without any."""
    opened: list[int] = []
    commas: dict[int, list[int]] = {}
    for index, (char, quoted) in enumerate(chars):
        if quoted:
            continue
        if char == "{" and not (index and chars[index - 1] == ("$", False)):
            opened.append(index)
            commas[index] = []
        elif char == "," and opened:
            commas[opened[-1]].append(index)
        elif char == "}" and opened:
            start = opened.pop()
            inner = _alternatives(chars, start, commas[start], index)
            if inner is not None and not (opened and commas[opened[-1]]):
                head, tail = chars[:start], chars[index + 1 :]
                return [head + middle + tail for middle in inner]
            if inner is not None:
                head, tail = chars[:start], chars[index + 1 :]
                return [head + middle + tail for middle in inner] if not opened else None
    return None


def _alternatives(
    chars: list[tuple[str, bool]], start: int, commas: list[int], end: int
) -> list[list[tuple[str, bool]]] | None:
    if commas:
        edges = [start, *commas, end]
        return [chars[a + 1 : b] for a, b in pairwise(edges)]
    match = _RANGE.match("".join(char for char, _ in chars[start + 1 : end]))
    if match is None:
        return None
    first, last = match[1], match[2]
    if first.lstrip("-").isdigit() and last.lstrip("-").isdigit():
        low, high = int(first), int(last)
        if abs(high - low) >= MAX_BRACE_WORDS:
            return None
        step = 1 if high >= low else -1
        return [[(c, False) for c in str(n)] for n in range(low, high + step, step)]
    if len(first) == len(last) == 1 and first.isalpha() and last.isalpha():
        low, high = ord(first), ord(last)
        step = 1 if high >= low else -1
        return [[(chr(n), False)] for n in range(low, high + step, step)]
    return None
