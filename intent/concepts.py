"""Words of many languages by what they are about.

What the lexicon learns of a concept in one language serves all others, and a
pattern may ask for a concept instead of listing words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from .entry import Entry, Mark
from .tokens import Token

__all__ = ["Concepts", "annotate", "arrange", "pack"]

_HEAD = 4
"""Letters by which a stem is found; the rest is compared."""
_SHORT = (2, 3)
"""Letters of stems that are shorter than that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Concepts:
    """Where each concept is looked up.

    Values are packed rows, ``form TAB concept TAB languages TAB …``, taken apart for the words
    that a message has.

    Attributes:
        words: folded word to its concepts.
        stems: first four letters, or all of a shorter stem, to stems and their concepts.
        runs: first character to strings of a script without spaces.
        phrases: first word to phrases and their concepts.
        short: first two letters of the stems that are shorter than four.
    """

    words: Mapping[str, str]
    stems: Mapping[str, str]
    runs: Mapping[str, str]
    phrases: Mapping[str, str]
    short: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Gather how short stems begin: few words do."""
        short = frozenset([stem[:2] for stem in self.stems if len(stem) < _HEAD])
        object.__setattr__(self, "short", short)

    def of(self, word: str) -> tuple[Mark, ...]:
        """Concepts of a word, those of its stems included and those of phrases not."""
        words, stems = self.words, self.stems
        found = _meant(words[word], word) if word in words else ()
        if word[:2] in self.short:
            for size in _SHORT:
                if word[:size] in stems and len(word) >= size:
                    found += _meant(stems[word[:size]], word)
        head = word[:_HEAD]
        if head in stems and len(head) == _HEAD:
            found += _meant(stems[head], word)
        return found

    def phrases_of(self, word: str) -> tuple[tuple[tuple[str, ...], Mark], ...]:
        """Further words that make the word a phrase, and the concept of that."""
        if word not in self.phrases:
            return ()
        near = _unpack(self.phrases[word])
        return tuple([(tuple(phrase.split()[1:]), mark) for phrase, mark in near])

    def runs_of(self, character: str) -> tuple[tuple[str, str], ...]:
        """Strings that begin with the character, and their concepts."""
        if character not in self.runs:
            return ()
        near = _unpack(self.runs[character])
        return tuple([(run, concept) for run, (concept, _) in near])


def _meant(packed: str, word: str) -> tuple[Mark, ...]:
    """What those forms under one key mean that the word begins with."""
    parts = packed.split("\t")
    return tuple(
        [
            (parts[at + 1], _languages(parts[at + 2]))
            for at in range(0, len(parts), 3)
            if word.startswith(parts[at])
        ]
    )


def _unpack(packed: str) -> Sequence[tuple[str, Mark]]:
    """Forms that stand under one key, and what they mean."""
    parts = packed.split("\t")
    rows = zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    return [(form, (concept, _languages(codes))) for form, concept, codes in rows]


@lru_cache(maxsize=256)
def _languages(codes: str) -> frozenset[str]:
    """A set of languages, shared by the many forms that have the same."""
    return frozenset(codes.split())


_KEYS: Mapping[str, Callable[[str], str]] = {
    "word": lambda form: form,
    "stem": lambda form: form[:_HEAD],
    "run": lambda form: form[0],
    "phrase": lambda form: form.partition(" ")[0],
}
"""Kind of a form to the key under which it stands."""


def pack(rows: Sequence[Sequence[str]]) -> dict[str, dict[str, str]]:
    """Rows of kind, folded form, concept (``@name``), languages as packed tables, by kind."""
    tables: dict[str, dict[str, str]] = {kind: {} for kind in _KEYS}
    for kind, *row in rows:
        table, key = tables[kind], _KEYS[kind](row[0])
        table[key] = "\t".join([*([table[key]] if key in table else []), *row])
    return tables


def arrange(tables: Mapping[str, Mapping[str, str]]) -> Concepts:
    """Concepts from the tables of :func:`pack`."""
    return Concepts(
        words=tables["word"],
        stems=tables["stem"],
        runs=tables["run"],
        phrases=tables["phrase"],
    )


_NOTHING: tuple[str, ...] = ()


def _follow(rest: Sequence[str], tokens: Sequence[Token], at: int) -> bool:
    """Whether the words stand from a position on."""
    following = tokens[at : at + len(rest)]
    return [token.text for token in following] == list(rest)


def annotate(
    tokens: Sequence[Token], entries: Sequence[Entry], text: str, languages: frozenset[str]
) -> list[tuple[str, ...]]:
    """Concepts of each token, in the order of the tokens.

    Args:
        tokens: with positions in ``text``.
        entries: of the tokens.
        text: folded text.
        languages: what the text may be in; a form that means something in
            other languages only is left out.  Empty: anything.
    """
    marks: list[tuple[str, ...]] = []
    for at, entry in enumerate(entries):
        found = entry.meanings
        if entry.phrases:
            found += tuple([mark for rest, mark in entry.phrases if _follow(rest, tokens, at + 1)])
        if found:
            meant = [name for name, own in found if not languages or not own.isdisjoint(languages)]
            marks.append(tuple(meant))
        elif entry.runs:
            start = tokens[at].start
            marks.append(tuple([name for form, name in entry.runs if text.startswith(form, start)]))
        else:
            marks.append(_NOTHING)
    return marks
