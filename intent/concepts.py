"""Words of many languages by what they are about.

What the lexicon learns of a concept in one language serves all others, and a
pattern may ask for a concept instead of listing words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .entry import Entry, Mark
from .tokens import Token

__all__ = ["HEAD", "Concepts", "annotate", "arrange"]

STEM = 6
"""Letters by which a stem is found; the rest is compared."""
HEAD = 2
"""Letters of the shortest stems, which tell whether a word may have one."""


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

    def of(self, word: str) -> tuple[Mark, ...]:
        """Concepts of a word, those of its stems included and those of phrases not."""
        found = self.words.get(word, ())
        for cut in self.cuts.get(word[:HEAD], ()):
            near = self.stems.get(word[:cut]) if cut <= len(word) else None
            if near is not None:
                found += tuple([mark for stem, mark in near if word.startswith(stem)])
        return found


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
        cuts.setdefault(beginning[:HEAD], set()).add(len(beginning))
    return Concepts(
        words=words,
        stems=stems,
        cuts={head: tuple(sorted(lengths)) for head, lengths in cuts.items()},
        runs=runs,
        phrases=phrases,
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
