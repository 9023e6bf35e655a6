"""Find secrets that a sentence gives away: *the password for staging is …*."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from .accept import WORD_AND_NUMBER, Seen, accepts
from .hints import Hints
from .lazy import lazy
from .names import kind_of
from .table import LabelBook, PatternTable
from .values import Span

__all__ = ["find_phrases", "in_prose", "word_list"]

_REACH = 100
"""Characters behind the label, on the same line, that are read."""
_WORDS = 10
_NEAR = 4
"""Words behind a label for a password that is random for sure, with no link between."""
_AFTER_LINK = 3
"""Words behind *is* or a colon that may be the secret."""
_WORD_LIST = lazy(r"""["'`]?((?:[a-z]{3,10}(?:, ?| {1,2}|\n)){11,23}[a-z]{3,10})\b""")
_WORD = lazy(r"[^\s,]+[,]?")
_OPEN = "\"'`([{<*_"
_CLOSE = "\"'`)]}>.,;:!?*_。，、！？"
_PROMISING = lazy(r"[0-9!#$%^&*+~@=?]|[a-z][A-Z]")
_STRUCTURE = ("\\", '":', '",', "-----", "](", "={", "();")
"""Pieces of data or code: what follows is no sentence."""
_ASCII_WORD = lazy(r"[A-Za-z0-9]{3}")
_ASCII_RUN = lazy(r"[!-~]+")


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
    if not _PROMISING.search(text, at, stop):
        return
    left = _AFTER_LINK if linked else 0
    for number, found in enumerate(islice(_WORD.finditer(text, at, stop), _WORDS)):
        word = found.group()
        if (word[0] == "-" and len(word) > 1) or any(mark in word for mark in _STRUCTURE):
            return
        core = word.lstrip(_OPEN).rstrip(_CLOSE)
        begin = found.start() + len(word) - len(word.lstrip(_OPEN))
        near = left or not number or (family == "password" and number < _NEAR)
        if core and near and _counts(core, family, book, linked=left > 0, first=not number):
            yield Span(begin, begin + len(core), kind_of(family))
            return
        if _is_link(word, core, book):
            left = _AFTER_LINK
        elif word[-1] in ".!?;":
            return
        else:
            left = max(0, left - 1)


def _is_link(word: str, core: str, book: LabelBook) -> bool:
    return word[-1] in ":=-" or word.lower() in book.links or core.lower() in book.links


def _counts(core: str, family: str, book: LabelBook, *, linked: bool, first: bool) -> bool:
    """Whether a word of a sentence is the secret that it is about."""
    if family == "pin":
        return core.isdigit() and 3 <= len(core) <= 8
    if family in {"key", "query", "weak", "creds"}:
        sure = linked or len(core) >= 20
        return sure and accepts(core, Seen("weak", "prose"), book)
    if linked and family == "password" and core.isdigit():
        return 5 <= len(core) <= 12
    if len(core) < 6 or (core.split("=", 1)[0].isidentifier() and "=" in core):
        return False
    if not accepts(core, Seen("password", "prose"), book):
        sure = linked or (first and len(core) >= 12)
        return sure and family == "password" and WORD_AND_NUMBER.fullmatch(core) is not None
    if linked or (first and family == "password" and len(core) >= 8):
        return True
    mixed = any(c.islower() for c in core) and any(c.isupper() for c in core)
    return mixed and len(core) >= 8 and any(c.isdigit() for c in core)


def word_list(text: str, at: int) -> Iterator[Span]:
    """Yield the words of a wallet's recovery phrase, 12 to 24 of them, that begin at ``at``."""
    found = _WORD_LIST.match(text, at)
    if found:
        yield Span(*found.span(1), "passphrase")


def find_phrases(hints: Hints, table: PatternTable) -> Iterator[Span]:
    """Yield the secrets behind labels of several words and of other languages."""
    text, lower, book = hints.text, hints.lower, table.labels
    for phrase in table.phrases_in(hints):
        family = book.phrases[phrase]
        at = lower.find(phrase)
        while at >= 0:
            end = at + len(phrase)
            if _whole(lower, at, end):
                yield from _behind(text, end, family, book, linked=not phrase.isascii())
            at = lower.find(phrase, end)


def _whole(text: str, start: int, end: int) -> bool:
    """Whether the phrase is no part of a word, in scripts that have words."""
    if not text[start].isalpha() or text[start] > "\u0e00":
        return True
    before = text[start - 1] if start else " "
    after = text[end] if end < len(text) else " "
    return not before.isalnum() and not (after.isalnum() and after < "\u0e00")


_SEPARATED = lazy(r"""[ \t]{0,8}["'`]?[ \t]{0,8}(?::|=|->|→|\||-(?=[ \t]))[ \t]{0,8}["'`]?""")


def _behind(text: str, end: int, family: str, book: LabelBook, *, linked: bool) -> Iterator[Span]:
    """Read behind a phrase; ``linked``: in its language no link is needed."""
    if not _ASCII_WORD.search(text, end, end + _REACH):
        return
    separated = _SEPARATED.match(text, end)
    if separated:
        if family == "phrase":
            yield from word_list(text, separated.end())
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
            known = accepts(value, Seen(family, "prose"), book)
            if known or WORD_AND_NUMBER.fullmatch(value):
                yield Span(begin, begin + len(value), family)
        return
    yield from in_prose(text, end, family, book, linked=linked)
