"""Read the value at a place of a text: quoted, bare, in a list, behind a user name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .accept import Judge, Seen, seen_as
from .judge import MARKER, strongly_random
from .lazy import Ahead, lazy
from .names import kind_of
from .prose import Prose, word_list
from .table import LabelBook
from .values import Span

__all__ = ["Reader"]

_QUOTE = lazy(r"""\$?(?:[rRbBfFuUlL]|@)?(\\{0,8}(?:\"\"\"|'''|["'`]))""")
_TRIPLE = frozenset({'"""', "'''"})
_MAY_QUOTE = frozenset("\"'`\\$@rRbBfFuUlL")
"""What a quoted value begins with."""
_BARE = lazy(r"""(?:[^\s"'`<>(){}\[\],;|&\\]++|\\(?![nrt"']))++""")
_LINE = lazy(r"""(?:[^\s"'`\\]++|\\(?![nrt"']))++""")
_QUERY = lazy(r"""[^\s"'`<>&#;,)\]}|\\]+""")
_LIST_ITEM = lazy(r"""[\s,]{0,40}(?:- )?\\{0,8}["']([^"'\n]{1,400}?)\\{0,8}["']""")
_LINE_START = lazy(
    r"[ \t>+\-*#]{0,40}"
    r"(?:export[ \t]|ENV[ \t]|ARG[ \t]|declare[ \t](?:-x[ \t])?|\$env:|setx?[ \t])?[\"']?$"
)
_BEFORE_LABEL = frozenset("\n \t>+-*#\"':") | {""}
"""What may stand before the label that begins a line."""
_ENV = "$env:"
_USER_AND_SECRET = lazy(
    r"""["']?[^\s/:|"']{1,64}(?:[ \t]{1,4}[/|:][ \t]{1,4}|[/|:])([^\s"',;]{4,200})"""
)
_SLASHED = lazy(r"[\w.@+-]{1,40} ?/ ?([^\s\"',;]{6,200})")
# A secret in an expression: field(default="…"), None or "…".
_INSIDE = lazy(r"""[\w.]{1,30}(?:[( ][^"'\n]{0,40})["']([^"'\n]{12,200})["']""")
_REST = lazy(r"([^\s\"'][^\n\"']{3,200}?)[ \t]{0,8}\r?(?:\n|$)")
_AND_MORE = re.compile(r"&(?=[A-Za-z_][\w.-]{0,40}=)")
# What every value has in it that must look random.
_RANDOM = lazy(r"[\d!@#$%^&*+=~?]|[a-z][A-Z]|[^\x00-\x7f]")
_RANDOM_FAMILIES = frozenset({"key", "weak", "query", "pin"})
"""Families whose values must look random, or be digits, wherever they stand."""
_LONG_FAMILIES = frozenset({"key", "weak"})
"""Families whose values have twelve characters or more."""
_SHORT = lazy(r"""[^\s"'`\\\[\]]{0,11}(?:[\s<>(){},;|&]|\Z)""")
"""A word too short for them, without a quote or a marker in it."""
_LINE_SEPARATORS = frozenset({"=", ":", ":=", "?=", "+="})
_MAX_VALUE = 8192
"""Characters of a quoted value."""
_JUDGED = 512
"""Characters of a value that decide; an unquoted one goes to its end if they do."""
_NONE: Sequence[Span] = ()


class Reader:
    """Reads values of one text."""

    __slots__ = ("_accepts", "_asked", "_newline", "_random", "_text", "prose")

    def __init__(self, text: str, book: LabelBook) -> None:
        judge = Judge(book)
        self._text = text
        self._accepts = judge.accepts
        self._asked = self._newline = -1
        self._random = Ahead(_RANDOM, text)
        self.prose = Prose(text, judge)

    def value(self, at: int, seen: Seen) -> Sequence[Span]:
        """Read a value that may be quoted."""
        text = self._text
        first = text[at : at + 1]
        if first == "[" and (marked := MARKER.match(text, at)):
            # What follows a marker at once may be the rest of a secret.
            if text[marked.end() : marked.end() + 1].isalnum():
                return self._take(_BARE, marked.end(), seen)
            return _NONE
        if first in _MAY_QUOTE and (quote := _QUOTE.match(text, at)):
            return self.inside(quote, seen)
        # A password may hold any sign; tokens and keys do not.
        if seen.mode == "line" and seen.family in {"password", "phrase"}:
            found = _LINE.match(text, at, at + _JUDGED)
            if found is None:
                return _NONE
            rest = text[found.end() : found.end() + 1]
            if rest in {"", "\n", "\r"} or seen.sep == "=" or len(found.group()) == _JUDGED:
                return self._line(at, found.group(), seen)
            seen = seen_as(seen.family, "inline", seen.sep)
        return self._take(_BARE, at, seen)

    def _line(self, at: int, run: str, seen: Seen) -> Sequence[Span]:
        value = _end_of_line_value(run)
        if not self._accepts(value, seen):
            return _NONE
        end = at + len(value)
        if len(value) == _JUDGED and (more := _LINE.match(self._text, at)):
            end = at + len(_end_of_line_value(more.group()))
        return (Span(at, end, kind_of(seen.family)),)

    def query(self, at: int, family: str) -> Sequence[Span]:
        """Read the value of a parameter in a URL."""
        return self._take(_QUERY, at, seen_as(family, "query"))

    def block(self, at: int, family: str) -> Sequence[Span]:
        """Read the first line of a block of YAML."""
        return self._take(_LINE, at, seen_as(family, "block"))

    def _take(self, pattern: re.Pattern[str], at: int, seen: Seen) -> Sequence[Span]:
        text = self._text
        found = pattern.match(text, at, at + _JUDGED)
        if found is None:
            return _NONE
        value = found.group().rstrip(".,:;!?")
        following = text[found.end() : found.end() + 1]
        if (
            following
            and following in "([{<"
            and seen.mode in {"inline", "line"}
            and seen.sep != "query"
        ):
            return _NONE  # a call, an index or a generic: code, not a value
        if not self._accepts(value, seen):
            return _NONE
        end = at + len(value)
        if len(value) == _JUDGED and (more := pattern.match(text, at)):
            end = more.end()
        return (Span(at, end, kind_of(seen.family)),)

    def quoted(self, at: int, seen: Seen) -> Sequence[Span]:
        """Read a quoted value; an unclosed one ends with its line."""
        quote = self.opening(at)
        return self.inside(quote, seen) if quote else _NONE

    def inside(self, quote: re.Match[str], seen: Seen) -> Sequence[Span]:
        """Read the value behind an opening quote."""
        text = self._text
        begin = quote.end()
        end = self._closing(begin, quote[1])
        value = text[begin : min(end, begin + _JUDGED)]
        if seen.mode not in {"quoted", "call"}:
            seen = seen_as(seen.family, "quoted", seen.sep)
        if self._accepts(value, seen):
            return (Span(begin, end, kind_of(seen.family)),)
        return _NONE

    def _closing(self, begin: int, quote: str) -> int:
        """Return where the quoted text that begins at ``begin`` ends."""
        text = self._text
        limit = begin + _MAX_VALUE
        if quote[-3:] in _TRIPLE:
            limit = min(limit, len(text))
        else:
            if not self._asked <= begin <= self._newline:
                line = text.find("\n", begin)
                self._asked, self._newline = begin, line if line >= 0 else len(text)
            limit = min(limit, self._newline)
        at = text.find(quote, begin, limit)
        while at > begin and quote[0] != "\\" and text[at - 1] == "\\":
            at = text.find(quote, at + 1, limit)
        return at if at >= 0 else limit

    def opening(self, at: int) -> re.Match[str] | None:
        """Return the opening quote that stands here, ``None`` for none."""
        return _QUOTE.match(self._text, at) if self._text[at : at + 1] in _MAY_QUOTE else None

    def items(self, at: int, family: str) -> Sequence[Span]:
        """Read the quoted items of a list, up to 64."""
        spans = []
        for _ in range(64):
            item = _LIST_ITEM.match(self._text, at)
            if item is None:
                break
            if self._accepts(item[1], seen_as(family, "quoted")):
                spans.append(Span(item.start(1), item.end(1), kind_of(family)))
            at = item.end()
        return spans

    def unquoted(self, start: int, at: int, family: str, sep: str) -> Sequence[Span]:
        """Read a value without quotes: to the end of its line, or to the next sign of code.

        Args:
            start: where its label begins.
            at: where the value begins.
            family: what the label announces.
            sep: what stands between.
        """
        text = self._text
        random = self._random.within(at, at + _JUDGED)
        if not random and family in _RANDOM_FAMILIES:
            return _NONE
        if family in _LONG_FAMILIES and _SHORT.match(text, at):
            return self._further(at, family, sep)
        flag = start > 0 and text[start - 1] == "-"
        whole = sep in _LINE_SEPARATORS and self._begins_line(start)
        if not (random or flag or whole or family == "phrase"):
            return _NONE
        spans: list[Span] = []
        if family == "phrase":
            spans += word_list(text, at)
            rest = _REST.match(text, at) if whole else None
            if rest and self._accepts(rest[1], seen_as(family, "line")):
                spans.append(Span(*rest.span(1), kind_of(family)))
        mode = "flag" if flag else "line" if whole else "inline"
        found = self.value(at, seen_as(family, mode, sep))
        spans += found or self._further(at, family, sep)
        return spans

    def _further(self, at: int, family: str, sep: str) -> Sequence[Span]:
        """Read on behind a first word that is no secret."""
        inside = _INSIDE.match(self._text, at)
        if inside and strongly_random(inside[1]):
            return (Span(*inside.span(1), kind_of(family)),)
        return self.prose.read(at, family, linked=True) if sep == ":" else _NONE

    def _begins_line(self, start: int) -> bool:
        """Whether only indentation, a list mark or ``export`` stands before the label."""
        text = self._text
        before = text[start - 1 : start]
        if before not in _BEFORE_LABEL or (before == ":" and not text.endswith(_ENV, 0, start)):
            return False
        line = text.rfind("\n", max(0, start - 60), start) + 1
        if line == start:
            return True
        return _LINE_START.match(text, line, start) is not None if line or start < 60 else False

    def user_and_secret(self, at: int) -> Sequence[Span]:
        """Read ``user / secret`` or ``user:secret`` after a label such as ``creds:``."""
        found = _USER_AND_SECRET.match(self._text, at)
        if found and self._accepts(found[1], seen_as("password", "prose")):
            return (Span(found.start(1), found.end(1), "password"),)
        return self.value(at, seen_as("token", "inline", ":"))

    def slashed(self, end: int) -> Sequence[Span]:
        """Read ``user / secret`` a few words after a label such as ``login``."""
        found = _SLASHED.search(self._text, end, min(len(self._text), end + 60))
        if found and self._accepts(found[1], seen_as("password", "prose")):
            return (Span(*found.span(1), "password"),)
        return _NONE


def _end_of_line_value(run: str) -> str:
    """Cut what a shell, a list or a query string puts behind an unquoted value."""
    for cut in ("&&", "||"):
        run = run.split(cut, 1)[0]
    if "&" in run:
        run = _AND_MORE.split(run, maxsplit=1)[0]
    return run.rstrip(";,")
