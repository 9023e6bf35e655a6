"""The compiled table of follow-ups and greetings.

:mod:`.followup_book` writes it, :mod:`.followups` asks it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .memo import Memo
from .sections import split

__all__ = [
    "ANY",
    "BIT",
    "MAGIC",
    "UNITS",
    "FollowupTable",
    "Meaning",
    "PhraseError",
    "table_from_bytes",
]

MAGIC = b"HTRP5\n"
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

BIT = {name: 1 << index for index, name in enumerate(UNITS)}
"""Bit of each kind in a set of them."""
ANY = -1
"""Language mask of signs, digits and borrowed English: they mix with every language."""
_BORROWED = sum(
    BIT[unit] for unit in ("agree", "refuse", "go", "retry", "undo", "hello", "thanks", "bye")
)
"""English words that people put into sentences of any language."""
_SECTIONS = 4
"""Languages and meanings, first tokens, the rests of their phrases, and tokens of rests alone."""


class PhraseError(ValueError):
    """A phrase file or a compiled table does not validate."""


Meaning = tuple[tuple[int, int], ...]
"""What a phrase may be: pairs of unit bit and language mask."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowupTable:
    """Phrases, taken apart as far as messages begin with them.

    Attributes:
        languages: language tags, in the order of the mask bits.
        meanings: what phrases may be, each as ``position of the unit:mask of languages …``.
        packed: first token to the tokens of its longest phrase and the rests of all, as ``longest
            TAB rest TAB number …`` with the number of the meaning, in UTF-8; each token of a rest
            stands behind a space.
        inner: tokens that some phrase has and none begins with.
        meaning: number of a meaning, in digits, to what a phrase of it may be.
    """

    languages: tuple[str, ...]
    meanings: Sequence[str]
    packed: Mapping[str, bytes]
    inner: frozenset[str]
    meaning: Mapping[str, Meaning] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Prepare what is looked up for every message."""
        tags = self.languages
        masks = [1 << tags.index(tag) if tag in tags else 0 for tag in ("und", "en")]

        def meaning(number: str) -> Meaning:
            return tuple([_entry(pair, *masks) for pair in self.meanings[int(number)].split(" ")])

        object.__setattr__(self, "meaning", Memo(meaning))

    def phrases_at(self, tokens: Sequence[str], start: int) -> list[tuple[int, Meaning]]:
        """Ends and meanings of the phrases that begin at a position, shortest first.

        They are sought in the packed row, which is faster than to take apart what a message may
        never ask for again.
        """
        found: list[tuple[int, Meaning]] = []
        row = self.packed.get(tokens[start], b"")
        begun = b"\t"
        for end in range(start + 1, len(tokens) + 1):
            if end > start + 1:
                begun += b" " + tokens[end - 1].encode(errors="surrogatepass")
            at = row.find(begun)
            if at < 0:
                break
            whole = begun + b"\t"
            at = row.find(whole, at)
            if at >= 0:
                number, _, _ = row[at + len(whole) :].partition(b"\t")
                found.append((end, self.meaning[number.decode()]))
        return found


def table_from_bytes(data: bytes) -> FollowupTable:
    """Read a table that :func:`.followup_book.compile_books` wrote.

    Raises:
        PhraseError: the bytes are not such a table.
    """
    if not data.startswith(MAGIC):
        raise PhraseError(f"not a compiled phrase table: expected it to begin with {MAGIC!r}")
    try:
        head, openers, packed, inner = split(data, len(MAGIC), _SECTIONS)
        tags, *meanings = head.decode().split("\n")
        return FollowupTable(
            languages=tuple(tags.split(" ")),
            meanings=meanings,
            packed=dict(zip(openers.decode().split("\n"), packed.split(b"\n"), strict=True)),
            inner=frozenset(inner.decode().split("\n")),
        )
    except (LookupError, ValueError) as error:
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
    return bit, ANY if mixes else spoken
