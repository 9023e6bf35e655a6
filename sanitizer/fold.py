"""Views of a text in which disguises are gone, each with a way back.

A finder reads a view; what it finds is mapped to the text that the view was
made of.  Every step is linear in the length of the text.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from .values import Span

__all__ = ["View", "decoded", "folded", "joined", "plain"]

# Letters of other scripts that look like a Latin one (Unicode confusables.txt, the
# ones in everyday fonts).  They are folded only in words that also hold ASCII
# letters, or that consist of look-alikes alone.
_CYRILLIC = "аеорсухіјѕԁһԛԝАВЕКМНОРСТУХІЈЅ"
_CYRILLIC_AS = "aeopcyxijsdhqwABEKMHOPCTYXIJS"
_GREEK = "οαινρυΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"
_GREEK_AS = "oaivpuABEZHIKMNOPTYX"
_LOOKALIKES = dict(zip(_CYRILLIC + _GREEK, _CYRILLIC_AS + _GREEK_AS, strict=True))
_MIXED = re.compile(
    r"[A-Za-z0-9_\u0370-\u03ff\u0400-\u052f]*[\u0370-\u03ff\u0400-\u052f][A-Za-z0-9_\u0370-\u03ff\u0400-\u052f]*"
)
_ASCII_LETTER = re.compile("[A-Za-z]")

_NON_ASCII = re.compile(r"[^\x00-\x7f]+")
_ESCAPES = re.compile(
    r"%[0-9A-Fa-f]{2}|&#[0-9]{2,4};|&#[xX][0-9A-Fa-f]{2,4};|&(?:amp|quot|apos|lt|gt|equals|colon);"
    r"|\\u00[2-7][0-9A-Fa-f]|\\x[2-7][0-9A-Fa-f]"
)
_ENTITIES = {"&equals;": "=", "&colon;": ":"}
# "abc" + "def", 'abc' . 'def', "abc""def", "abc" \<newline> "def", abc\<newline>def
_JOINTS = re.compile(
    r"""(["'])[ \t]{0,8}(?:[+.&][ \t]{0,8}|\\\r?\n[ \t]{0,80}|\r?\n[ \t]{0,80}(?=["']))?\1"""
    r"""|\\\r?\n[ \t]{0,80}"""
)


class View:
    """A text made of another one, with the position of each character there.

    Attributes:
        text: what finders read.
    """

    __slots__ = ("_base", "_here", "_there", "text")

    def __init__(
        self, text: str, pieces: Iterable[tuple[int, int]] = (), base: View | None = None
    ) -> None:
        self.text = text
        ordered = list(pieces)
        self._here = [here for here, _ in ordered]
        self._there = [there for _, there in ordered]
        self._base = base

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
    base = unicodedata.normalize("NFKD", char)
    if len(base) > 1:
        base = "".join(c for c in base if not unicodedata.combining(c))
    return base if len(base) == 1 else char


def _replaced(base: View, parts: Iterable[tuple[int, int, str]]) -> View:
    """Return ``base`` with each ``[start, end)`` replaced by at most one character."""
    text = base.text
    out: list[str] = []
    pieces: list[tuple[int, int]] = [(0, 0)]
    here = there = 0
    for start, end, new in parts:
        out.append(text[there:start])
        here += start - there
        if pieces[-1][0] == here:
            pieces.pop()
        if new:
            pieces.append((here, start))
            out.append(new)
            here += 1
        there = end
        pieces.append((here, there))
    if there == 0:
        return base
    out.append(text[there:])
    return View("".join(out), pieces, base)


def _unmixed(text: str) -> str:
    """Replace look-alike letters of other scripts; the length stays the same."""

    def swap(found: re.Match[str]) -> str:
        word = found.group()
        other = [c for c in word if c > "\x7f"]
        if _ASCII_LETTER.search(word) or all(c in _LOOKALIKES for c in other):
            return "".join(_LOOKALIKES.get(c, c) for c in word)
        return word

    return _MIXED.sub(swap, text)


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


def _character(escape: str) -> str:
    if escape[0] == "%":
        return chr(int(escape[1:], 16))
    if escape[0] == "\\":
        return chr(int(escape[2:], 16))
    return _ENTITIES.get(escape) or html.unescape(escape)


def decoded(base: View) -> View | None:
    """Undo percent, HTML and backslash escapes of ASCII characters; ``None``: there are none."""
    parts = [
        (m.start(), m.end(), new)
        for m in _ESCAPES.finditer(base.text)
        if len(new := _character(m.group())) == 1 and " " <= new < "\x7f"
    ]
    return _replaced(base, parts) if parts else None


def joined(base: View) -> View | None:
    """Close the joints between pieces of a split string; ``None``: there are none."""
    parts = [(m.start(), m.end(), "") for m in _JOINTS.finditer(base.text)]
    return _replaced(base, parts) if parts else None
