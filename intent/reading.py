"""A message read once: words without frames, instruction without material, language."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .concepts import annotate
from .dictionary import Dictionary
from .entry import Entry
from .features import keys
from .frames import Peeled, peel
from .language import Tongue, identify
from .masks import Masked, mask
from .rulebook import RuleBook
from .tokens import Folded, Token, fold, tokenise

__all__ = ["WINDOW", "Reading", "instruction", "own_words", "read"]

_WORDS = frozenset(("word", "cjk", "sea"))
WINDOW = 8000
"""Characters read of a message; of a longer one, head, tail and request lines."""
_HEAD = 3000
_FOCUS = 450
"""Tokens read of an instruction; of a longer one beginning, end and request lines."""
_REQUEST_LINE = re.compile(
    r"^[ \t>*#-]{0,8}(?:please|pls|can you|could you|would you|i need you to|i want you to"
    r"|your task|task:|todo:|now |then |finally|bitte|kannst du|por favor|puedes"
    r"|s'il (?:te|vous) pla|peux-tu|per favore|puoi|пожалуйста|можешь|请|帮我|お願い|してください"
    r"|해 ?줘|lütfen|proszę|alsjeblieft)[^\n]{0,400}",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(slots=True)  # made by position: names would double what it costs
class Reading:
    """What there is to go on.

    Attributes:
        text: the user's words as written, frames off.
        start: where they stand in the original message.
        folded: the words folded, material still in them.
        tokens: tokens of the instruction; material is one token of its kind.
        entries: what the book says of each token.
        marks: concepts of each token.
        material: what was masked, in order.
        peeled: frames taken off.
        tongue: languages.
        windowed: the words were longer than ``WINDOW`` and only partly read.
    """

    text: str
    start: int
    folded: Folded
    tokens: Sequence[Token]
    entries: Sequence[Entry]
    marks: Sequence[tuple[str, ...]]
    material: Sequence[Masked]
    peeled: Peeled
    tongue: Tongue
    windowed: bool

    @property
    def keys(self) -> list[str]:
        """Lexicon keys of the tokens, whether they have a weight or not."""
        return keys(self.tokens, self.marks)

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Original characters ``[start, end)`` of the tokens ``[first, last)``."""
        start, _ = self.folded.original(self.tokens[first].start, self.tokens[first].end)
        _, end = self.folded.original(self.tokens[last - 1].start, self.tokens[last - 1].end)
        return self.start + start, self.start + end


def _window(text: str) -> tuple[str, list[Masked]]:
    """Blank what is not read, so that positions stay; the text and its gaps."""
    size = len(text)
    keep = [(0, _HEAD), (size - _HEAD, size)]
    room = WINDOW - 2 * _HEAD
    for match in _REQUEST_LINE.finditer(text, _HEAD, size - _HEAD):
        if room <= 0:
            break
        keep.append(match.span())
        room -= match.end() - match.start()
    out: list[str] = []
    gaps: list[Masked] = []
    at = 0
    for start, end in sorted(keep):
        if start > at:
            out.append(" " * (start - at - 1) + "\n")
            gaps.append(Masked("", at, start))
        out.append(text[max(start, at) : end])
        at = max(at, end)
    return "".join(out), gaps


def _voice(text: str, material: Sequence[Masked]) -> bool:
    """Whether the first line is one quotation: a voice transcript, the user's own words."""
    if not material or material[0].kind != "quote" or material[0].start:
        return False
    first = material[0]
    return first.end == len(text) or text[first.end : first.end + 1] == "\n"


def instruction(
    folded: Folded, text: str, gaps: Sequence[Masked] = ()
) -> tuple[list[Token], list[Masked]]:
    """Tokens of the instruction, material replaced by a token of its kind.

    Args:
        folded: the text, folded.
        text: as written, unread stretches blanked.
        gaps: those stretches.
    """
    material = mask(text)
    if not material and not gaps:  # most messages
        return tokenise(folded.text), []
    if _voice(text, material):
        material = material[1:]
    if folded.offsets is not None:
        material = [_refold(span, folded.offsets) for span in material]
    tokens: list[Token] = []
    at = 0
    for span in sorted((*material, *gaps), key=lambda each: each.start):
        if span.start > at:
            tokens.extend(tokenise(folded.text, at, span.start))
        if span.kind:
            tokens.append(Token(span.kind, f"<{span.kind}>", span.start, span.end))
        at = max(at, span.end)
    tokens.extend(tokenise(folded.text, at, len(folded.text)))
    named_only = material and all(span.kind in {"quote", "code"} for span in material)
    if named_only and not any(token.kind in _WORDS for token in tokens):
        # Nothing but a quotation or an inline name: then it is what the user says.
        return tokenise(folded.text), []
    return tokens, material


def _refold(span: Masked, offsets: Sequence[int]) -> Masked:
    """A span of the original text as folded positions (rare: text that is not NFC)."""
    low, high = _at(offsets, span.start), _at(offsets, span.end)
    return Masked(span.kind, low, high)


def _at(offsets: Sequence[int], position: int) -> int:
    low, high = 0, len(offsets) - 1
    while low < high:
        middle = (low + high) // 2
        if offsets[middle] < position:
            low = middle + 1
        else:
            high = middle
    return low


def own_words(text: str, book: RuleBook) -> str:
    """What the user wrote, host frames taken off; for tiers that read the text themselves."""
    peeled = peel(text, book.frames, book.suspects, book.openers)
    return text[peeled.start : peeled.end]


def read(text: str, book: RuleBook) -> Reading:
    """Read one message.  Never raises, linear in the length of the text."""
    peeled = peel(text, book.frames, book.suspects, book.openers)
    words = text[peeled.start : peeled.end]
    windowed = len(words) > WINDOW
    shown, gaps = _window(words) if windowed else (words, [])
    folded = fold(shown)
    tokens, material = instruction(folded, shown, gaps)
    if len(tokens) > _FOCUS:
        tokens = _focus(tokens, folded.text)
        windowed = True
    entries = lookup(tokens, book.entries)
    tongue = identify(entries, book.tongues.covered)
    marks = annotate(tokens, entries, folded.text, tongue.near)
    return Reading(
        words, peeled.start, folded, tokens, entries, marks, material, peeled, tongue, windowed
    )


def lookup(tokens: Sequence[Token], known: Dictionary) -> list[Entry]:
    """What the book says of each token."""
    return [known[token.kind][token.text] for token in tokens]


def _focus(tokens: list[Token], text: str) -> list[Token]:
    """Beginning, end and request lines of a long instruction; the rest dilutes them."""
    lines = [match.span() for match in _REQUEST_LINE.finditer(text)]
    third = _FOCUS // 3
    middle: list[Token] = []
    for token in tokens[third:-third]:
        while lines and lines[0][1] <= token.start:
            lines.pop(0)
        if lines and lines[0][0] <= token.start and len(middle) < third:
            middle.append(token)
    return [*tokens[:third], *middle, *tokens[-third:]]
