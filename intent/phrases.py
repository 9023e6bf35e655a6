"""Text to comparable tokens, for whole-message phrase tables.

Two messages that differ in case, accents, width, apostrophes or punctuation
get the same tokens.  Scripts written without spaces (and Hangul, whose spacing
people vary) give one token a character, so that a phrase can be found at any
character there.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["is_free_word", "phrase_tokens"]

# Combining accents of Latin, Greek and Cyrillic, Hebrew points, Arabic harakat and
# tatweel, zero-width characters, emoji variation selectors, keycap and skin tones.
# Indic and Thai marks stay: they are vowels there.
_DROPPED = re.compile(
    "[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u00ad"
    "\u200b-\u200f\u2060\ufe0e\ufe0f\ufeff\u20e3\U0001f3fb-\U0001f3ff'’‘ʼ`´]"
)
_FOLDED = str.maketrans(
    {
        "ı": "i",
        "ø": "o",
        "đ": "d",
        "ł": "l",
        "æ": "ae",
        "أ": "ا",
        "إ": "ا",
        "آ": "ا",
        "ى": "ي",
        "ی": "ي",
        "ک": "ك",
        "ة": "ه",
        "ؤ": "و",
        "ئ": "ي",
        "۰": "0",
        "۱": "1",
        "۲": "2",
        "۳": "3",
        "۴": "4",
        "۵": "5",
        "٠": "0",
        "١": "1",
        "٢": "2",
        "٣": "3",
        "٤": "4",
        "٥": "5",
    }
)
_ODD = re.compile(f"[{''.join(map(chr, _FOLDED))}]")
"""Tells in a tenth of the time of the translation that there is nothing to translate."""
# One character a token: Thai, Lao, Myanmar, Hangul, Khmer, kana, Han.  Their
# vowel marks come as tokens of their own, which matches as well.
_SINGLE = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3041-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
)
# Any other run of letters, marks and digits is a word; an emoji is a token alone.
_EMOJI = "\u2190-\u21ff\u2300-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_TOKEN = re.compile(rf"[{_SINGLE}]|(?:(?![{_SINGLE}])[\w\u0900-\u0dff])+|[{_EMOJI}]")
_ALONE = re.compile(f"[{_SINGLE}]")
_SPACED = re.compile(rf"[\w\u0900-\u0dff]+|[{_EMOJI}]")
"""The same for text that has none of those characters, in a third of the time."""
_ASCII = bytes(
    ord(chr(code).lower()) if chr(code).isalnum() or chr(code) == "_" else ord(" ")
    for code in range(128)
).ljust(256)
"""What bytes of ASCII text become: lower case, and a space for all that is in no word."""
_APOSTROPHES = b"'`"
_LONG_RUN = re.compile(r"([^\W\d_])\1{2,}")
_RUN = re.compile(r"(.)\1\1")
"""Finds those and others in a quarter of the time: most messages have none."""


def phrase_tokens(text: str) -> list[str]:
    """Return the comparable tokens of a text, in order; empty for punctuation only.

    A letter repeated three times or more counts once ("okkkk" is "ok").  Not
    meant for long texts: the cost grows with the length.
    """
    if text.isascii():
        return _plain(text)
    folded = unicodedata.normalize("NFKD", text.casefold())
    folded = unicodedata.normalize("NFC", _DROPPED.sub("", folded))
    if _ODD.search(folded):
        folded = folded.translate(_FOLDED)
    if folded.isascii():  # many messages are, once their accents are dropped
        return _plain(folded)
    folded = _shorten(folded)
    return (_TOKEN if _ALONE.search(folded) else _SPACED).findall(folded)


def _plain(text: str) -> list[str]:
    """Tokens of ASCII text."""
    return _shorten(text.encode().translate(_ASCII, _APOSTROPHES).decode()).split()


def _shorten(text: str) -> str:
    """The text with each letter once that is repeated three times or more."""
    return _LONG_RUN.sub(r"\1", text) if _RUN.search(text) else text


def is_free_word(token: str) -> bool:
    """Say whether a token is a plain word: no digit, no underscore, no emoji."""
    return token.isalpha() or (not token.isascii() and token[0].isalpha() and "_" not in token)
