"""Words of many languages by what they are about.

What the lexicon learns of a concept in one language serves all others, and a
pattern may ask for a concept instead of listing words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .tokens import Token

__all__ = ["Concepts", "annotate", "arrange"]

STEM = 6
"""Letters by which a stem is found; the rest is compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Concepts:
    """Where each concept is looked up.

    Attributes:
        words: folded word to its concepts.
        stems: beginning, at most ``STEM`` letters, to stems and their concepts.
        runs: first character to strings of a script without spaces.
        phrases: first word to further words and the concept.
    """

    words: Mapping[str, tuple[str, ...]]
    stems: Mapping[str, tuple[tuple[str, str], ...]]
    runs: Mapping[str, tuple[tuple[str, str], ...]]
    phrases: Mapping[str, tuple[tuple[tuple[str, ...], str], ...]]


def arrange(rows: Sequence[tuple[str, str, str]]) -> Concepts:
    """Look-up tables from rows of kind, folded form, concept (``@name``)."""
    words: dict[str, list[str]] = {}
    stems: dict[str, list[tuple[str, str]]] = {}
    runs: dict[str, list[tuple[str, str]]] = {}
    phrases: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for kind, form, concept in rows:
        if kind == "word":
            words.setdefault(form, []).append(concept)
        elif kind == "stem":
            stems.setdefault(form[:STEM], []).append((form, concept))
        elif kind == "run":
            runs.setdefault(form[0], []).append((form, concept))
        else:
            first, *rest = form.split()
            phrases.setdefault(first, []).append((tuple(rest), concept))
    return Concepts(
        words={key: tuple(value) for key, value in words.items()},
        stems={key: tuple(value) for key, value in stems.items()},
        runs={key: tuple(value) for key, value in runs.items()},
        phrases={key: tuple(value) for key, value in phrases.items()},
    )


def _word(tokens: Sequence[Token], at: int, table: Concepts) -> tuple[str, ...]:
    text = tokens[at].text
    found = table.words.get(text, ())
    stems = table.stems
    for cut in (3, 4, 5, STEM):
        near = stems.get(text[:cut])
        if near is not None and len(text) >= cut:
            found += tuple(
                concept for stem, concept in near if text.startswith(stem) and concept not in found
            )
    for rest, concept in table.phrases.get(text, ()):
        if all(
            at + 1 + step < len(tokens) and tokens[at + 1 + step].text == word
            for step, word in enumerate(rest)
        ):
            found += (concept,)
    return found


def annotate(tokens: Sequence[Token], text: str, table: Concepts) -> list[tuple[str, ...]]:
    """Concepts of each token, in the order of the tokens.

    Args:
        tokens: with positions in ``text``.
        text: folded text.
        table: see :func:`arrange`.
    """
    marks: list[tuple[str, ...]] = []
    runs = table.runs
    for at, token in enumerate(tokens):
        kind = token.kind
        if kind == "word":
            marks.append(_word(tokens, at, table))
        elif kind in {"cjk", "sea"}:
            near = runs.get(token.text, ())
            marks.append(
                tuple(concept for form, concept in near if text.startswith(form, token.start))
            )
        else:
            marks.append(())
    return marks
