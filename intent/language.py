"""Which language a text is in, by function words and script; "don't know" is an answer."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from .entry import Entry

__all__ = ["SCRIPTS", "Tongue", "TongueTable", "identify"]

SCRIPTS: tuple[tuple[str, int, int], ...] = (
    ("greek", 0x370, 0x400),
    ("cyrillic", 0x400, 0x530),
    ("armenian", 0x530, 0x590),
    ("hebrew", 0x590, 0x600),
    ("arabic", 0x600, 0x780),
    ("devanagari", 0x900, 0x980),
    ("bengali", 0x980, 0xA00),
    ("gurmukhi", 0xA00, 0xA80),
    ("gujarati", 0xA80, 0xB00),
    ("odia", 0xB00, 0xB80),
    ("tamil", 0xB80, 0xC00),
    ("telugu", 0xC00, 0xC80),
    ("kannada", 0xC80, 0xD00),
    ("malayalam", 0xD00, 0xD80),
    ("sinhala", 0xD80, 0xE00),
    ("thai", 0xE00, 0xE80),
    ("lao", 0xE80, 0xF00),
    ("tibetan", 0xF00, 0x1000),
    ("myanmar", 0x1000, 0x10A0),
    ("georgian", 0x10A0, 0x1100),
    ("hangul", 0x1100, 0x1200),
    ("ethiopic", 0x1200, 0x13A0),
    ("cherokee", 0x13A0, 0x1400),
    ("canadian", 0x1400, 0x1680),
    ("khmer", 0x1780, 0x1800),
    ("mongolian", 0x1800, 0x18B0),
    ("georgian", 0x1C90, 0x1CC0),
    ("kana", 0x3040, 0x3100),
    ("hangul", 0x3130, 0x3190),
    ("han", 0x3400, 0xA000),
    ("hangul", 0xAC00, 0xD7B0),
    ("han", 0xF900, 0xFB00),
    ("han", 0x20000, 0x30000),
)
"""Unicode blocks that matter here; everything else counts as Latin or unknown."""


@dataclass(slots=True)  # made by position: names would double what it costs
class Tongue:
    """What is known of the language.

    Attributes:
        votes: language to the evidence for it; empty: don't know.
        familiar: share of the words, 0 to 1, that the book knows whole or by
            their beginning, or that are in a script of a covered language.
        foreign: a language that the book does not cover has the better evidence.
        words: words counted.
        near: languages with at least half the evidence of the best one, and
            English, of which words stand in every language; empty: don't know.
    """

    votes: Mapping[str, int]
    familiar: float
    foreign: bool
    words: int
    near: frozenset[str]

    @property
    def codes(self) -> tuple[str, ...]:
        """Likely languages, best first, four at most."""
        ranked = sorted(self.votes.items(), key=lambda item: (-item[1], item[0]))
        return tuple([code for code, _ in ranked[:4]])


_BY_SCRIPT = {
    "greek": "el", "hebrew": "he", "bengali": "bn", "tamil": "ta", "telugu": "te",
    "malayalam": "ml", "kannada": "kn", "gujarati": "gu", "gurmukhi": "pa", "sinhala": "si",
    "thai": "th", "lao": "lo", "myanmar": "my", "khmer": "km", "georgian": "ka", "armenian": "hy",
    "ethiopic": "am", "kana": "ja", "hangul": "ko", "han": "zh",
}  # fmt: skip
_STARTS = [low for _, low, _ in SCRIPTS]


def _language_of_script(char: str) -> str | None:
    """The language of a script that only one covered language is written in."""
    code = ord(char)
    block = bisect_right(_STARTS, code) - 1
    if block < 0 or code >= SCRIPTS[block][2]:
        return None
    return _BY_SCRIPT.get(SCRIPTS[block][0])


@dataclass(frozen=True, slots=True, kw_only=True)
class TongueTable:
    """Evidence of languages.

    Attributes:
        words: folded function word to the codes of its languages.
        covered: codes that the rules and the lexicon read.
    """

    words: Mapping[str, tuple[str, ...]]
    covered: frozenset[str]

    def of(self, word: str, vocabulary: Container[str]) -> tuple[tuple[str, ...], int, float]:
        """Languages of a word, what it counts for each, and the share of it that is known.

        The share is 1 where the book knows the word or its script, 0.5 for its beginning, else 0.

        Args:
            word: folded; a character in a script without spaces.
            vocabulary: words, and beginnings of four letters (``remi*``), that are known.
        """
        if not word.isascii():
            code = _language_of_script(word[0])
            if code is not None:
                return (code,), 2, float(code in self.covered)
        codes = self.words.get(word, ())
        if word in vocabulary or not self.covered.isdisjoint(codes):
            return codes, 1, 1.0
        return codes, 1, 0.5 if f"{word[:4]}*" in vocabulary else 0.0


def identify(entries: Sequence[Entry], covered: frozenset[str]) -> Tongue:
    """Name the languages of the words, and how much of them the book knows.

    Several languages in one message give several codes.
    """
    words = list(filter(_is_word, entries))
    votes: dict[str, int] = {}
    said = votes.get
    for entry in filter(_codes, words):
        say = entry.votes
        for code in entry.codes:
            votes[code] = said(code, 0) + say
    total = len(words)
    familiar = sum(map(_known, words)) / total if total else 1.0
    if not votes:
        return Tongue(votes, familiar, False, total, _ANY)
    best = other = 0
    for code, count in votes.items():
        if code not in covered:
            if count > other:
                other = count
        elif count > best:
            best = count
    half = max(best, other) / 2
    near = frozenset(["en", *[code for code, count in votes.items() if count >= half]])
    return Tongue(votes, familiar, other > best, total, near)


_ANY: frozenset[str] = frozenset()
_is_word, _codes, _known = map(attrgetter, ("is_word", "codes", "known"))
