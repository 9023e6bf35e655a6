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
from .patterns import STEM, Hit, keys_of_object

__all__ = ["Dictionary", "Sources", "dictionary"]

Dictionary = Mapping[str, Mapping[str, Entry]]
"""Kind of a token, then its text, to the entry; knows every kind and every text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The tables that entries are gathered from.

    Attributes:
        index: key to the patterns of which a match may begin there.
    """

    concepts: Concepts
    tongues: TongueTable
    lexicon: Lexicon
    index: Mapping[str, tuple[Hit, ...]]


def dictionary(sources: Sources) -> Dictionary:
    """The entries of all tokens."""
    return Memo(lambda kind: Memo(_reader(kind, sources)))


def _reader(kind: str, sources: Sources) -> Callable[[str], Entry]:
    """What reads texts of one kind."""
    if kind == "word":
        return lambda text: _word(text, sources)
    if kind in {"cjk", "sea"}:
        return lambda text: _character(kind, text, sources)
    return lambda text: _object(kind, text, sources)


def _word(text: str, sources: Sources) -> Entry:
    lexicon, index, concepts = sources.lexicon, sources.index, sources.concepts
    learned = lexicon.rows
    keys = (text, *beginnings(text))
    rows = {key: learned[key] for key in keys if key in learned}
    hits: tuple[Hit, ...] = ()
    for key in keys:
        if key in index:
            hits += index[key]
    if 2 < len(text) <= STEM:  # the whole word may be a stem too, for patterns only
        hits += index.get(text + "*", ())
    codes, votes, known = sources.tongues.of(text, learned)
    return Entry(
        text,
        True,
        False,
        known,
        codes,
        votes,
        concepts.of(text),
        concepts.phrases.get(text, ()),
        (),
        hits,
        rows,
        lexicon.chains_of(text),
    )


def _character(kind: str, text: str, sources: Sources) -> Entry:
    """A character of a script without spaces."""
    codes, votes, known = sources.tongues.of(text, sources.lexicon.rows)
    return Entry(
        text,
        True,
        True,
        known,
        codes,
        votes,
        (),
        (),
        sources.concepts.runs.get(text, ()),
        _hits(kind, text, sources),
        _row(text, sources),
        sources.lexicon.chains_of(text),
    )


def _object(kind: str, text: str, sources: Sources) -> Entry:
    name = unit(kind, text)
    hits = _hits(kind, text, sources)
    rows, chains = _row(name, sources), sources.lexicon.chains_of(name)
    return Entry(name, False, False, 0.0, (), 0, (), (), (), hits, rows, chains)


def _hits(kind: str, text: str, sources: Sources) -> tuple[Hit, ...]:
    return tuple([hit for key in keys_of_object(kind, text) for hit in sources.index.get(key, ())])


def _row(name: str, sources: Sources) -> dict[str, int]:
    rows = sources.lexicon.rows
    return {name: rows[name]} if name in rows else {}
