"""Text to tokens whose positions index the original text.

Folding is length-preserving (one character in, one character out), so a
token's span needs no map back; only text that is not NFC takes the slow path
with an offset table.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

__all__ = ["Folded", "Token", "fold", "tokenise"]

_COMBINING = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u09d7"
    "\u0a01-\u0a03\u0a3c-\u0a4d\u0a70\u0a71\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b57"
    "\u0b82\u0bbe-\u0bcd\u0bd7\u0c00-\u0c04\u0c3e-\u0c56\u0c81-\u0c83\u0cbc-\u0cd6"
    "\u0d00-\u0d03\u0d3b-\u0d4d\u0d57\u0d81-\u0d83\u0dca-\u0ddf\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
    "\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u1056-\u1059\u135d-\u135f\u17b4-\u17d3\u200c\u200d"
)
_EXTENSIONS = (
    "py|js|ts|tsx|jsx|rs|go|c|h|cc|cpp|hpp|java|kt|rb|php|sh|bash|zsh|ps1|sql|css|scss|html?|xml|svg"
    "|json|jsonl|ya?ml|toml|ini|cfg|conf|env|lock|log|md|rst|txt|tex|bib|csv|tsv|xlsx?|docx?|pptx?|odt"
    "|pdf|epub|png|jpe?g|gif|webp|heic|bmp|tiff?|mp3|wav|ogg|opus|flac|m4a|mp4|mov|mkv|avi|webm|zip|tar"
    "|gz|tgz|7z|rar|deb|rpm|apk|exe|dmg|iso|db|sqlite3?|parquet|ipynb|ics|eml|vcf|srt|ttf|pem|key|crt"
    "|bak|diff|patch|service|gpx|swift|lua|r|jl|vue|gradle|tf|proto|psd|ai|stl|dat|bin|po"
)
_DOTFILES = "env|bashrc|zshrc|gitignore|profile|vimrc|dockerignore"
_WORD = rf"[^\W\d_{_COMBINING}](?:[^\W\d_]|[{_COMBINING}])*+"
# One space is skipped before a token: searched for one by one, spaces would be a third of the cost.
_PATTERN = re.compile(
    rf"""
    [ ]?+(?:
    (?P<w>[a-z\u00df-\u058f]+(?=[\s,!?]|$))
  | (?P<url>(?:https?|ssh|s?ftp|file|wss?)://[^\s<>"'`]+|www\.[^\s<>"'`]+)
  | (?P<mail>(?<![\w.+-])[\w.+-]{{1,64}}+@[\w-]{{1,63}}(?:\.[\w-]{{1,63}}){{1,8}})
  | (?P<path>(?:~|\.{{1,2}})?/[\w.@%+-][\w./@%+*-]*
      |[a-z]:\\[\w.\\ -]+|~/|(?<![\w.-])\w[\w.-]{{0,80}}+/[\w./-]*[\w/])
  | (?P<file>(?<![\w.-])[\w-]{{1,80}}(?:\.[\w-]{{1,40}}){{0,3}}\.(?:{_EXTENSIONS})(?![\w])
      |(?<![\w.])\.(?:{_DOTFILES})(?![\w]))
  | (?P<time>\d{{1,2}}(?:[:.h]\d{{2}})(?![\d])|\d{{1,2}}\s?(?:am|pm|uhr)\b)
  | (?P<num>\d+(?:[.,]\d+)*%?)
  | (?P<flag>(?<![\w-])--?[a-z][\w-]*)
  | (?P<tag>[\#@][\w-]+)
  | (?P<cjk>[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f])
  | (?P<sea>[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff])
  | (?P<ident>{_WORD}(?:[_\d][\w]*)(?:[-.]\w+)*)
  | (?P<word>{_WORD}(?:['’]{_WORD})?)
  | (?P<ask>[?？؟])
  | (?P<stop>[.!。！।\n;；,，、:])
    )
    """,
    re.VERBOSE,
)

_UNSPACED = "\u0e01"
"""First letter of the scripts without spaces; few others come behind it."""

# A plain word before a space ("w") cannot be anything else: most words end there.
_KINDS = ["", *("word" if name == "w" else name for name in _PATTERN.groupindex)]
"""Kind of the token that each group of the pattern finds, by the number of the group."""


class Token(NamedTuple):
    """One token: kind, folded text, and ``[start, end)`` in the folded text.

    A tuple, because making them is a tenth of a decision's time.
    """

    kind: str
    text: str
    start: int
    end: int


@dataclass(slots=True)
class Folded:
    """Folded text and the way back.

    Attributes:
        text: lower case, accents removed, full-width forms narrowed.
        offsets: for each folded position (and the end) the position in the
            original text; ``None``: they are the same.
    """

    text: str
    offsets: tuple[int, ...] | None = None

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Map a folded span to the original text."""
        if self.offsets is None:
            return start, end
        return self.offsets[start], self.offsets[end]


@cache
def _table() -> dict[int, int]:
    """Characters to their base form, one to one; built once, never changed."""
    table: dict[int, int] = {}
    for low, high in ((0xC0, 0x250), (0x370, 0x530), (0x1E00, 0x2000), (0xFF01, 0xFF5F)):
        for code in range(low, high):
            base = unicodedata.normalize("NFKD", chr(code))
            if all(unicodedata.combining(mark) for mark in base[1:]):
                lower = base[0].lower()
                if len(lower) == 1 and ord(lower) != code:
                    table[code] = ord(lower)
    table.update({ord(a): ord(b) for a, b in zip("ıđøłßæœ’‘", "idolsao''", strict=True)})
    # Arabic script: hamza carriers, teh marbuta, Persian forms of yeh and kaf.
    table.update({ord(a): ord(b) for a, b in zip("أإآٱىةیک", "اااايهيك", strict=True)})
    return table


@cache
def _bases() -> tuple[Callable[[Callable[[re.Match[str]], str], str], str], dict[str, str]]:
    """What replaces the characters that have a base form, and those forms.

    Most characters of most texts have none, so to seek the few takes a third of the time of a
    translation, which asks for each.
    """
    bases = {chr(code): chr(base) for code, base in _table().items()}
    return re.compile(f"[{''.join(bases)}]").sub, bases


def _based(text: str) -> str:
    """The text with the base forms of its characters."""
    replace, bases = _bases()
    return replace(lambda match: bases[match[0]], text)


def _lower(text: str) -> str:
    low = text.lower()
    if len(low) != len(text):  # a few capitals (İ) lower to two characters
        low = "".join(c if len(c.lower()) != 1 else c.lower() for c in text)
    return low


def fold(text: str) -> Folded:
    """Fold case, accents and width without losing positions.  Never raises."""
    if text.isascii():
        return Folded(text.lower())
    if unicodedata.is_normalized("NFC", text):
        return Folded(_based(_lower(text)))
    pieces: list[str] = []
    offsets: list[int] = []
    start = 0
    while start < len(text):
        end = start + 1
        while end < len(text) and end - start < 32 and unicodedata.combining(text[end]):
            end += 1
        piece = unicodedata.normalize("NFC", text[start:end])
        pieces.append(piece)
        offsets.extend([start] * len(piece))
        start = end
    offsets.append(len(text))
    return Folded(_based(_lower("".join(pieces))), tuple(offsets))


def tokenise(text: str, start: int = 0, end: int | None = None) -> list[Token]:
    """Split folded text into tokens, in order; spaces and other marks are dropped."""
    stop = len(text) if end is None else end
    tokens: list[Token] = []
    new = tuple.__new__  # what Token() itself calls, without the detour
    at = past = start  # in the text, and behind the last token
    for chunk in text[start:stop].split(" "):
        low = at
        at += len(chunk)
        # Letters between two spaces cannot be anything but a word: most tokens are that.
        if low >= past and chunk.isalpha() and (chunk.isascii() or max(chunk) < _UNSPACED):
            tokens.append(new(Token, ("word", chunk, low, at)))
        elif at > past:
            for match in _PATTERN.finditer(text, max(low, past), stop):
                group = match.lastindex or 0
                word, past = match[group], match.end()  # every group ends where its match does
                tokens.append(new(Token, (_KINDS[group], word, past - len(word), past)))
                if past >= at:
                    break
            else:
                break
        at += 1
    return tokens
