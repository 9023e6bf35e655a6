"""Words of many languages by what they are about.

What the lexicon learns of a concept in one language serves all others, and a
pattern may ask for a concept instead of listing words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .tokens import Token

__all__ = ["Concepts", "Mark", "annotate", "arrange"]

STEM = 6
"""Letters by which a stem is found; the rest is compared."""


Mark = tuple[str, frozenset[str]]
"""A concept and the languages in which a form means it; none: in any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Concepts:
    """Where each concept is looked up.

    Attributes:
        words: folded word to its concepts.
        stems: beginning, at most ``STEM`` letters, to stems and their concepts.
        cuts: first two letters to the lengths of the keys in ``stems`` that begin so, rising.
        runs: first character to strings of a script without spaces.
        phrases: first word to further words and the concept.
    """

    words: Mapping[str, tuple[Mark, ...]]
    stems: Mapping[str, tuple[tuple[str, Mark], ...]]
    cuts: Mapping[str, tuple[int, ...]]
    runs: Mapping[str, tuple[tuple[str, str], ...]]
    phrases: Mapping[str, tuple[tuple[tuple[str, ...], Mark], ...]]


def arrange(rows: Sequence[Sequence[str]]) -> Concepts:
    """Look-up tables from rows of kind, folded form, concept (``@name``), languages."""
    words: dict[str, tuple[Mark, ...]] = {}
    stems: dict[str, tuple[tuple[str, Mark], ...]] = {}
    runs: dict[str, tuple[tuple[str, str], ...]] = {}
    phrases: dict[str, tuple[tuple[tuple[str, ...], Mark], ...]] = {}
    shared: dict[str, frozenset[str]] = {}
    for kind, form, concept, languages in rows:
        own = shared.get(languages)
        if own is None:
            own = shared[languages] = frozenset(languages.split())
        mark = (concept, own)
        if kind == "word":
            words[form] = (*words.get(form, ()), mark)
        elif kind == "stem":
            stems[form[:STEM]] = (*stems.get(form[:STEM], ()), (form, mark))
        elif kind == "run":
            runs[form[0]] = (*runs.get(form[0], ()), (form, concept))
        else:
            first, *rest = form.split()
            phrases[first] = (*phrases.get(first, ()), (tuple(rest), mark))
    cuts: dict[str, set[int]] = {}
    for beginning in stems:
        cuts.setdefault(beginning[:2], set()).add(len(beginning))
    return Concepts(
        words=words,
        stems=stems,
        cuts={key: tuple(sorted(lengths)) for key, lengths in cuts.items()},
        runs=runs,
        phrases=phrases,
    )


_NOTHING: tuple[str, ...] = ()


def _marks(
    text: str, tokens: Sequence[Token], at: int, table: Concepts, languages: frozenset[str]
) -> tuple[str, ...]:
    """Concepts of the word ``text``, which stands at a position."""
    found = list(table.words.get(text, ()))
    for cut in table.cuts.get(text[:2], ()):
        near = table.stems.get(text[:cut])
        if near is not None:
            found += [mark for stem, mark in near if text.startswith(stem)]
    for rest, mark in table.phrases.get(text, ()):
        if all(
            at + 1 + step < len(tokens) and tokens[at + 1 + step].text == word
            for step, word in enumerate(rest)
        ):
            found.append(mark)
    if not found:
        return _NOTHING
    return tuple(
        [concept for concept, own in found if not languages or not own.isdisjoint(languages)]
    )


def annotate(
    tokens: Sequence[Token], text: str, table: Concepts, languages: frozenset[str]
) -> list[tuple[str, ...]]:
    """Concepts of each token, in the order of the tokens.

    Args:
        tokens: with positions in ``text``.
        text: folded text.
        table: see :func:`arrange`.
        languages: what the text may be in; a form that means something in
            other languages only is left out.  Empty: anything.
    """
    marks: list[tuple[str, ...]] = []
    runs = table.runs
    for at, token in enumerate(tokens):
        kind, word, start, _ = token
        if kind == "word":
            marks.append(_marks(word, tokens, at, table, languages))
        elif kind in {"cjk", "sea"}:
            near = runs.get(word, ())
            marks.append(tuple([concept for form, concept in near if text.startswith(form, start)]))
        else:
            marks.append(_NOTHING)
    return marks
