"""Entries of tokens, gathered from all tables when a token is first met.

One look-up a token then serves every step of a reading.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .concepts import Concepts
from .entry import Entry
from .features import beginnings, unit
from .language import TongueTable
from .lexicon import Lexicon
from .memo import Memo
from .patterns import LEAST_STEM, STEM, keys_of_object

__all__ = ["Dictionary", "Sources", "dictionary"]

Dictionary = Mapping[str, Mapping[str, Entry]]
"""Kind of a token, then its text, to the entry; knows every kind and every text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The tables that entries are gathered from.

    Attributes:
        index: key to the trials that may begin there, by number.
    """

    concepts: Concepts
    tongues: TongueTable
    lexicon: Lexicon
    index: Mapping[str, tuple[int, ...]]


def dictionary(sources: Sources) -> Dictionary:
    """The entries of all tokens."""
    return Memo(lambda kind: Memo(_reader(kind, sources)))


def _reader(kind: str, sources: Sources) -> Callable[[str], Entry]:
    """What reads texts of one kind."""
    if kind == "word":
        return _word_reader(sources)
    if kind in {"cjk", "sea"}:
        return lambda text: _character(kind, text, sources)
    return lambda text: _object(kind, text, sources)


def _word_reader(sources: Sources) -> Callable[[str], Entry]:
    """What reads words.

    Half the words of a new message are new, so what most words do not have is ruled out first.
    """
    learned, numbered = sources.lexicon.rows, sources.lexicon.numbered
    index, chains_of = sources.index, sources.lexicon.chains_of
    stems = frozenset([key[:LEAST_STEM] for key in index if key[-1] == "*"])
    concepts, tongues = sources.concepts, sources.tongues

    def read(text: str) -> Entry:
        rows = {text: numbered[learned[text]]} if text in learned else {}
        for key in beginnings(text):
            if key in learned:
                rows[key] = numbered[learned[key]]
        hits = index.get(text, ())
        if text[:LEAST_STEM] in stems:
            hits += _hits_of_stems(text, index)
        meanings = concepts.of(text)
        codes, votes, known = tongues.of(text, learned)
        further = concepts.phrases_of(text)
        return Entry(
            text, f" {text}", True, False, known, codes, votes, meanings, further, (), hits, rows,
            *chains_of(text),
        )  # fmt: skip

    return read


def _hits_of_stems(word: str, index: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    """Patterns that begin with a beginning of the word, be it the whole word."""
    cuts = range(LEAST_STEM, min(len(word), STEM) + 1)
    return tuple([hit for cut in cuts for hit in index.get(word[:cut] + "*", ())])


def _character(kind: str, text: str, sources: Sources) -> Entry:
    """A character of a script without spaces."""
    codes, votes, known = sources.tongues.of(text, sources.lexicon.rows)
    return Entry(
        text,
        f" {text}",
        True,
        True,
        known,
        codes,
        votes,
        (),
        (),
        sources.concepts.runs_of(text),
        _hits(kind, text, sources),
        _row(text, sources),
        *sources.lexicon.chains_of(text),
    )


def _object(kind: str, text: str, sources: Sources) -> Entry:
    name = unit(kind, text)
    hits = _hits(kind, text, sources)
    rows, step = _row(name, sources), f" {name}" if name else "\n"
    return Entry(
        name, step, False, False, 0.0, (), 0, (), (), (), hits, rows,
        *sources.lexicon.chains_of(name),
    )  # fmt: skip


def _hits(kind: str, text: str, sources: Sources) -> tuple[int, ...]:
    return tuple([hit for key in keys_of_object(kind, text) for hit in sources.index.get(key, ())])


def _row(name: str, sources: Sources) -> dict[str, int]:
    rows, numbered = sources.lexicon.rows, sources.lexicon.numbered
    return {name: numbered[rows[name]]} if name in rows else {}
