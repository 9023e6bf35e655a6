"""Views of a text in which disguises are gone, each with a way back.

A finder reads a view; what it finds is mapped to the text that the view was
made of.  Every step is linear in the length of the text.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from .lazy import lazy
from .values import Span

__all__ = ["View", "folded", "plain", "undisguised"]

# Letters of other scripts that look like a Latin one (Unicode confusables.txt, the
# ones in everyday fonts).  They are folded only in words that also hold ASCII
# letters, or that consist of look-alikes alone.
_CYRILLIC = "аеорсухіјѕԁһԛԝАВЕКМНОРСТУХІЈЅ"
_CYRILLIC_AS = "aeopcyxijsdhqwABEKMHOPCTYXIJS"
_GREEK = "οαινρυΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"
_GREEK_AS = "oaivpuABEZHIKMNOPTYX"
_LOOKALIKES = dict(zip(_CYRILLIC + _GREEK, _CYRILLIC_AS + _GREEK_AS, strict=True))
_PLAIN_LETTERS = str.maketrans({**_LOOKALIKES})
_LATIN_BY_LOOKS = frozenset({*_LOOKALIKES, *map(chr, range(128))})
_WORD = lazy(
    r"(?<![A-Za-z0-9_\u0370-\u052f])[A-Za-z0-9_]*[\u0370-\u052f][A-Za-z0-9_\u0370-\u052f]*"
)
_OTHER = lazy(r"[\u0370-\u052f]")
# Small capitals and letters with a stroke have no decomposition.
_STYLED = dict(
    zip("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢıɑɡøđłħƀ", "abcdefghijklmnoprstuvwyziagodlhb", strict=True)
)
_ASCII_LETTER = lazy("[A-Za-z]")

_NON_ASCII = lazy(r"[^\x00-\x7f]+")
_ESCAPES = lazy(
    r"(?=[%&\\])(?:%[0-9A-Fa-f]{2}|&#[0-9]{2,4};|&#[xX][0-9A-Fa-f]{2,4};"
    r"|&(?:amp|quot|apos|lt|gt|equals|colon);"
    r"|\\u00[2-7][0-9A-Fa-f]|\\x[2-7][0-9A-Fa-f]|\\{1,8}[nrt\"'])"
)
_STRING_ESCAPES = {"n": "\n", "r": "\n", "t": " "}
_BLANK = lazy(r"\s")
_BEFORE = 512
_BEHIND = 1024
"""Characters before and behind a change that its view shows."""
_ENTITIES = {"&equals;": "=", "&colon;": ":"}
# "abc" + "def", 'abc' . 'def', "abc""def", "abc" \<newline> "def", abc\<newline>def
_JOINTS = lazy(
    r"""(?=["'\\])(?:(?<=[^\s=(,:\[{"'])(["'])[ \t]{0,8}(?:(?:[+.&~]|\|\||<>|\.\.)[ \t]{0,8}"""
    r"""|\\\r?\n[ \t]{0,80}|\r?\n[ \t]{0,80}(?=["']))?\1"""
    r"""|\\\r?\n[ \t]{0,80}|["']\}(?=[A-Za-z0-9]))"""
)
# p a s s w o r d, p.a.s.s.w.o.r.d
_SPACED = lazy(r"(?<![A-Za-z0-9])(?:[A-Za-z][ ._-]){5,40}[A-Za-z](?![A-Za-z0-9])")
# ''.join(["abc", "def"]), ["abc", "def"].join("")
_JOINED = lazy(r"""(["'])\1\.join\(|\.join\((["'])\2\)""")
_COMMAS = lazy(r"""(?<=[A-Za-z0-9_-])(["']),[ \t\n]{0,8}\1(?=[A-Za-z0-9_-])""")
_MAY_BE_SPACED = lazy(r"[ ._-][A-Za-z][ ._-][A-Za-z][ ._-][A-Za-z][ ._-]")
_GAP = lazy(r"[ ._-]")


class View:
    """A text made of another one, with the position of each character there.

    Attributes:
        text: what finders read.
    """

    __slots__ = ("_base", "_here", "_there", "text")

    def __init__(
        self, text: str, pieces: Sequence[tuple[int, int]] = (), base: View | None = None
    ) -> None:
        self.text = text
        self._here: tuple[int, ...]
        self._there: tuple[int, ...]
        self._here, self._there = zip(*pieces, strict=True) if pieces else ((), ())
        self._base = base

    @property
    def changes(self) -> Sequence[int]:
        """Where the text differs from the one that it was made of, in order."""
        return self._here

    def origin(self, position: int) -> int:
        """Return where the character at ``position`` stands in the original text."""
        if self._here:
            at = bisect_right(self._here, position) - 1
            if at >= 0:
                position = self._there[at] + position - self._here[at]
        return position if self._base is None else self._base.origin(position)

    def restore(self, spans: Iterable[Span]) -> Iterator[Span]:
        """Map spans of this view to spans of the original text."""
        if not self._here and self._base is None:
            yield from spans
            return
        for start, end, kind in spans:
            yield Span(self.origin(start), self.origin(end), kind)


def plain(text: str) -> View:
    """Return the view that shows the text as it is."""
    return View(text)


@lru_cache(maxsize=4096)
def _fold(char: str) -> str:
    """Return the plain form of one character: one character, or none."""
    category = unicodedata.category(char)
    if category in {"Cf", "Mn", "Me"}:
        return ""
    if category == "Zs":
        return " "
    if category in {"Zl", "Zp"}:
        return "\n"
    if "\u2010" <= char <= "\u2015" or char == "\u2212":
        return "-"
    if char in "\u2018\u2019\u201a\u2032":
        return "'"
    if char in "\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d\u300e\u300f":
        return '"'
    if char in _STYLED:
        return _STYLED[char]
    base = unicodedata.normalize("NFKD", char)
    if len(base) > 1:
        base = "".join(c for c in base if not unicodedata.combining(c))
    return base if len(base) == 1 else char


def _near(parts: list[tuple[int, int, str]], text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the parts, and between them gaps that no secret reaches into, as a line break.

    What is far from every change was read in the base view already.  A gap begins and
    ends at a blank, so that it cuts no token in two.
    """
    here = 0
    for start, end, new in parts:
        if start - here > _BEFORE + _BEHIND and (gap := _gap(text, here, start)):
            yield gap
        yield start, end, new
        here = end
    if len(text) - here > _BEHIND and (gap := _gap(text, here, len(text) + _BEFORE)):
        yield gap


def _gap(text: str, here: int, there: int) -> tuple[int, int, str] | None:
    """Return what may be left out between two changes, ``None`` where no blank bounds it."""
    first = _BLANK.search(text, here + _BEHIND if here else 0, there - _BEFORE)
    start = 0 if not here else first.start() if first else -1
    if there > len(text):
        return (start, len(text), "\n") if start >= 0 else None
    end = max(text.rfind(blank, here, there - _BEFORE) for blank in " \n") + 1
    return (start, end, "\n") if 0 <= start < end else None


def _replaced(base: View, parts: Iterable[tuple[int, int, str]]) -> View:
    """Return ``base`` with each ``[start, end)`` replaced by at most one character."""
    text = base.text
    out: list[str] = []
    pieces: list[tuple[int, int]] = [(0, 0)]
    here = there = last = 0
    for start, end, new in parts:
        out.append(text[there:start])
        here += start - there
        if last == here:
            pieces.pop()
        if new:
            pieces.append((here, start))
            out.append(new)
            here += 1
        there, last = end, here
        pieces.append((here, there))
    if there == 0:
        return base
    out.append(text[there:])
    return View("".join(out), pieces, base)


def _unmixed(text: str) -> str:
    """Replace look-alike letters of other scripts; the length stays the same."""
    if not _OTHER.search(text):
        return text

    def swap(found: re.Match[str]) -> str:
        word = found.group()
        alike = _LATIN_BY_LOOKS.issuperset(word) or _ASCII_LETTER.search(word)
        return word.translate(_PLAIN_LETTERS) if alike else word

    return _WORD.sub(swap, text)


def folded(text: str) -> View:
    """Undo Unicode disguises.

    Zero-width, bidi and combining characters go, full-width and styled letters
    become plain, accents are dropped, odd spaces become a space, and look-alike
    letters inside a Latin word become Latin.
    """
    if text.isascii():
        return View(text)
    plain_of = {char: _fold(char) for char in set(text) if char > "\x7f"}
    if all(plain_of.values()):
        return View(_unmixed(text.translate({ord(old): new for old, new in plain_of.items()})))
    gone = "".join(re.escape(char) for char, new in plain_of.items() if not new)
    kept = str.maketrans({char: new for char, new in plain_of.items() if new})
    base = View(text.translate(kept))
    view = _replaced(base, ((m.start(), m.end(), "") for m in re.finditer(f"[{gone}]+", text)))
    view.text = _unmixed(view.text)
    return view


@lru_cache(maxsize=1024)
def _character(escape: str) -> str:
    """Return the printable ASCII character or line break of an escape, empty for any other."""
    new = _unescaped(escape)
    return new if len(new) == 1 and (" " <= new < "\x7f" or new == "\n") else ""


def _unescaped(escape: str) -> str:
    if escape[0] == "%":
        return chr(int(escape[1:], 16))
    if escape[0] == "\\":
        last = escape[-1]
        return (
            _STRING_ESCAPES.get(last, last) if escape[1] not in "ux" else chr(int(escape[2:], 16))
        )
    return _ENTITIES.get(escape) or html.unescape(escape)


def undisguised(base: View) -> View | None:
    """Undo escapes and close joints; ``None``: there is nothing of the kind.

    Percent, HTML and backslash escapes of ASCII characters become what they stand
    for, the pieces of a split string become one, and ``p a s s w o r d`` a word.
    """
    text = base.text
    parts: list[tuple[int, int, str]] = []
    if "%" in text or "&" in text or "\\" in text:
        parts = [(*m.span(), new) for m in _ESCAPES.finditer(text) if (new := _character(m[0]))]
    escapes = len(parts)
    if '"' in text or "'" in text or "\\" in text:
        parts += [(m.start(), m.end(), "") for m in _JOINTS.finditer(text)]
    if "join(" in text and _JOINED.search(text):
        parts += [(m.start(), m.end(), "") for m in _COMMAS.finditer(text)]
    if _MAY_BE_SPACED.search(text):
        for word in _SPACED.finditer(text):
            parts += [(m.start(), m.end(), "") for m in _GAP.finditer(text, *word.span())]
    if not parts:
        return None
    if len(parts) > escapes > 0:
        parts = _apart(sorted(parts))
    return _replaced(base, _near(parts, text))


def _apart(parts: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Drop parts that begin inside an earlier one."""
    out: list[tuple[int, int, str]] = []
    for part in parts:
        if not out or part[0] >= out[-1][1]:
            out.append(part)
    return out
