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

from .tokens import Token, tokenise

__all__ = ["MAX_TOKENS", "beginnings", "concept_keys", "glued", "head", "keys", "unit"]

MAX_TOKENS = 600
"""Tokens read per message; what is longer was cut to its instructions before."""

_CONCEPTS = 10
"""Concepts of one message that are paired."""
_UNSPACED = frozenset(("cjk", "sea"))
_PLAIN = _UNSPACED | {"word"}


def unit(kind: str, text: str) -> str:
    """Name of a token in a key: the folded word, or the class of the object.

    Empty for a full stop or comma, which parts its neighbours and is no key.
    """
    if kind in _PLAIN:
        return text
    if kind == "file":
        return f"<file:{text.rsplit('.', 1)[-1]}>"
    return "" if kind == "stop" else f"<{kind}>"


def beginnings(word: str) -> tuple[str, ...]:
    """Keys of the first three to six letters of a longer word.

    Written out, because every new word of a message has them.
    """
    size = len(word)
    if size > 6:
        return word[:3] + "*", word[:4] + "*", word[:5] + "*", word[:6] + "*"
    if size == 6:
        return word[:3] + "*", word[:4] + "*", word[:5] + "*"
    if size == 5:
        return word[:3] + "*", word[:4] + "*"
    return (word[:3] + "*",) if size == 4 else ()


def glued(token: Token, before: Token) -> bool:
    """Whether a character of a script without spaces follows another one directly."""
    return token.kind in _UNSPACED and token.kind == before.kind and token.start == before.end


def head(key: str) -> str:
    """The first unit of a key of neighbours; the whole key where there is one unit only."""
    if tokenise(key[0])[:1] and tokenise(key[0])[0].kind in _UNSPACED:
        return key[0]
    return key.partition(" ")[0]


def concept_keys(marks: Sequence[tuple[str, ...]]) -> list[str]:
    """The concepts of a message, and pairs of them."""
    met = sorted(set[str]().union(*marks[:MAX_TOKENS]))
    if len(met) < 2:  # most messages
        return met
    return [*met, *[a + b for a, b in combinations(met[:_CONCEPTS], 2)]]


def keys(tokens: Sequence[Token], marks: Sequence[tuple[str, ...]]) -> list[str]:
    """Distinct keys of a message, in order of first appearance; empty for no tokens.

    Args:
        tokens: of the instruction.
        marks: concepts of each token, see :mod:`.concepts`.
    """
    found: list[str] = []
    add = found.append
    one = two = three = ""  # the last units, joined as far as they are neighbours
    last: Token | None = None
    for token in tokens[:MAX_TOKENS]:
        name = unit(token.kind, token.text)
        if not name:
            one = two = three = ""
            continue
        add(name)
        if token.kind == "word":
            found += beginnings(name)
        joined = last is not None and glued(token, last)
        gap = "" if joined else " "
        if three and joined and token.kind == "sea":
            add(three + name)
        if two:
            three = two + gap + name
            add(three)
        if one:
            two = one + gap + name
            add(two)
        one = name
        if last is None:
            add("^" + name)
        last = token
    return list(dict.fromkeys([*found, *concept_keys(marks)]))
