"""Input prices of providers, as data with date and source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from ..router.cost import Prices
from ..router.errors import RouterError

__all__ = ["PRICES", "PriceError", "Tier", "price_book", "read_prices", "tier_of"]

PRICES = Path(__file__).with_name("data") / "prices.yaml"


class PriceError(RouterError):
    """The price file does not read; the message names file, id and what is allowed."""


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_amount(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _is_list(value: object) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(_is_text(text) and text == text.lower() for text in value)
    )


_TEXT = ("a text", _is_text)
_AMOUNT = ("a number of 0 or more", _is_amount)
_COUNT = ("a whole number of 1 or more", _is_count)
_TRUTH = ("true or false", lambda value: isinstance(value, bool))
_LIST = ("a list of lower-case texts", _is_list)
_WANTED: Mapping[str, tuple[str, Callable[[object], bool]]] = {
    **dict.fromkeys(("id", "title", "date", "source"), _TEXT),
    **dict.fromkeys(("fresh", "read", "write", "lifetime_s"), _AMOUNT),
    **dict.fromkeys(("least_tokens", "sightings"), _COUNT),
    **dict.fromkeys(("any_front", "tools_first"), _TRUTH),
    **dict.fromkeys(("models", "hosts"), _LIST),
}
"""What may stand under each key, in words and as a test."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """One entry of the price file."""

    id: str
    title: str
    models: tuple[str, ...]
    hosts: tuple[str, ...]
    date: str
    source: str
    prices: Prices

    def fits(self, model: str, base_url: str = "") -> bool:
        """Whether a model is of this tier.

        Args:
            model: its name, with or without a provider's prefix.
            base_url: where it is asked; empty: not known, so that the name alone decides.
        """
        if base_url and urlsplit(base_url).hostname not in self.hosts:
            return False
        bare = model.strip().lower().rsplit("/", 1)[-1].removeprefix("anthropic.").split(":")[0]
        return any(fnmatchcase(bare, pattern) for pattern in self.models)


def read_prices(path: Path = PRICES) -> tuple[Tier, ...]:
    """Read and check a price file, in its own order.

    Raises:
        PriceError: it does not read, or an entry is not what the file's head describes.
    """
    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # a turn may wait for it
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=loader)
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


@lru_cache(maxsize=64)
def tier_of(model: str, base_url: str = "") -> Tier | None:
    """Tier of a model, see :meth:`Tier.fits`; ``None``: no price is known."""
    return next((tier for tier in price_book() if tier.fits(model, base_url)), None)


def _tier(file: str, number: int, row: Any) -> Tier:
    _check(file, number, row)
    return Tier(
        id=row["id"],
        title=row["title"],
        models=tuple(row["models"]),
        hosts=tuple(row["hosts"]),
        date=row["date"],
        source=row["source"],
        prices=Prices(
            name=row["title"],
            fresh=float(row["fresh"]),
            read=float(row["read"]),
            write=float(row["write"]),
            lifetime_s=float(row["lifetime_s"]),
            any_front=row["any_front"],
            least_tokens=row["least_tokens"],
            tools_first=row["tools_first"],
            sightings=row["sightings"],
        ),
    )


def _check(file: str, number: int, row: Any) -> None:
    """Raise for the first thing that is wrong with an entry."""
    if not isinstance(row, Mapping):
        raise PriceError(f"{file}: entry {number} is no mapping")
    where = f"{file}: {row.get('id', f'entry {number}')}"
    if wrong := sorted(_WANTED.keys() ^ set(map(str, row))):
        kind = "is unknown" if wrong[0] in row else "is missing"
        raise PriceError(f"{where}: key {wrong[0]!r} {kind}; known: {', '.join(sorted(_WANTED))}")
    for key, (wanted, holds) in _WANTED.items():
        if not holds(row[key]):
            raise PriceError(f"{where}: {key} must be {wanted}, got {row[key]!r}")
    if not row["read"] <= row["fresh"] <= row["write"]:
        raise PriceError(f"{where}: expected read <= fresh <= write")
