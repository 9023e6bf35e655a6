"""Find values that a label announces: ``DB_PASSWORD=…``, ``"apiKey": …``, ``--token …``.

One pass over the identifiers of the text.  All look-ahead is bounded, so the
work grows with the length of the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .accept import seen_as
from .headers import authorization, bearer, cookies, header_end
from .hints import Hints
from .lazy import Ahead, lazy
from .names import MAX_IDENTIFIER, family_of
from .reader import Reader
from .table import HEADERS, SCHEMES, LabelBook, PatternTable
from .values import Span

__all__ = ["find_labels", "label_of"]

_IDENTIFIER = lazy(r"\w[\w.\-]+")
_AFTER = lazy(
    r"""(?:\[["']?\w{0,20}["']?\](?=[ \t]{0,4}[:=]))?"""  # password[0]=
    r"""(?P<close>(?:\\{0,8}["'`]|[\])>}*]){0,3})[ \t]{0,16}"""
    r"""(?P<sep>:=|=>|->|<<<|={1,3}|!=|~=|\?=|\+=|\|\||\?\?|::?|\||,|\()?[ \t]{0,16}"""
)
# What every way to give a secret away has in it, behind the label.
_ANYTHING = lazy(r"""[0-9:=|"'`>!#$%^&*+~@?]|[a-z][A-Z]""")
_SIGNS = frozenset(":=\"'|>")
"""Signs that need no search for one."""
_REACH = 100
_MAY_TYPE = frozenset("OobsS&tca")
_MAY_MEAN = frozenset({*_MAY_TYPE, *"|>\\\r\n[\"'`$"})
"""What begins something other than a bare value."""
_TYPE = lazy(
    r"(?:Optional\[)?(?:builtins\.)?"
    r"(?:str|[Ss]tring|&'?\w{0,12} ?str|text|SecretStr|char\*?|std::string|any)"
    r"(?:\]|\[\])?(?: ?[|?] ?\w{0,12})?[ \t]{0,8}=(?!=)[ \t]{0,8}"
)
# <add key="Password" value="x"/>, {"name": "DB_PASSWORD", "value": "x"}, name: X <newline> value: x
_PAIR = lazy(
    r"""\\{0,4}["'`]?[ \t]{0,8}[,;]?\s{0,40}(?:- )?\\{0,4}["']?"""
    r"""(?:[Vv]alue|val|default|string|stringValue|content)"""
    r"""\\{0,4}["']?[ \t]{0,8}[:=]>?[ \t]{0,8}"""
    r"""|"[ \t]{0,8}\{\s{0,40}"""  # Terraform: variable "db_password" { default = "x" }
    r"""(?:(?:type|description|sensitive|nullable)[ \t]{0,40}=[^\n]{0,200}\n\s{0,40}){0,4}"""
    r"""default[ \t]{0,40}=[ \t]{0,8}"""
)
_LATIN = lazy(r"[A-Za-z]{2}")
_CLOSING_TAG = lazy(r"</\w{1,32}>(?=[ \t]{0,8}[:=])")
_XML_NEXT = lazy(r"</\w{1,32}>\s{0,40}<\w{1,32}>")
_BLOCK = lazy(r"[|>][-+]?[ \t]{0,8}\r?\n[ \t]{1,40}")
_NEWLINE = lazy(r"(?:\\)?\r?\n[ \t]{0,40}")
_PASS_ON = lazy(r"[Pp]ass (?:it|the|an?|to|this|that|in|on|through|by|as|your|over|along|any|all) ")
_BARE_NOUNS = frozenset({"key", "keys", "token", "tokens", "secret", "sid"})
_SHORT = 4 * MAX_IDENTIFIER
"""Characters to a noun at which a text is read whole: the noun reaches over half of them."""
_MOST_NAMES = 4096
"""Names of which it is remembered, from text to text, what they announce."""
_NO_LABEL = ("[REDACTED:", "://")
"""Before the kind of a marker, and before a host."""
_NONE: Sequence[Span] = ()


def find_labels(hints: Hints, table: PatternTable) -> Iterator[Span]:
    """Yield the values that labels announce; spans may overlap."""
    finder = _Finder(hints.text, table)
    for start, end in _regions(hints.lower, table.nouns_in(hints)):
        yield from finder.labels(start, end)


def _regions(lower: str, nouns: list[str]) -> list[tuple[int, int]]:
    """Return the parts of a text in which names with these nouns in them lie, in order.

    A name that is longer than a name may be stays so where a region cuts it.
    """
    # Where nouns stand close together, finding them all takes longer than reading on.
    if len(lower) <= _SHORT or sum(map(lower.count, nouns)) * _SHORT > len(lower):
        return [(0, len(lower))] if nouns else []
    around: list[tuple[int, int]] = []
    for noun in nouns:
        reach = len(noun) + MAX_IDENTIFIER
        at = lower.find(noun)
        while at >= 0:
            # What lies in reach of this one goes with it.
            last = max(at, lower.rfind(noun, at, at + reach))
            around.append((max(0, at - MAX_IDENTIFIER - 1), last + reach + 1))
            at = lower.find(noun, last + 1)
    around.sort()
    merged: list[tuple[int, int]] = []
    for start, end in around:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _announced(name: str, book: LabelBook) -> str:
    """Return what an identifier announces; a short one must be a noun itself."""
    if len(name) < 4 and name.lower() not in book.heads:
        return ""
    # All nouns are Latin: other scripts are in the phrases.
    if not name.isascii() and not _LATIN.search(name):
        return ""
    return label_of(name, book)


def _is_other_thing(text: str, start: int, book: LabelBook) -> bool:
    """Whether the word before a bare noun makes it another thing, as in *primary key*."""
    if text[start - 1 : start] != " ":
        return False
    word = text[max(0, start - 20) : start - 1].rsplit(None, 1)[-1:]
    return bool(word) and word[0].lower() in book.before


def label_of(name: str, book: LabelBook) -> str:
    """Return what a name announces.

    Returns:
        A family, ``authorization``, ``cookie``, ``scheme``, or nothing.
    """
    bare = name.rstrip(".-")
    low = bare.lower()
    if low in {"authorization", "proxy-authorization", "http_authorization"}:
        return "authorization"
    if low in {"cookie", "set-cookie", "cookies"}:
        return "cookie"
    if low in SCHEMES:
        return "scheme"
    return family_of(bare, book)


class _Finder:
    """Reads what follows the labels of one text."""

    __slots__ = ("_anything", "_book", "_done", "_families", "_header_end", "_reader", "_text")

    def __init__(self, text: str, table: PatternTable) -> None:
        self._text = text
        self._book = table.labels
        self._families = table.families
        self._reader = Reader(text, table.labels)
        self._anything = Ahead(_ANYTHING, text)
        self._done = 0
        self._header_end = 0

    def labels(self, begin: int, stop: int) -> Iterator[Span]:
        """Yield the secrets that the labels in ``[begin, stop)`` announce."""
        text, families = self._text, self._families
        for found in _IDENTIFIER.finditer(text, begin, stop):
            start, end = found.span()
            # A label inside a secret that goes anyway announces nothing more.
            if start < self._done or end - start > MAX_IDENTIFIER:
                continue
            name = found[0]
            family = families.get(name)
            if family is None:
                family = self._remember(name)
            if not family or text.endswith(_NO_LABEL, 0, start):
                continue
            if name[-1] in ".-":
                end = start + len(name.rstrip(".-"))
            spans = self._read(start, end, family)
            if spans and name.lower() in _BARE_NOUNS and _is_other_thing(text, start, self._book):
                continue
            for span in spans:
                self._done = max(self._done, span.end)
                yield span

    def _remember(self, name: str) -> str:
        if len(self._families) >= _MOST_NAMES:
            self._families.clear()
        family = self._families[name] = _announced(name, self._book)
        return family

    def _read(self, start: int, end: int, family: str) -> Sequence[Span]:
        """Return the secrets that the label ``[start, end)`` announces."""
        text = self._text
        if family == "scheme":
            return tuple(bearer(text, start, end))
        before = text[start - 1] if start else ""
        if (
            before != "-"
            and text[end : end + 1] not in _SIGNS
            and not self._anything.within(end, end + _REACH)
        ):
            return _NONE
        if text.startswith("</", end) and (tag := _CLOSING_TAG.match(text, end)):
            end = tag.end()
        after = _AFTER.match(text, end)
        if after is None:  # cannot be: every part is optional
            return _NONE
        close, sep = after.groups()
        at = after.end()
        if family in HEADERS:
            return self._header(start, end, at, family, sep)
        if sep == "=" and before and before in "?&;#":
            return self._reader.query(at, family)
        return self._labelled(start, end, at, family, close, sep) if family != "query" else _NONE

    def _header(
        self, start: int, end: int, at: int, family: str, sep: str | None
    ) -> Sequence[Span]:
        if start < self._header_end:  # inside a header that was read to its end
            return _NONE
        self._header_end = header_end(self._text, end)
        read = authorization if family == "authorization" else cookies
        return tuple(read(self._text, at, self._book, sep))

    def _labelled(
        self, start: int, end: int, at: int, family: str, close: str, sep: str | None
    ) -> Sequence[Span]:
        """Read the value behind a label that is no header and no query parameter."""
        if sep and sep not in {"(", ","}:
            if family == "creds":
                return self._reader.user_and_secret(at)
            if self._text[at : at + 1] in _MAY_MEAN:
                return self._assigned(start, at, family, sep)
            return self._reader.unquoted(start, at, family, sep)
        pair = self._pair(start, end, close) if sep != "(" else -1
        if pair >= 0:
            attribute = close.endswith(">") and _has_quote(close)
            return self._reader.value(pair, seen_as(family, "call" if attribute else "pair"))
        if sep:
            if sep == "(" or _has_quote(close):
                return self._reader.quoted(at, seen_as(family, "call"))
            return _NONE
        return self._unmarked(start, end, at, family)

    def _pair(self, start: int, end: int, close: str) -> int:
        """Return where the value of a name/value pair begins, -1 for no such pair."""
        text = self._text
        before = text[start - 1] if start else ""
        if close.startswith(">") and before in {"<", ":"}:
            return end + 1 if text.find("</", end, end + 512) >= 0 else -1
        if close.endswith(">") and _has_quote(close) and "<" in text[max(0, start - 200) : start]:
            return end + len(close)
        if text.startswith("</", end):
            found = _XML_NEXT.match(text, end)
            return found.end() if found else -1
        found = _PAIR.match(text, end)
        return found.end() if found else -1

    def _assigned(self, start: int, at: int, family: str, sep: str) -> Sequence[Span]:
        text, reader = self._text, self._reader
        if text[at : at + 1] in _MAY_TYPE and (typed := _TYPE.match(text, at)):
            at = typed.end()
        first = text[at : at + 1]
        if first in "\"'`\\$" and (quote := reader.opening(at)):
            return reader.inside(quote, seen_as(family, "quoted"))
        if first in "|>" and (block := _BLOCK.match(text, at)):
            return reader.block(block.end(), family)
        if first in "\\\r\n" and (newline := _NEWLINE.match(text, at)):
            return reader.value(newline.end(), seen_as(family, "next line"))
        if first == "[" and text[at + 1 : at + 2] != "R":
            return reader.items(at + 1, family)
        return reader.unquoted(start, at, family, sep)

    def _unmarked(self, start: int, end: int, at: int, family: str) -> Sequence[Span]:
        """Read what follows a label without a separator: flags, directives, prose."""
        text, reader = self._text, self._reader
        first = text[at : at + 1]
        if first in _MAY_TYPE and (typed := _TYPE.match(text, at)):
            return reader.quoted(typed.end(), seen_as(family, "quoted"))
        if at > end and start > 0 and text[start - 1] == "-":
            return reader.value(at, seen_as(family, "flag")) if first != "-" else _NONE
        if at > end and (quote := reader.opening(at)):
            spans = reader.inside(quote, seen_as(family, "call"))
            return spans or reader.prose.read(at, family)
        if family == "creds":
            return reader.slashed(end)
        if at > end and text[at - 1].isspace() and not _PASS_ON.match(text, start):
            return reader.prose.read(at, family)
        return _NONE


def _has_quote(close: str) -> bool:
    return any(quote in close for quote in "\"'`")
