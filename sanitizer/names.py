"""What an identifier says about the value after it."""

from __future__ import annotations

from .lazy import lazy
from .table import LabelBook

__all__ = ["MAX_IDENTIFIER", "family_of", "kind_of", "words_of"]

MAX_IDENTIFIER = 96
"""Characters; a longer run is data, not a name."""

_WORD = lazy(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")


_KINDS = {"phrase": "passphrase", "weak": "token", "creds": "password", "query": "token"}


def kind_of(family: str) -> str:
    """Return what the marker says for a family."""
    return _KINDS.get(family, family)


def words_of(identifier: str) -> list[str]:
    """Split ``camelCase``, ``snake_case``, ``kebab-case`` and dots; digits are dropped."""
    return [word.lower() for word in _WORD.findall(identifier)]


def family_of(identifier: str, book: LabelBook) -> str:
    """Return the family of the secret that this name announces.

    Returns:
        A family of the book; ``weak`` where a noun is followed by words nobody
        knows, so that only a value that is random for sure counts; empty where
        the name announces no secret.
    """
    if len(identifier) > MAX_IDENTIFIER:
        return ""
    words = words_of(identifier)
    if not any(word in book.heads or word.endswith(book.endings) for word in words):
        return ""
    for end in range(len(words), 0, -1):
        family = _noun(words, end, book)
        if not family:
            continue
        rest = words[end:]
        if any(word in book.about for word in rest):
            return ""
        return family if all(word in book.trailing for word in rest) else "weak"
    return ""


def _noun(words: list[str], end: int, book: LabelBook) -> str:
    """Return the family of the noun that ends at word ``end``, empty for none."""
    for size in (3, 2, 1):
        if size > end:
            continue
        family = book.nouns.get(" ".join(words[end - size : end]), "")
        if family:
            return "" if _is_other(words, end - size, size, family, book) else family
    last = words[end - 1]
    if last in book.not_ending:
        return ""
    for ending in book.endings:
        if last.endswith(ending):
            return book.nouns.get(ending, "password")
    return ""


def _is_other(words: list[str], start: int, size: int, family: str, book: LabelBook) -> bool:
    """Whether the word before makes it another thing, as in ``primary_key`` or ``max_token``."""
    if size > 1 or start == 0 or family not in {"key", "token", "query"}:
        return False
    return words[start - 1] in book.before
