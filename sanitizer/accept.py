"""Does this value count as a secret after such a label?"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from .judge import (
    MARKER,
    is_number,
    is_path,
    is_placeholder,
    is_reference,
    looks_like_code,
    looks_random,
    strongly_random,
)
from .lazy import lazy
from .table import LabelBook

__all__ = ["WORD_AND_NUMBER", "Judge", "Seen", "accepts", "seen_as"]


WORD_AND_NUMBER = lazy(r"[A-Za-z]{4,20}[0-9]{2,4}")
"""What people take for a password, and for the name of a machine: only a link decides."""


# required|min:8, max:72: what a form demands of a value.
_RULES = lazy(
    r"[a-z_]{2,24}(?::[\w,./]{1,24})?(?:\|[a-z_]{2,24}(?::[\w,./]{1,24})?)+"
    r"|(?:min|max|size|between|digits|digits_between|length|len|gte?|lte?|same|different"
    r"|required_(?:if|with|without)|regex|exists|unique):[\w,.]{1,40}"
)
_TYPE_NAME = lazy(r"(?:[A-Z][a-z]+)+")
_UUID = lazy(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


_NO_CODE = frozenset({"quoted", "query", "flag", "block"})
"""Where a value is no expression."""
_MOST_KNOWN = 1024
"""Verdicts that are kept; values are at most 512 characters long."""


class Seen(NamedTuple):
    """Where a value was seen."""

    family: str
    mode: str
    """``quoted``, ``line`` (the label begins its line), ``inline``, ``flag``, ``query``, ``pair``,
    ``block``, ``next line``, ``call`` or ``prose``."""
    sep: str = ""


@cache
def seen_as(family: str, mode: str, sep: str = "") -> Seen:
    """Return where a value was seen; of the few there are, each is made once."""
    return Seen(family, mode, sep)


class Judge:
    """The verdicts on the values of one text, in which values come again.

    Attributes:
        book: the words that the verdicts go by.
    """

    __slots__ = ("_known", "book")

    def __init__(self, book: LabelBook) -> None:
        self.book = book
        self._known: dict[tuple[str, Seen], bool] = {}

    def accepts(self, value: str, seen: Seen) -> bool:
        """Whether ``value`` is to be removed."""
        key = (value, seen)
        verdict = self._known.get(key)
        if verdict is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            verdict = self._known[key] = accepts(value, seen, self.book)
        return verdict


def accepts(value: str, seen: Seen, book: LabelBook) -> bool:
    """Whether ``value`` is to be removed."""
    if seen.family == "key" and len(value) < 16 and seen.mode != "query":
        return False
    if "[" in value:
        value = MARKER.sub("", value)
    # Letters and digits alone are no reference, path or code.
    bare = value.isalnum() and not value.isalpha()
    if not value or value.lower() in book.plain or (not bare and is_reference(value)):
        return False
    if seen.family == "pin":
        return _is_pin(value)
    if len(value) < 4 or value[0].isspace() or is_placeholder(value):
        return False
    if not bare and _RULES.fullmatch(value):
        return False
    if not bare and (is_path(value) or (seen.mode not in _NO_CODE and looks_like_code(value))):
        return False
    return _fits(value, seen, book)


def _fits(value: str, seen: Seen, book: LabelBook) -> bool:
    """Whether a value that may be a secret looks as its label says."""
    if seen.family == "phrase":
        return _is_phrase(value, book)
    if " " in value.strip():
        return _has_secret_word(value, seen)
    if seen.family in {"key", "query"}:
        return looks_random(value) and len(value) >= 8 if seen.mode == "query" else _is_key(value)
    if seen.family == "weak":
        return strongly_random(value)
    return _single(value, seen, book)


def _is_pin(value: str) -> bool:
    return value.replace("-", "").replace(" ", "").isdigit() and 3 <= len(value) <= 12


def _is_key(value: str) -> bool:
    """A bare ``key`` announces anything: only 16 random characters or more count."""
    return strongly_random(value) and not _UUID.fullmatch(value)


def _is_phrase(value: str, book: LabelBook) -> bool:
    words = value.split()
    if len(words) == 1:
        return True
    return len(words) >= 3 and sum(word.lower() in book.plain for word in words) * 2 <= len(words)


def _has_secret_word(value: str, seen: Seen) -> bool:
    """Several words in quotes: a sentence about a secret, or a passphrase with digits in it."""
    return (
        seen.mode == "quoted"
        and len(value) <= 200
        and any(looks_random(word.strip(".,;:!?")) for word in value.split())
    )


def _single(value: str, seen: Seen, book: LabelBook) -> bool:
    """One word after a label of family ``password`` or ``token``."""
    if looks_random(value):
        return True
    if seen.mode == "prose":
        return False
    if seen.mode in {"call", "next line"}:
        return seen.family == "password" and WORD_AND_NUMBER.fullmatch(value) is not None
    if seen.mode == "inline" and seen.sep == "=" and seen.family == "password":
        return WORD_AND_NUMBER.fullmatch(value) is not None
    if is_number(value):
        return seen.family == "password" and len(value) >= 4 and seen.mode != "inline"
    if seen.family == "token":
        if seen.mode == "line" and seen.sep == "=":
            return len(value) >= 10 and WORD_AND_NUMBER.fullmatch(value) is not None
        return len(value) >= 16 and value.isalnum() and seen.mode in {"quoted", "query", "flag"}
    if seen.mode == "line" and seen.sep == ":":
        return value.isalnum() and not _TYPE_NAME.fullmatch(value)
    return seen.mode in {"quoted", "line", "flag", "query", "block", "pair"} and _no_name(value)


def _no_name(value: str) -> bool:
    """Whether a word without digits is no name of a variable or a type."""
    return "_" not in value and not value.endswith(":")
