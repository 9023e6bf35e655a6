"""Tell a follow-up from a request that stands alone; recognise greetings.

A follow-up cannot be understood without the earlier turn: "yes", "2", "fix
it", "and the tests?", "still fails".  The whole message must be made of known
phrases of one language (English ones mix with any), so that a request that
merely opens with "OK, …" is never one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from .followup_table import ANY, BIT, UNITS, FollowupTable, Meaning
from .phrases import is_free_word, phrase_tokens

__all__ = [
    "Followup",
    "FollowupKind",
    "converse",
    "is_greeting",
    "recognise",
]

MAX_CHARS = 160
"""Longest text that can be a follow-up or a greeting; longer ones are not read."""
MAX_TOKENS = 40
_CODE = re.compile(r"[~`$\\<>{}|@/]")
"""Signs of paths, code and addresses: a message that holds one stands alone."""

_CONTENT = re.compile(r'[/\\_`:={}<>$@"«»“”„「」\n]')
"""Signs of content of its own: beside them no unknown word is allowed."""

_SLOT = 1 << len(UNITS)
"""Free words took part: after ``and_the`` or a pronoun, or before ``too``."""


class FollowupKind(StrEnum):
    """What a message wants from the earlier turn."""

    NONE = "none"
    CONFIRM = "confirm"
    DECLINE = "decline"
    CONTINUE = "continue"
    RETRY = "retry"
    UNDO = "undo"
    SELECT = "select"
    REFER = "refer"
    EXTEND = "extend"
    REFINE = "refine"
    ASK = "ask"
    CORRECT = "correct"


@dataclass(frozen=True, slots=True, kw_only=True)
class Followup:
    """What the recogniser saw.

    Attributes:
        kind: the most telling kind in the message; ``none`` if it stands alone.
        is_follow_up: whether it needs the earlier turn.
        span: characters ``[start, end)`` of the text that this rests on;
            empty (0, 0) for ``none``.
    """

    kind: FollowupKind
    is_follow_up: bool
    span: tuple[int, int]


_NOT_ONE = Followup(kind=FollowupKind.NONE, is_follow_up=False, span=(0, 0))

# The most telling unit first: "yes, undo that and go on" is an undo.
_KINDS: tuple[tuple[int, FollowupKind], ...] = (
    (BIT["undo"], FollowupKind.UNDO),
    (BIT["retry"], FollowupKind.RETRY),
    (BIT["broken"], FollowupKind.CORRECT),
    (BIT["refer"] | BIT["clitic"] | BIT["verb"] | BIT["bare"], FollowupKind.REFER),
    (BIT["and_the"] | _SLOT, FollowupKind.EXTEND),
    (BIT["more"], FollowupKind.REFINE),
    (BIT["ask"], FollowupKind.ASK),
    (BIT["pick"] | BIT["it"] | BIT["this"], FollowupKind.SELECT),
    (BIT["go"], FollowupKind.CONTINUE),
    (BIT["refuse"], FollowupKind.DECLINE),
    (BIT["agree"], FollowupKind.CONFIRM),
)
_WEIGHTY = 0
for _bits, _ in _KINDS:
    _WEIGHTY |= _bits
_OBJECTS = sum(BIT[unit] for unit in ("it", "this", "pick", "refer", "clitic", "retry", "more"))
_SOCIAL = BIT["hello"] | BIT["how"] | BIT["thanks"] | BIT["bye"]
_LIGHT = BIT["glue"] | BIT["address"]
_OPENING = _SOCIAL | _LIGHT | BIT["agree"] | BIT["refuse"]
"""What may stand before a part with free words."""


def recognise(text: str, table: FollowupTable) -> Followup:
    """Say whether a message is a follow-up, and of which kind.  Never raises.

    Args:
        text: the user's words, host frames already peeled.
        table: compiled phrases.
    """
    return _follow_up(_covers(text, table), text)


def converse(text: str, table: FollowupTable) -> tuple[bool, Followup]:
    """Both questions at once, for half the price: is it a greeting, is it a follow-up.

    The same answers as ``is_greeting`` and ``recognise``.  Never raises.
    """
    covers = _covers(text, table)
    if not covers:  # most messages
        return False, _NOT_ONE
    return _greets(covers, plain=True), _follow_up(covers, text)


def _follow_up(covers: list[int], text: str) -> Followup:
    if BIT["never"] in covers or _greets(covers, plain=False):
        return _NOT_ONE
    for units in covers:
        if not units & _WEIGHTY:
            continue
        # A verb needs something to act on; a question word makes it a question of its own.
        if units & BIT["verb"] and (not units & _OBJECTS or units & BIT["ask"]):
            continue
        kind = next(kind for bits, kind in _KINDS if units & bits)
        start = len(text) - len(text.lstrip())
        return Followup(kind=kind, is_follow_up=True, span=(start, len(text.rstrip())))
    return _NOT_ONE


def is_greeting(text: str, table: FollowupTable) -> bool:
    """Say whether a message is a greeting, thanks or farewell and nothing else.

    A greeting that goes on to a request is not one.  Never raises.
    """
    return _greets(_covers(text, table), plain=True)


def _greets(covers: list[int], *, plain: bool) -> bool:
    """Whether one of the covers is a greeting.

    Args:
        covers: unit sets.
        plain: thanks alone count too.  They do not where a follow-up is in
            question, because "tak" is thanks in Danish and yes in Polish.
    """
    met = BIT["hello"] | BIT["how"] | BIT["bye"]
    return any(
        not units & (_WEIGHTY & ~BIT["agree"] | _SLOT)
        and (units & met or (plain and units & BIT["thanks"] and not units & BIT["agree"]))
        for units in covers
    )


def _covers(text: str, table: FollowupTable) -> list[int]:
    """Return the unit sets of all ways to cover the text with phrases of one language."""
    if len(text) > MAX_CHARS or _CODE.search(text):
        return []
    tokens = phrase_tokens(text)
    if not tokens or len(tokens) > MAX_TOKENS:
        return []
    if not _may_cover(tokens, _known(tokens, table)):  # most messages
        return []
    reached = _reach(tokens, table)
    found = [units for units, _ in reached.get(len(tokens), ())]
    return found or _with_free_words(text, tokens, reached, table)


def _known(tokens: list[str], table: FollowupTable) -> int:
    """Tokens before the first one that no phrase has, a number aside."""
    opening, inner = table.packed, table.inner
    for at, token in enumerate(tokens):
        if token not in opening and token not in inner and not token.isdecimal():
            return at
    return len(tokens)


def _may_cover(tokens: list[str], known: int) -> bool:
    """Whether phrases and a few free words can cover a message, by its first unknown word.

    Args:
        tokens: of the message.
        known: tokens before that word.
    """
    size = len(tokens)
    if known == size:
        return True
    if not known:  # nothing free opens a message
        return False
    short = size <= _MOST_BEFORE_TOO or (size <= _MOST_BEHIND and size - known <= _FREE_BEHIND)
    return short or _unspaced(tokens)


_Reached = dict[int, set[tuple[int, int]]]
"""Position to what covers the tokens before it: pairs of units and languages."""


def _reach(tokens: list[str], table: FollowupTable) -> _Reached:
    """What covers the beginnings of a message."""
    reached: _Reached = {0: {(0, ANY)}}
    for start, token in enumerate(tokens):
        if start not in reached:
            continue
        for end, meaning in _phrases_at(tokens, start, token, table):
            for units, languages in reached[start]:
                for bit, mask in meaning:
                    if languages & mask:
                        reached.setdefault(end, set()).add((units | bit, languages & mask))
    return reached


def _unspaced(tokens: list[str]) -> bool:
    """Whether every character is a token, so that a noun has several."""
    return all(len(token) == 1 for token in tokens)


def _phrases_at(
    tokens: list[str], start: int, token: str, table: FollowupTable
) -> list[tuple[int, Meaning]]:
    """Ends and meanings of the phrases that begin at a position."""
    found = table.phrases_at(tokens, start)
    if token.isdecimal() and len(token) <= 2:
        found.append((start + 1, ((BIT["pick"], ANY),)))
    return found


_MOST_BEHIND, _FREE_BEHIND = 8, 3
"""Tokens of a message that ends in free words, and how many of those there may be."""
_MOST_BEFORE_TOO = 5
"""Tokens of a message in a spaced language that has free words before "too"."""


def _with_free_words(
    text: str, tokens: list[str], reached: _Reached, table: FollowupTable
) -> list[int]:
    """Allow a few unknown words where an earlier turn is plainly needed.

    After "and the …" or a pronoun that closes a verb ("rename it to config"),
    or in a short noun phrase before "too".  Paths, code and longer texts are
    content of their own, so they never qualify.
    """
    if len(tokens) > 14 or len(reached) == 1 or _CONTENT.search(text):
        return []
    if any("." in word.rstrip(".…") for word in text.split()):
        return []
    # Without its hyphen, a clitic reads like an article: "corrige-le", "corrige le titre".
    joined = BIT["refer"] | (BIT["clitic"] if "-" in text else 0)
    return _after_opener(tokens, reached, joined) or _before_too(tokens, reached, table)


def _after_opener(tokens: list[str], reached: _Reached, joined: int) -> list[int]:
    if len(tokens) > _MOST_BEHIND:
        return []
    for start in range(max(1, len(tokens) - _FREE_BEHIND), len(tokens)):
        if start not in reached or not all(is_free_word(token) for token in tokens[start:]):
            continue
        for units, _ in reached[start]:
            opened = len(tokens) - start <= 2 and units & BIT["and_the"]
            opened = opened and not units & ~(_OPENING | BIT["and_the"])
            acted = units & joined or (units & BIT["verb"] and units & BIT["it"])
            if opened or (acted and not units & BIT["ask"]):
                return [units | _SLOT]
    return []


def _before_too(tokens: list[str], reached: _Reached, table: FollowupTable) -> list[int]:
    spaced = not _unspaced(tokens)
    if spaced and len(tokens) > _MOST_BEFORE_TOO:
        return []
    for tail in range(len(tokens) - 1, max(0, len(tokens) - (3 if spaced else 9)), -1):
        closing = [what for end, what in table.phrases_at(tokens, tail) if end == len(tokens)]
        masks = [mask for meaning in closing for bit, mask in meaning if bit == BIT["too"]]
        if not masks:
            continue
        for start in range(max(0, tail - (2 if spaced else 6)), tail):
            opened = any(
                not units & ~(_OPENING | BIT["det"]) and units & BIT["det"] and languages & masks[0]
                for units, languages in reached.get(start, ())
            )
            if opened and all(is_free_word(token) for token in tokens[start:tail]):
                return [BIT["and_the"] | _SLOT]
    return []
