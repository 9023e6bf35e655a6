"""Which language a text is in, by function words and script; "don't know" is an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .rulebook import TongueTable
from .tokens import Token

__all__ = ["SCRIPTS", "Tongue", "identify"]

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Tongue:
    """What is known of the language.

    Attributes:
        codes: likely languages, best first; empty: don't know.
        familiar: share of the words, 0 to 1, that the book knows whole or by
            their beginning, or that are in a script of a covered language.
        foreign: a language that the book does not cover has the better evidence.
        words: words counted.
        near: languages with at least half the evidence of the best one, and
            English, of which words stand in every language; empty: don't know.
    """

    codes: tuple[str, ...]
    familiar: float
    foreign: bool
    words: int
    near: frozenset[str]


def _script(char: str) -> str:
    code = ord(char)
    if code < 0x250 or 0x1E00 <= code < 0x2000:
        return "latin"
    for name, low, high in SCRIPTS:
        if low <= code < high:
            return name
    return "other"


_BY_SCRIPT = {
    "greek": "el", "hebrew": "he", "bengali": "bn", "tamil": "ta", "telugu": "te",
    "malayalam": "ml", "kannada": "kn", "gujarati": "gu", "gurmukhi": "pa", "sinhala": "si",
    "thai": "th", "lao": "lo", "myanmar": "my", "khmer": "km", "georgian": "ka", "armenian": "hy",
    "ethiopic": "am", "kana": "ja", "hangul": "ko", "han": "zh",
}  # fmt: skip
_WORDS = frozenset(("word", "cjk", "sea"))


def identify(tokens: Sequence[Token], table: TongueTable, vocabulary: Mapping[str, int]) -> Tongue:
    """Name the languages of the words, and how much of them the book knows.

    Several languages in one message give several codes.
    """
    votes: dict[str, int] = {}
    known = 0.0
    total = 0
    for kind, text, _, _ in tokens:
        if kind not in _WORDS:
            continue
        total += 1
        code = None if text.isascii() else _BY_SCRIPT.get(_script(text[0]))
        if code is not None:
            votes[code] = votes.get(code, 0) + 2
            known += code in table.covered
            continue
        codes = table.words.get(text, ())
        for each in codes:
            votes[each] = votes.get(each, 0) + 1
        if text in vocabulary or not table.covered.isdisjoint(codes):
            known += 1.0
        elif f"{text[:4]}*" in vocabulary:
            known += 0.5
    ranked = tuple(code for code, _ in sorted(votes.items(), key=lambda item: (-item[1], item[0])))
    best = max([votes[code] for code in ranked if code in table.covered], default=0)
    other = max([votes[code] for code in ranked if code not in table.covered], default=0)
    return Tongue(
        codes=ranked[:4],
        familiar=known / total if total else 1.0,
        foreign=other > best,
        words=total,
        near=_near(votes),
    )


def _near(votes: Mapping[str, int]) -> frozenset[str]:
    if not votes:
        return frozenset()
    top = max(votes.values())
    return frozenset(["en", *[code for code, count in votes.items() if 2 * count >= top]])
