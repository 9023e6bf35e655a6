"""Find secrets that a sentence gives away: *the password for staging is …*."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from .accept import WORD_AND_NUMBER, Judge, seen_as
from .hints import Hints
from .lazy import Ahead, lazy
from .names import kind_of
from .table import LabelBook, PatternTable
from .values import Span

__all__ = ["Prose", "find_phrases", "word_list"]

_REACH = 100
"""Characters behind the label, on the same line, that are read."""
_WORDS = 10
_NEAR = 4
"""Words behind a label for a password that is random for sure, with no link between."""
_AFTER_LINK = 3
"""Words behind *is* or a colon that may be the secret."""
_WORD_LIST = lazy(
    r"""(?:[ \t]{0,4}(?:is|are|was|were|ist|lautet|est|es|e|to|это|:|=)?[ \t\n]{1,4})?["'`]?"""
    r"""((?:[a-z]{3,10}(?:, ?| {1,2}|\n)){11,23}[a-z]{3,10})\b"""
)
_WORD = lazy(r"[^\s,]+[,]?")
_NO_LIST = frozenset({"the", "and", "for", "are", "but", "not", "has", "must", "und", "que", "les"})
"""Words of sentences that no list of words for phrases holds (BIP-39)."""
_MOST_KNOWN = 512
"""Sentences that are remembered, of 100 characters each."""
_OPEN = "\"'`([{<*_"
_CLOSE = "\"'`)]}>.,;:!?*_。，、！？"
_PROMISING = lazy(r"[0-9!#$%^&*+~@=?]|[a-z][A-Z]")
_RANDOM_FAMILIES = frozenset({"key", "query", "weak", "creds"})
"""Families of which only what is random for sure counts."""
_LONG = lazy(r"[^\s,]{12}")
"""As long as what is random for sure."""
_STRUCTURE = ("\\", '":', '",', "-----", "](", "={", "();")
"""Pieces of data or code: what follows is no sentence."""
_ASCII_WORD = lazy(r"[A-Za-z0-9]{3}")
_ASCII_RUN = lazy(r"[!-~]+")
_SEPARATED = lazy(r"""[ \t]{0,8}["'`]?[ \t]{0,8}(?::|=|->|→|\||-(?=[ \t]))[ \t]{0,8}["'`]?""")


class _Word(NamedTuple):
    """What a word of a sentence is, wherever it stands."""

    core: str
    """Without quotes, brackets and the signs of a sentence."""
    lead: int
    """Characters before the core."""
    is_link: bool
    closes: bool
    """A sentence ends with it."""


class Prose:
    """Reads the sentences of one text."""

    __slots__ = (
        "_book",
        "_judge",
        "_long",
        "_places",
        "_promising",
        "_text",
        "_verdicts",
        "_words",
    )

    def __init__(self, text: str, judge: Judge) -> None:
        self._text = text
        self._judge = judge
        self._book = judge.book
        self._promising = Ahead(_PROMISING, text)
        self._long = Ahead(_LONG, text)
        self._places: dict[tuple[str, str, bool], tuple[int, int]] = {}
        self._words: dict[str, _Word | None] = {}
        self._verdicts: dict[tuple[str, str, bool, bool], bool] = {}

    def read(self, at: int, family: str, *, linked: bool = False) -> Sequence[Span]:
        """Return the secret in the words behind a label, if a link leads to it.

        Args:
            at: end of the label.
            family: what the label announces.
            linked: a separator was there already.
        """
        text = self._text
        if family == "phrase" and (words := tuple(word_list(text, at))):
            return words
        if family in _RANDOM_FAMILIES and not self._long.within(at, at + _REACH):
            return ()
        line = text.find("\n", at, at + _REACH)
        stop = line if line >= 0 else min(len(text), at + _REACH)
        if not self._promising.within(at, stop):
            return ()
        key = (text[at:stop], family, linked)
        place = self._places.get(key)
        if place is None:
            if len(self._places) >= _MOST_KNOWN:
                self._places.clear()
            place = self._places[key] = self._place(*key)
        start, end = place
        return (Span(at + start, at + end, kind_of(family)),) if end else ()

    def _place(self, sentence: str, family: str, linked: bool) -> tuple[int, int]:
        """Return where the secret is in what follows a label; ``(0, 0)``: there is none."""
        left = _AFTER_LINK if linked else 0
        for number, found in enumerate(islice(_WORD.finditer(sentence), _WORDS)):
            word = self._word(found[0])
            if word is None:
                break
            near = left or not number or (family == "password" and number < _NEAR)
            if near and self._counts(word.core, family, linked=left > 0, first=not number):
                begin = found.start() + word.lead
                return begin, begin + len(word.core)
            if word.is_link:
                left = _AFTER_LINK
            elif word.closes:
                break
            else:
                left = max(0, left - 1)
        return 0, 0

    def _word(self, word: str) -> _Word | None:
        """Return what a word is; ``None``: data or code, so that this is no sentence."""
        if word in self._words:
            return self._words[word]
        known = self._words[word] = _word_of(word, self._book)
        return known

    def _counts(self, core: str, family: str, *, linked: bool, first: bool) -> bool:
        """Whether a word of a sentence is the secret that it is about."""
        key = (core, family, linked, first)
        verdict = self._verdicts.get(key)
        if verdict is None:
            verdict = bool(core) and _counts(core, family, self._judge, linked=linked, first=first)
            self._verdicts[key] = verdict
        return verdict


def _word_of(word: str, book: LabelBook) -> _Word | None:
    if (word[0] == "-" and len(word) > 1) or any(map(word.__contains__, _STRUCTURE)):
        return None
    core = word.lstrip(_OPEN).rstrip(_CLOSE)
    return _Word(
        core=core,
        lead=len(word) - len(word.lstrip(_OPEN)),
        is_link=word[-1] in ":=-" or word.lower() in book.links or core.lower() in book.links,
        closes=word[-1] in ".!?;",
    )


def _counts(core: str, family: str, judge: Judge, *, linked: bool, first: bool) -> bool:
    if family == "pin":
        digits = core.strip("#*")
        return digits.isdigit() and 3 <= len(digits) <= 8
    if family in _RANDOM_FAMILIES:
        sure = linked or len(core) >= 20
        return sure and judge.accepts(core, seen_as("weak", "prose"))
    if linked and family == "password" and core.isdigit():
        return 5 <= len(core) <= 12
    if len(core) < 6 or (core.split("=", 1)[0].isidentifier() and "=" in core):
        return False
    if not judge.accepts(core, seen_as("password", "prose")):
        sure = linked or (first and len(core) >= 12)
        return sure and family == "password" and WORD_AND_NUMBER.fullmatch(core) is not None
    if linked or (first and family == "password" and len(core) >= 8):
        return True
    mixed = any(c.islower() for c in core) and any(c.isupper() for c in core)
    return mixed and len(core) >= 8 and any(c.isdigit() for c in core)


def word_list(text: str, at: int) -> Iterator[Span]:
    """Yield the words of a wallet's recovery phrase, 12 to 24 of them, that begin at ``at``."""
    found = _WORD_LIST.match(text, at)
    if found and _NO_LIST.isdisjoint(found[1].split()):
        yield Span(*found.span(1), "passphrase")


def find_phrases(hints: Hints, table: PatternTable) -> Iterator[Span]:
    """Yield the secrets behind labels of several words and of other languages."""
    lower, book = hints.lower, table.labels
    phrases = table.phrases_in(hints)
    if not phrases:
        return
    reader = _PhraseReader(hints.text, book)
    for phrase in phrases:
        family, linked = book.phrases[phrase], not phrase.isascii()
        at = lower.find(phrase)
        while at >= 0:
            end = at + len(phrase)
            if _whole(lower, at, end):
                yield from reader.behind(end, family, linked=linked)
            at = lower.find(phrase, end)


def _whole(text: str, start: int, end: int) -> bool:
    """Whether the phrase is no part of a word, in scripts that have words."""
    if not text[start].isalpha() or text[start] > "\u0e00":
        return True
    before = text[start - 1] if start else " "
    after = text[end] if end < len(text) else " "
    return not before.isalnum() and not (after.isalnum() and after < "\u0e00")


class _PhraseReader:
    """Reads what follows the phrases of one text."""

    __slots__ = ("_ascii_word", "_judge", "_prose", "_text")

    def __init__(self, text: str, book: LabelBook) -> None:
        self._text = text
        self._judge = Judge(book)
        self._prose = Prose(text, self._judge)
        self._ascii_word = Ahead(_ASCII_WORD, text)

    def behind(self, end: int, family: str, *, linked: bool) -> Sequence[Span]:
        """Read behind a phrase; ``linked``: in its language no link is needed."""
        text = self._text
        if not self._ascii_word.within(end, end + _REACH):
            return ()
        separated = _SEPARATED.match(text, end)
        if separated:
            return self._separated(separated.end(), family)
        if text[end : end + 1] > "\u0e00":  # no gaps: the secret is the next run of ASCII
            return self._next_run(end, family)
        return self._prose.read(end, family, linked=linked)

    def _separated(self, at: int, family: str) -> Sequence[Span]:
        if family == "phrase":  # one word is no list of words
            return tuple(word_list(self._text, at))
        found = _ASCII_RUN.match(self._text, at)
        if found:
            value = found[0].rstrip(_CLOSE)
            if self._judge.accepts(value, seen_as(family, "line", "=")):
                return (Span(found.start(), found.start() + len(value), family),)
        return self._prose.read(at, family, linked=True)

    def _next_run(self, end: int, family: str) -> Sequence[Span]:
        found = _ASCII_RUN.search(self._text, end, end + 24)
        value = found[0].strip(_OPEN + _CLOSE) if found else ""
        if found is None or not value:
            return ()
        known = self._judge.accepts(value, seen_as(family, "prose"))
        if not known and not WORD_AND_NUMBER.fullmatch(value):
            return ()
        begin = self._text.index(value, found.start())
        return (Span(begin, begin + len(value), family),)
