"""Find payment card numbers."""

from __future__ import annotations

from collections.abc import Iterator

from .lazy import lazy
from .values import Span

__all__ = ["find_cards"]

# Issuer ranges and lengths: ISO/IEC 7812, as the card networks publish them.
_CARD = lazy(
    r"(?<![0-9A-Za-z.\-_/])(?:4\d{3}|5[1-5]\d\d|2[2-7]\d\d|6(?:011|5\d\d|4[4-9]\d|2\d\d)|3528|35[3-8]\d)"
    r"([ -]?)\d{4}\1\d{4}\1\d{4}(?![0-9A-Za-z_]|[.\-]\d)"
    r"|(?<![0-9A-Za-z.\-_/])3[47]\d\d([ -]?)\d{6}\2\d{5}(?![0-9A-Za-z_]|[.\-]\d)"
)


_DIGITS = lazy(r"\d{4}[ -]?\d{4}[ -]?\d")


def find_cards(text: str) -> Iterator[Span]:
    """Yield card numbers with a valid check digit."""
    if not _DIGITS.search(text):
        return
    for found in _CARD.finditer(text):
        digits = [int(c) for c in found.group() if c.isdigit()]
        if len(set(digits)) > 1 and _luhn(digits):
            yield Span(*found.span(), "card")


def _luhn(digits: list[int]) -> bool:
    total = 0
    for at, digit in enumerate(reversed(digits)):
        doubled = digit * 2 if at % 2 else digit
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0
