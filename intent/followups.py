"""Tell a follow-up from a request that stands alone; recognise greetings.

A follow-up cannot be understood without the earlier turn: "yes", "2", "fix
it", "and the tests?", "still fails".  The whole message must be made of known
phrases of one language (English ones mix with any), so that a request that
merely opens with "OK, …" is never one.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from struct import error as struct_error
from struct import unpack_from

from .phrases import is_free_word, phrase_tokens

__all__ = [
    "MAGIC",
    "UNITS",
    "Followup",
    "FollowupKind",
    "FollowupTable",
    "PhraseError",
    "converse",
    "is_greeting",
    "recognise",
    "table_from_bytes",
]

MAGIC = b"HTRP2\n"
"""First bytes of a compiled table."""
UNITS = (
    "agree",
    "refuse",
    "go",
    "retry",
    "undo",
    "pick",
    "refer",
    "clitic",
    "verb",
    "it",
    "this",
    "bare",
    "more",
    "ask",
    "broken",
    "glue",
    "and_the",
    "too",
    "det",
    "hello",
    "how",
    "thanks",
    "bye",
    "address",
    "never",
)
"""Names of the kinds of unit; the position is the bit in the compiled table."""

MAX_CHARS = 160
"""Longest text that can be a follow-up or a greeting; longer ones are not read."""
MAX_TOKENS = 40
_CODE = re.compile(r"[~`$\\<>{}|@/]")
"""Signs of paths, code and addresses: a message that holds one stands alone."""

_CONTENT = re.compile(r'[/\\_`:={}<>$@"«»“”„「」\n]')
"""Signs of content of its own: beside them no unknown word is allowed."""

_BIT = {name: 1 << index for index, name in enumerate(UNITS)}
_SLOT = 1 << len(UNITS)
"""Free words took part: after ``and_the`` or a pronoun, or before ``too``."""
_ANY = -1
"""Language mask of signs, digits and borrowed English: they mix with every language."""


class PhraseError(ValueError):
    """A phrase file or a compiled table does not validate."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowupTable:
    """Phrases, ready to look up.

    Attributes:
        languages: language tags, in the order of the mask bits.
        phrases: joined tokens → pairs of unit bit and language mask.
        longest: first token → length in tokens of its longest phrase.
    """

    languages: tuple[str, ...]
    phrases: Mapping[str, tuple[tuple[int, int], ...]]
    longest: Mapping[str, int]


_NOT_ONE = Followup(kind=FollowupKind.NONE, is_follow_up=False, span=(0, 0))

# The most telling unit first: "yes, undo that and go on" is an undo.
_KINDS: tuple[tuple[int, FollowupKind], ...] = (
    (_BIT["undo"], FollowupKind.UNDO),
    (_BIT["retry"], FollowupKind.RETRY),
    (_BIT["broken"], FollowupKind.CORRECT),
    (_BIT["refer"] | _BIT["clitic"] | _BIT["verb"] | _BIT["bare"], FollowupKind.REFER),
    (_BIT["and_the"] | _SLOT, FollowupKind.EXTEND),
    (_BIT["more"], FollowupKind.REFINE),
    (_BIT["ask"], FollowupKind.ASK),
    (_BIT["pick"] | _BIT["it"] | _BIT["this"], FollowupKind.SELECT),
    (_BIT["go"], FollowupKind.CONTINUE),
    (_BIT["refuse"], FollowupKind.DECLINE),
    (_BIT["agree"], FollowupKind.CONFIRM),
)
_WEIGHTY = 0
for _bits, _ in _KINDS:
    _WEIGHTY |= _bits
_OBJECTS = sum(_BIT[unit] for unit in ("it", "this", "pick", "refer", "clitic", "retry", "more"))
_BORROWED = sum(
    _BIT[unit] for unit in ("agree", "refuse", "go", "retry", "undo", "hello", "thanks", "bye")
)
"""English words that people put into sentences of any language."""
_SOCIAL = _BIT["hello"] | _BIT["how"] | _BIT["thanks"] | _BIT["bye"]
_LIGHT = _BIT["glue"] | _BIT["address"]
_OPENING = _SOCIAL | _LIGHT | _BIT["agree"] | _BIT["refuse"]
"""What may stand before a part with free words."""


def table_from_bytes(data: bytes) -> FollowupTable:
    """Read a table that :func:`.followup_book.compile_books` wrote.

    Raises:
        PhraseError: the bytes are not such a table.
    """
    if not data.startswith(MAGIC):
        raise PhraseError(f"not a compiled phrase table: expected it to begin with {MAGIC!r}")
    try:
        head, keys, first, numbers = zlib.decompress(data[len(MAGIC) :]).split(b"\n\n", 3)
        tags, *texts = head.decode().split("\n")
        languages = tuple(tags.split(" "))
        masks = [1 << languages.index(tag) if tag in languages else 0 for tag in ("und", "en")]
        pairs = {pair: _entry(pair, *masks) for text in texts for pair in text.split(" ")}
        entries = [tuple([pairs[pair] for pair in text.split(" ")]) for text in texts]
        phrases = keys.decode().split("\n")
        openers = first.decode().split("\n")
        meanings = unpack_from(f"<{len(phrases)}H", numbers)
        lengths = numbers[2 * len(phrases) :]
        return FollowupTable(
            languages=languages,
            phrases=dict(zip(phrases, map(entries.__getitem__, meanings), strict=True)),
            longest=dict(zip(openers, lengths, strict=True)),
        )
    except (zlib.error, struct_error, LookupError, ValueError) as error:
        raise PhraseError(f"the compiled phrase table is damaged: {error!r}") from error


def _entry(pair: str, anywhere: int, borrowed: int) -> tuple[int, int]:
    """Unit bit and language mask of one meaning.

    Args:
        pair: as it stands in the table.
        anywhere: mask of the signs that no language owns.
        borrowed: mask of the language whose words others borrow.
    """
    position, mask = pair.split(":")
    bit, spoken = 1 << int(position), int(mask, 16)
    mixes = spoken & anywhere or (spoken & borrowed and bit & _BORROWED)
    return bit, _ANY if mixes else spoken


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
    if _BIT["never"] in covers or _greets(covers, plain=False):
        return _NOT_ONE
    for units in covers:
        if not units & _WEIGHTY:
            continue
        # A verb needs something to act on; a question word makes it a question of its own.
        if units & _BIT["verb"] and (not units & _OBJECTS or units & _BIT["ask"]):
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
    met = _BIT["hello"] | _BIT["how"] | _BIT["bye"]
    return any(
        not units & (_WEIGHTY & ~_BIT["agree"] | _SLOT)
        and (units & met or (plain and units & _BIT["thanks"] and not units & _BIT["agree"]))
        for units in covers
    )


def _covers(text: str, table: FollowupTable) -> list[int]:
    """Return the unit sets of all ways to cover the text with phrases of one language."""
    if len(text) > MAX_CHARS or _CODE.search(text):
        return []
    tokens = phrase_tokens(text)
    if not tokens or len(tokens) > MAX_TOKENS:
        return []
    if tokens[0] not in table.longest and not tokens[0].isdecimal():
        return []  # most messages: no phrase begins as they do
    # reached[i]: (units, languages) pairs that cover the tokens before i.
    reached: list[set[tuple[int, int]]] = [set() for _ in range(len(tokens) + 1)]
    reached[0].add((0, _ANY))
    for start, token in enumerate(tokens):
        if not reached[start]:
            continue
        for end, entries in _phrases_at(tokens, start, token, table):
            for units, languages in reached[start]:
                for bit, mask in entries:
                    if languages & mask:
                        reached[end].add((units | bit, languages & mask))
    found = [units for units, _ in reached[-1]]
    return found or _with_free_words(text, tokens, reached, table)


def _phrases_at(
    tokens: list[str], start: int, token: str, table: FollowupTable
) -> list[tuple[int, tuple[tuple[int, int], ...]]]:
    found = []
    key = token
    for end in range(start + 1, min(len(tokens), start + table.longest.get(token, 0)) + 1):
        if end > start + 1:
            key = f"{key} {tokens[end - 1]}"
        entries = table.phrases.get(key)
        if entries:
            found.append((end, entries))
    if token.isdecimal() and len(token) <= 2:
        found.append((start + 1, ((_BIT["pick"], _ANY),)))
    return found


def _with_free_words(
    text: str, tokens: list[str], reached: list[set[tuple[int, int]]], table: FollowupTable
) -> list[int]:
    """Allow a few unknown words where an earlier turn is plainly needed.

    After "and the …" or a pronoun that closes a verb ("rename it to config"),
    or in a short noun phrase before "too".  Paths, code and longer texts are
    content of their own, so they never qualify.
    """
    if len(tokens) > 14 or not any(reached[1:]) or _CONTENT.search(text):
        return []
    if any("." in word.rstrip(".…") for word in text.split()):
        return []
    # Without its hyphen, a clitic reads like an article: "corrige-le", "corrige le titre".
    joined = _BIT["refer"] | (_BIT["clitic"] if "-" in text else 0)
    return _after_opener(tokens, reached, joined) or _before_too(tokens, reached, table)


def _after_opener(tokens: list[str], reached: list[set[tuple[int, int]]], joined: int) -> list[int]:
    if len(tokens) > 8:
        return []
    for start in range(max(1, len(tokens) - 3), len(tokens)):
        if not all(is_free_word(token) for token in tokens[start:]):
            continue
        for units, _ in reached[start]:
            opened = len(tokens) - start <= 2 and units & _BIT["and_the"]
            opened = opened and not units & ~(_OPENING | _BIT["and_the"])
            acted = units & joined or (units & _BIT["verb"] and units & _BIT["it"])
            if opened or (acted and not units & _BIT["ask"]):
                return [units | _SLOT]
    return []


def _before_too(
    tokens: list[str], reached: list[set[tuple[int, int]]], table: FollowupTable
) -> list[int]:
    # Where a character is a token, a noun has several.
    spaced = any(len(token) > 1 for token in tokens)
    if spaced and len(tokens) > 5:
        return []
    for tail in range(len(tokens) - 1, max(0, len(tokens) - (3 if spaced else 9)), -1):
        closing = table.phrases.get(" ".join(tokens[tail:]), ())
        masks = [mask for bit, mask in closing if bit == _BIT["too"]]
        if not masks:
            continue
        for start in range(max(0, tail - (2 if spaced else 6)), tail):
            opened = any(
                not units & ~(_OPENING | _BIT["det"])
                and units & _BIT["det"]
                and languages & masks[0]
                for units, languages in reached[start]
            )
            if opened and all(is_free_word(token) for token in tokens[start:tail]):
                return [_BIT["and_the"] | _SLOT]
    return []
