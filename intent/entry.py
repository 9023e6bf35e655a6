"""What the book says of a token by its text alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Entry", "Mark"]

Mark = tuple[str, frozenset[str]]
"""A concept and the languages in which a form means it; none: in any."""


@dataclass(slots=True)  # never changed; "frozen" would make each cost ten times as much
class Entry:
    """What is known of every token of one kind and text, whatever stands around it.

    Attributes:
        unit: its name in lexicon keys; empty for a full stop or comma, which has none.
        step: the same behind a space, as it goes on a key of several units; a line end for a full
            stop or comma, which no key holds.
        is_word: it counts as a word of some language.
        unspaced: it is a character of a script that writes no spaces.
        known: share of it that the book knows: 1 the whole, 0.5 its beginning, else 0.
        codes: languages that it speaks for.
        votes: what it counts for each of them.
        meanings: concepts of the word.
        phrases: further words that make it a phrase, and the concept of that.
        runs: strings of a script without spaces that begin with it, and their concepts.
        hits: trials of the book that may begin here, by number.
        rows: known lexicon keys of the unit alone, with their rows.
        chains: how lexicon keys of several units go on here, with the numbers of their rows.
        reach: units that the longest of those has behind this one.
    """

    unit: str
    step: str
    is_word: bool
    unspaced: bool
    known: float
    codes: tuple[str, ...]
    votes: int
    meanings: tuple[Mark, ...]
    phrases: tuple[tuple[tuple[str, ...], Mark], ...]
    runs: tuple[tuple[str, str], ...]
    hits: tuple[int, ...]
    rows: Mapping[str, int]
    chains: Mapping[str, str]
    reach: int
