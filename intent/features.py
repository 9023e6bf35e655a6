"""Tokens to the keys of the learned lexicon.

The same function feeds the learning script and the running router, so a
weight means the same in both.  A key is a word, a word's beginning
(``remin*``), two or three neighbouring words, up to four neighbouring
characters of a script without spaces, the class of an object (``<url>``,
``<file:py>``), a concept (``@remind``, whatever the language), or two concepts
of one message (``@cancel@remind``).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from .tokens import Token

__all__ = ["MAX_TOKENS", "keys", "unit"]

MAX_TOKENS = 600
"""Tokens read per message; what is longer was cut to its instructions before."""

_CONCEPTS = 10
"""Concepts of one message that are paired."""
_PLAIN = frozenset(("word", "cjk", "sea"))


def unit(token: Token) -> str:
    """Name of one token in a key: the folded word, or the class of the object."""
    if token.kind in _PLAIN:
        return token.text
    if token.kind == "file":
        return f"<file:{token.text.rsplit('.', 1)[-1]}>"
    return f"<{token.kind}>"


def _beginnings(word: str) -> tuple[str, ...]:
    """Beginnings of three to six letters; written out, because every word of a message has them."""
    size = len(word)
    if size > 6:
        return word[:3] + "*", word[:4] + "*", word[:5] + "*", word[:6] + "*"
    if size == 6:
        return word[:3] + "*", word[:4] + "*", word[:5] + "*"
    if size == 5:
        return word[:3] + "*", word[:4] + "*"
    return (word[:3] + "*",) if size == 4 else ()


def keys(tokens: Sequence[Token], marks: Sequence[tuple[str, ...]]) -> list[str]:
    """Distinct keys of a message, in order of first appearance; empty for no tokens.

    Full stops and commas part neighbours but are no keys.

    Args:
        tokens: of the instruction.
        marks: concepts of each token, see :mod:`.concepts`.
    """
    found: list[str] = []
    add = found.append
    one = two = three = ""  # the last units, joined as far as they are neighbours
    last_kind = ""
    last_end = -1
    first = True
    for token in tokens[:MAX_TOKENS]:
        kind, text, start, end = token
        if kind == "stop":
            one = two = three = ""
            continue
        name = text if kind in _PLAIN else unit(token)
        add(name)
        if kind == "word":
            found += _beginnings(name)
        glued = kind == last_kind and kind != "word" and start == last_end
        gap = "" if glued and kind in _PLAIN else " "
        if three and kind == "sea" and glued:
            add(three + name)
        if two:
            three = two + gap + name
            add(three)
        if one:
            two = one + gap + name
            add(two)
        one = name
        if first:
            add("^" + name)
            first = False
        last_kind = kind
        last_end = end
    met = sorted({mark for at in marks[:MAX_TOKENS] if at for mark in at})
    found += met
    found += [a + b for a, b in combinations(met[:_CONCEPTS], 2)]
    return list(dict.fromkeys(found))
