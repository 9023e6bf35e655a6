"""Find secrets that a sentence gives away: *the password for staging is …*."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from .accept import Seen, accepts
from .judge import is_number
from .table import LabelBook
from .values import Span

__all__ = ["find_phrases", "in_prose"]

_REACH = 100
"""Characters behind the label, on the same line, that are read."""
_WORDS = 10
_WORD = re.compile(r"\S+")
_OPEN = "\"'`([{<*_"
_CLOSE = "\"'`)]}>.,;:!?*_。，、！？"
_STRUCTURE = ("\\", '":', '",', "-----", "](", "={", "();")
"""Pieces of data or code: what follows is no sentence."""
_ASCII_RUN = re.compile(r"[!-~]+")


def in_prose(
    text: str, at: int, family: str, book: LabelBook, *, linked: bool = False
) -> Iterator[Span]:
    """Yield the secret in the words behind a label, if a link leads to it.

    Args:
        text: the view.
        at: end of the label.
        family: what the label announces.
        book: links and plain words.
        linked: a separator was there already.
    """
    line = text.find("\n", at, at + _REACH)
    stop = line if line >= 0 else min(len(text), at + _REACH)
    first = True
    for found in islice(_WORD.finditer(text, at, stop), _WORDS):
        word = found.group()
        if any(mark in word for mark in _STRUCTURE):
            return
        core = word.lstrip(_OPEN).rstrip(_CLOSE)
        begin = found.start() + len(word) - len(word.lstrip(_OPEN))
        if core and (linked or first) and _counts(core, word, family, book, linked):
            yield Span(
                begin,
                begin + len(core),
                "pin" if family == "pin" else "password" if family == "password" else "token",
            )
            return
        if word[-1] in ".!?;" and core.lower() not in book.links:
            return
        linked = (
            linked or word[-1] in ":=" or word.lower() in book.links or core.lower() in book.links
        )
        first = False


def _counts(core: str, word: str, family: str, book: LabelBook, linked: bool) -> bool:
    if family == "pin":
        return is_number(core) and core.isdigit() and 3 <= len(core) <= 8
    if family in {"key", "query", "weak", "creds"}:
        return linked and accepts(core, Seen("weak", "prose"), book)
    if len(core) < 6 or not accepts(core, Seen("password", "prose"), book):
        return False
    mixed = any(c.islower() for c in core) and any(c.isupper() for c in core)
    return linked or (mixed and len(core) >= 8)


def find_phrases(text: str, book: LabelBook) -> Iterator[Span]:
    """Yield the secrets behind labels of several words and of other languages."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = text
    for phrase, family in book.phrases.items():
        at = lower.find(phrase)
        while at >= 0:
            end = at + len(phrase)
            if _whole(lower, at, end):
                yield from _behind(text, end, family, book)
            at = lower.find(phrase, end)


def _whole(text: str, start: int, end: int) -> bool:
    """Whether the phrase is no part of a word, in scripts that have words."""
    if not text[start].isalpha() or text[start] > "\u0e00":
        return True
    before = text[start - 1] if start else " "
    after = text[end] if end < len(text) else " "
    return not before.isalnum() and not (after.isalnum() and after < "\u0e00")


_SEPARATED = re.compile(r"""[ \t]{0,8}["'`]?[ \t]{0,8}(?::|=|->|→|\||-(?=[ \t]))[ \t]{0,8}["'`]?""")


def _behind(text: str, end: int, family: str, book: LabelBook) -> Iterator[Span]:
    separated = _SEPARATED.match(text, end)
    if separated:
        found = _ASCII_RUN.match(text, separated.end())
        if found:
            value = found.group().rstrip(_CLOSE)
            if accepts(value, Seen(family, "line", "="), book):
                yield Span(found.start(), found.start() + len(value), family)
                return
        yield from in_prose(text, separated.end(), family, book, linked=True)
        return
    following = text[end : end + 1]
    if following > "\u0e00":  # a script without gaps: the secret is the next run of ASCII
        found = _ASCII_RUN.search(text, end, end + 24)
        if found:
            value = found.group().strip(_OPEN + _CLOSE)
            begin = text.index(value, found.start()) if value else 0
            if value and accepts(value, Seen(family, "prose"), book):
                yield Span(begin, begin + len(value), family)
        return
    yield from in_prose(text, end, family, book)
