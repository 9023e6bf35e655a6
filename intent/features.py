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

from .tokens import Token

__all__ = ["MAX_TOKENS", "keys", "unit"]

MAX_TOKENS = 600
"""Tokens read per message; what is longer was cut to its instructions before."""

_PREFIXES = (3, 4, 5, 6)
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


def keys(tokens: Sequence[Token], marks: Sequence[tuple[str, ...]]) -> list[str]:
    """Distinct keys of a message, in order of first appearance; empty for no tokens.

    Full stops and commas part neighbours but are no keys.

    Args:
        tokens: of the instruction.
        marks: concepts of each token, see :mod:`.concepts`.
    """
    found: dict[str, None] = {}
    one = two = three = ""  # the last units, joined as far as they are neighbours
    last_kind = ""
    last_end = -1
    first = True
    for token in tokens[:MAX_TOKENS]:
        kind = token.kind
        if kind == "stop":
            one = two = three = ""
            continue
        name = unit(token)
        found[name] = None
        if kind == "word":
            size = len(name)
            for cut in _PREFIXES:
                if size > cut:
                    found[name[:cut] + "*"] = None
        glued = kind == last_kind and kind != "word" and token.start == last_end
        gap = "" if glued and kind in _PLAIN else " "
        if three and kind == "sea" and glued:
            found[three + name] = None
        if two:
            three = two + gap + name
            found[three] = None
        if one:
            two = one + gap + name
            found[two] = None
        one = name
        if first:
            found["^" + name] = None
            first = False
        last_kind = kind
        last_end = token.end
    met = sorted({mark for at in marks[:MAX_TOKENS] if at for mark in at})
    found.update(dict.fromkeys(met))
    few = met[:_CONCEPTS]
    found.update(dict.fromkeys(a + b for i, a in enumerate(few) for b in few[i + 1 :]))
    return list(found)
