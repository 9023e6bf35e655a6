"""Make visible what a human would not see: control, ANSI, bidi and zero-width characters."""

from __future__ import annotations

import re
import unicodedata

from .lazy import lazy

__all__ = ["visible"]

# C0 and C1 controls except tab and newline, every format character (bidi, zero-width,
# tags), line separators, odd spaces, variation selectors, fillers, surrogates, private use.
_HIDDEN = lazy(
    "[\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u1680\u17b4\u17b5"
    "\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ud800-\udfff\ue000-\uf8ff\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_NAMES = {"\x1b": "\\e", "\r": "\\r", "\x00": "\\0", "\x07": "\\a", "\x08": "\\b", "\xa0": " "}


def visible(text: str) -> str:
    r"""Return the text with every invisible character written out.

    ``\e`` for escape, ``\r``, ``\u202e`` and so on; tab and newline stay.  Other
    characters, accents included, are left as they are.
    """
    return _HIDDEN.sub(_name, text)


def _name(found: re.Match[str]) -> str:
    char = found.group()
    known = _NAMES.get(char)
    if known is not None:
        return known
    if unicodedata.category(char) == "Zs":
        return " "
    code = ord(char)
    return (
        f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
    )
