"""Find values that a label announces: ``DB_PASSWORD=…``, ``"apiKey": …``, ``--token …``.

One pass over the identifiers of the text.  All look-ahead is bounded, so the
work grows with the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .accept import Seen, accepts
from .headers import authorization, bearer, cookies, header_end
from .judge import MARKER, strongly_random
from .lazy import lazy
from .names import MAX_IDENTIFIER, family_of, kind_of
from .prose import in_prose, word_list
from .table import LabelBook, PatternTable
from .values import Span

__all__ = ["find_labels", "label_of"]

_IDENTIFIER = lazy(r"\w[\w.\-]*")
_AFTER = lazy(
    r"""(?:\[["']?\w{0,20}["']?\](?=[ \t]{0,4}[:=]))?"""  # password[0]=
    r"""(?P<close>(?:\\{0,8}["'`]|[\])>}*]){0,3})[ \t]{0,16}"""
    r"""(?P<sep>:=|=>|->|<<<|={1,3}|!=|~=|\?=|\+=|::?|\||,|\()?[ \t]{0,16}"""
)
# What every way to give a secret away has in it, behind the label.
_ANYTHING = lazy(r"""[0-9:=|"'`>!#$%^&*+~@?]|[a-z][A-Z]""")
_REACH = 100
_TYPE = lazy(
    r"(?=[OobsS&tcsa])(?:Optional\[)?(?:builtins\.)?"
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
_CLOSING_TAG = lazy(r"</\w{1,32}>(?=[ \t]{0,8}[:=])")
_XML_NEXT = lazy(r"</\w{1,32}>\s{0,40}<\w{1,32}>")
_QUOTE = lazy(r"""\$?(?:[rRbBfFuUlL]|@)?(\\{0,8}(?:\"\"\"|'''|["'`]))""")
_BLOCK = lazy(r"[|>][-+]?[ \t]{0,8}\r?\n[ \t]{1,40}")
_NEWLINE = lazy(r"(?:\\)?\r?\n[ \t]{0,40}")
_BARE = lazy(r"""(?:[^\s"'`<>(){}\[\],;|&\\]|\\(?![nrt"']))+""")
_LINE = lazy(r"""(?:[^\s"'`\\]|\\(?![nrt"']))+""")
_QUERY = lazy(r"""[^\s"'`<>&#;,)\]}|\\]+""")
_LIST_ITEM = lazy(r"""[\s,]{0,40}(?:- )?\\{0,8}["']([^"'\n]{1,400}?)\\{0,8}["']""")
_LINE_START = lazy(
    r"[ \t>+\-*#]{0,40}"
    r"(?:export[ \t]|ENV[ \t]|ARG[ \t]|declare[ \t](?:-x[ \t])?|\$env:|setx?[ \t])?[\"']?$"
)
_USER_AND_SECRET = lazy(
    r"""["']?[^\s/:|"']{1,64}(?:[ \t]{1,4}[/|:][ \t]{1,4}|[/|:])([^\s"',;]{4,200})"""
)
_SLASHED = lazy(r"[\w.@+-]{1,40} ?/ ?([^\s\"',;]{6,200})")
# A secret in an expression: field(default="…"), None or "…".
_INSIDE = lazy(r"""[\w.]{1,30}(?:[( ][^"'\n]{0,40})["']([^"'\n]{12,200})["']""")
_REST = lazy(r"([^\s\"'][^\n\"']{3,200}?)[ \t]{0,8}\r?(?:\n|$)")
_PASS_ON = lazy(r"[Pp]ass (?:it|the|an?|to|this|that|in|on|through|by|as|your|over|along|any|all) ")
_LINE_SEPARATORS = frozenset({"=", ":", ":=", "?=", "+="})
_BARE_NOUNS = frozenset({"key", "keys", "token", "tokens", "secret", "sid"})
_MAX_VALUE = 8192
"""Characters of a quoted value."""
_JUDGED = 512
"""Characters of a value that decide; an unquoted one goes to its end if they do."""


def find_labels(text: str, table: PatternTable) -> Iterator[Span]:
    """Yield the values that labels announce; spans may overlap."""
    families: dict[str, str] = {}
    book = table.labels
    done = header = 0
    for found in _IDENTIFIER.finditer(text):
        start, end = found.span()
        # A label inside a secret that goes anyway announces nothing more.
        if start < done or not 1 < end - start <= MAX_IDENTIFIER:
            continue
        name = found.group()
        if end - start < 4 and name.lower() not in book.heads:
            continue
        family = families.get(name)
        if family is None:
            families[name] = family = label_of(name, book)
        if family and not _is_other_thing(text, start, end, book):
            while text[end - 1] in ".-":
                end -= 1
            if family in {"authorization", "cookie"}:
                if start < header:  # inside a header that was read to its end
                    continue
                header = header_end(text, end)
            for span in _read(text, start, end, family, book):
                done = max(done, span.end)
                yield span


def _is_other_thing(text: str, start: int, end: int, book: LabelBook) -> bool:
    """Whether it is part of a marker or a URL, or the word before makes it another thing."""
    if text.endswith(("[REDACTED:", "://"), 0, start):
        return True
    if text[start:end].lower() not in _BARE_NOUNS or start == 0 or text[start - 1] != " ":
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
    if low in {"bearer", "basic"}:
        return "scheme"
    return family_of(bare, book)


def _read(text: str, start: int, end: int, family: str, book: LabelBook) -> Iterator[Span]:
    if family == "scheme":
        yield from bearer(text, start, end)
        return
    if (start == 0 or text[start - 1] != "-") and not _ANYTHING.search(text, end, end + _REACH):
        return
    if text.startswith("</", end) and (tag := _CLOSING_TAG.match(text, end)):
        end = tag.end()
    after = _AFTER.match(text, end)
    if after is None:  # cannot be: every part is optional
        return
    sep, at = after["sep"], after.end()
    if family == "authorization":
        yield from authorization(text, at, book, sep)
    elif family == "cookie":
        yield from cookies(text, at, book, sep)
    elif sep == "=" and start > 0 and text[start - 1] in "?&;#":
        yield from _take(_QUERY, text, at, Seen(family, "query"), book)
    elif family != "query":
        yield from _labelled(text, start, end, after, family, book)


def _labelled(
    text: str, start: int, end: int, after: re.Match[str], family: str, book: LabelBook
) -> Iterator[Span]:
    """Read the value behind a label that is no header and no query parameter."""
    sep, at = after["sep"], after.end()
    pair = _pair(text, start, end, after["close"]) if sep is None or sep == "," else -1
    if sep and sep not in {"(", ","} and family == "creds":
        yield from _user_and_secret(text, at, book)
    elif pair >= 0:
        attribute = after["close"].endswith(">") and _has_quote(after["close"])
        yield from _value(text, pair, Seen(family, "call" if attribute else "pair"), book)
    elif sep in {"(", ","}:
        if sep == "(" or _has_quote(after["close"]):
            yield from _quoted(text, at, Seen(family, "call"), book)
    elif sep:
        yield from _assigned(text, start, at, family, sep, book)
    else:
        yield from _unmarked(text, start, end, at, family, book)


def _has_quote(close: str) -> bool:
    return any(quote in close for quote in "\"'`")


def _pair(text: str, start: int, end: int, close: str) -> int:
    """Return where the value of a name/value pair begins, -1 for no such pair."""
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


def _assigned(
    text: str, start: int, at: int, family: str, sep: str, book: LabelBook
) -> Iterator[Span]:
    typed = _TYPE.match(text, at)
    if typed:
        at = typed.end()
    first = text[at : at + 1]
    if first in "|>" and (block := _BLOCK.match(text, at)):
        yield from _take(_LINE, text, block.end(), Seen(family, "block"), book)
        return
    if first in "\\\r\n" and (newline := _NEWLINE.match(text, at)):
        yield from _value(text, newline.end(), Seen(family, "next line"), book)
        return
    if text.startswith("[", at) and text[at + 1 : at + 2] != "R":
        yield from _items(text, at + 1, family, book)
        return
    if first in "\"'`\\$" and _QUOTE.match(text, at):
        yield from _quoted(text, at, Seen(family, "quoted"), book)
        return
    yield from _unquoted(text, start, at, family, sep, book)


def _unquoted(
    text: str, start: int, at: int, family: str, sep: str, book: LabelBook
) -> Iterator[Span]:
    """Read a value without quotes: to the end of its line, or to the next sign of code."""
    whole = sep in _LINE_SEPARATORS and _begins_line(text, start)
    if family == "phrase":
        yield from word_list(text, at)
        rest = _REST.match(text, at) if whole else None
        if rest and accepts(rest[1], Seen(family, "line"), book):
            yield Span(*rest.span(1), kind_of(family))
    flag = start > 0 and text[start - 1] == "-"
    mode = "flag" if flag else "line" if whole else "inline"
    found = list(_value(text, at, Seen(family, mode, sep), book))
    if found:
        yield from found
    elif (inside := _INSIDE.match(text, at)) and strongly_random(inside[1]):
        yield Span(*inside.span(1), kind_of(family))
    elif sep == ":":
        yield from in_prose(text, at, family, book, linked=True)


def _begins_line(text: str, start: int) -> bool:
    """Whether only indentation, a list mark or ``export`` stands before the label."""
    line = text.rfind("\n", max(0, start - 60), start) + 1
    if line == start:
        return True
    return _LINE_START.match(text, line, start) is not None if line or start < 60 else False


def _items(text: str, at: int, family: str, book: LabelBook) -> Iterator[Span]:
    """Read the quoted items of a list, up to 64."""
    for _ in range(64):
        item = _LIST_ITEM.match(text, at)
        if item is None:
            return
        if accepts(item[1], Seen(family, "quoted"), book):
            yield Span(item.start(1), item.end(1), kind_of(family))
        at = item.end()


def _value(text: str, at: int, seen: Seen, book: LabelBook) -> Iterator[Span]:
    if marked := MARKER.match(text, at):
        # What follows a marker at once may be the rest of a secret.
        if text[marked.end() : marked.end() + 1].isalnum():
            yield from _take(_BARE, text, marked.end(), seen, book)
        return
    quote = _QUOTE.match(text, at)
    if quote:
        yield from _quoted(text, at, seen, book)
        return
    # A password may hold any sign; tokens and keys do not.
    if seen.mode == "line" and seen.family in {"password", "phrase"}:
        found = _LINE.match(text, at, at + _JUDGED)
        if found is None:
            return
        rest = text[found.end() : found.end() + 1]
        if rest in {"", "\n", "\r"} or seen.sep == "=" or len(found.group()) == _JUDGED:
            value = _end_of_line_value(found.group())
            if accepts(value, seen, book):
                end = at + len(value)
                if len(value) == _JUDGED and (more := _LINE.match(text, at)):
                    end = at + len(_end_of_line_value(more.group()))
                yield Span(at, end, kind_of(seen.family))
            return
        seen = Seen(seen.family, "inline", seen.sep)
    yield from _take(_BARE, text, at, seen, book)


def _end_of_line_value(run: str) -> str:
    """Cut what a shell, a list or a query string puts behind an unquoted value."""
    for cut in ("&&", "||"):
        run = run.split(cut, 1)[0]
    run = re.split(r"&(?=[A-Za-z_][\w.-]{0,40}=)", run, maxsplit=1)[0]
    return run.rstrip(";,")


def _take(
    pattern: re.Pattern[str], text: str, at: int, seen: Seen, book: LabelBook
) -> Iterator[Span]:
    found = pattern.match(text, at, at + _JUDGED)
    if found is None:
        return
    value = found.group().rstrip(".,:;!?")
    following = text[found.end() : found.end() + 1]
    if (
        following
        and following in "([{<"
        and seen.mode in {"inline", "line"}
        and seen.sep != "query"
    ):
        return  # a call, an index or a generic: code, not a value
    if accepts(value, seen, book):
        end = at + len(value)
        if len(value) == _JUDGED and (more := pattern.match(text, at)):
            end = more.end()
        yield Span(at, end, kind_of(seen.family))


def _quoted(text: str, at: int, seen: Seen, book: LabelBook) -> Iterator[Span]:
    """Read a quoted value; an unclosed one ends with its line."""
    quote = _QUOTE.match(text, at)
    if quote is None:
        return
    begin = quote.end()
    end = _closing(text, begin, quote[1])
    value = text[begin : min(end, begin + _JUDGED)]
    mode = seen.mode if seen.mode == "call" else "quoted"
    if accepts(value, Seen(seen.family, mode, seen.sep), book):
        yield Span(begin, end, kind_of(seen.family))


def _closing(text: str, begin: int, quote: str) -> int:
    """Return where the quoted text that begins at ``begin`` ends."""
    limit = min(len(text), begin + _MAX_VALUE)
    line = text.find("\n", begin, limit)
    if line >= 0 and len(quote.lstrip("\\")) < 3:
        limit = line
    at = text.find(quote, begin, limit)
    while at > begin and quote[0] != "\\" and text[at - 1] == "\\":
        at = text.find(quote, at + 1, limit)
    return at if at >= 0 else limit


def _user_and_secret(text: str, at: int, book: LabelBook) -> Iterator[Span]:
    """Read ``user / secret`` or ``user:secret`` after a label such as ``creds:``."""
    found = _USER_AND_SECRET.match(text, at)
    if found and accepts(found[1], Seen("password", "prose"), book):
        yield Span(found.start(1), found.end(1), "password")
    else:
        yield from _value(text, at, Seen("token", "inline", ":"), book)


def _unmarked(
    text: str, start: int, end: int, at: int, family: str, book: LabelBook
) -> Iterator[Span]:
    """Read what follows a label without a separator: flags, directives, prose."""
    typed = _TYPE.match(text, at)
    if typed and typed.end() > at:
        yield from _quoted(text, typed.end(), Seen(family, "quoted"), book)
    elif start > 0 and text[start - 1] == "-" and at > end:
        if text[at : at + 1] != "-":
            yield from _value(text, at, Seen(family, "flag"), book)
    elif at > end and _QUOTE.match(text, at):
        spans = list(_quoted(text, at, Seen(family, "call"), book))
        yield from spans or in_prose(text, at, family, book)
    elif family == "creds":
        found = _SLASHED.search(text, end, min(len(text), end + 60))
        if found and accepts(found[1], Seen("password", "prose"), book):
            yield Span(*found.span(1), "password")
    elif at > end and text[at - 1].isspace() and not _PASS_ON.match(text, start):
        yield from in_prose(text, at, family, book)
