"""Input prices of providers, as data with date and source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from ..router.cost import Prices
from ..router.errors import RouterError

__all__ = ["PRICES", "PriceError", "Tier", "price_book", "prices_for", "read_prices"]

PRICES = Path(__file__).with_name("data") / "prices.yaml"

_TEXTS = ("id", "title", "date", "source")
_NUMBERS = ("fresh", "read", "write", "lifetime_s")
_KEYS = frozenset({*_TEXTS, *_NUMBERS, "models", "any_front", "least_tokens"})


class PriceError(RouterError):
    """The price file does not read; the message names file, id and what is allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """One entry of the price file."""

    id: str
    title: str
    models: tuple[str, ...]
    date: str
    source: str
    prices: Prices

    def fits(self, model: str) -> bool:
        """Whether a model's name, with or without a provider's prefix, is of this tier."""
        bare = model.strip().lower().rsplit("/", 1)[-1].removeprefix("anthropic.").split(":")[0]
        return any(fnmatchcase(bare, pattern) for pattern in self.models)


def read_prices(path: Path = PRICES) -> tuple[Tier, ...]:
    """Read and check a price file, in its own order.

    Raises:
        PriceError: it does not read, or an entry is not what the file's head describes.
    """
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise PriceError(f"{path.name} does not read: {error}") from error
    rows = data.get("prices") if isinstance(data, Mapping) else None
    if not isinstance(rows, list) or not rows:
        raise PriceError(f"{path.name}: expected a list under 'prices'")
    tiers = tuple(_tier(path.name, number, row) for number, row in enumerate(rows, 1))
    ids = [tier.id for tier in tiers]
    for name in ids:
        if ids.count(name) > 1:
            raise PriceError(f"{path.name}: id {name!r} is used twice")
    return tiers


@cache
def price_book() -> tuple[Tier, ...]:
    """The shipped tiers."""
    return read_prices()


def prices_for(model: str) -> Prices | None:
    """Prices of a model as the history names it; ``None``: none are known."""
    return next((tier.prices for tier in price_book() if tier.fits(model)), None)


def _tier(file: str, number: int, row: Any) -> Tier:
    if not isinstance(row, Mapping):
        raise PriceError(f"{file}: entry {number} is no mapping")
    where = f"{file}: {row.get('id', f'entry {number}')}"
    if wrong := sorted(_KEYS.symmetric_difference(map(str, row))):
        kind = "is unknown" if wrong[0] in row else "is missing"
        raise PriceError(f"{where}: key {wrong[0]!r} {kind}; known: {', '.join(sorted(_KEYS))}")
    for key in _TEXTS:
        if not isinstance(row[key], str) or not row[key].strip():
            raise PriceError(f"{where}: {key} must be a text, got {row[key]!r}")
    for key in _NUMBERS:
        if not _is_number(row[key]) or row[key] < 0:
            raise PriceError(f"{where}: {key} must be a number of 0 or more, got {row[key]!r}")
    if not 0 <= row["read"] <= row["fresh"] <= row["write"]:
        raise PriceError(f"{where}: expected read <= fresh <= write")
    if not isinstance(row["any_front"], bool):
        raise PriceError(f"{where}: any_front must be true or false, got {row['any_front']!r}")
    least = row["least_tokens"]
    if not isinstance(least, int) or isinstance(least, bool) or least < 1:
        raise PriceError(f"{where}: least_tokens must be 1 or more, got {least!r}")
    return Tier(
        id=row["id"],
        title=row["title"],
        models=_models(where, row["models"]),
        date=row["date"],
        source=row["source"],
        prices=Prices(
            name=row["title"],
            fresh=float(row["fresh"]),
            read=float(row["read"]),
            write=float(row["write"]),
            lifetime_s=float(row["lifetime_s"]),
            any_front=row["any_front"],
            least_tokens=least,
        ),
    )


def _models(where: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise PriceError(f"{where}: models must be a list of patterns, got {value!r}")
    for pattern in value:
        if not isinstance(pattern, str) or pattern != pattern.lower():
            raise PriceError(f"{where}: a model pattern is lower-case text, got {pattern!r}")
    return tuple(value)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
