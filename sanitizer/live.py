"""Find secrets whose values are known: those of the environment, and configured keys."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from urllib.parse import quote, quote_plus

from .lazy import lazy
from .names import family_of
from .table import LabelBook
from .values import Span

__all__ = ["find_known", "forms_of", "secret_names"]

MIN_KNOWN = 6
"""Characters; a shorter value would hit ordinary words."""

_SCHEME_IN_NAME = lazy(r"(?:_URL|_URI|_DSN|_CONNECTION_STRING)$")
_USER_INFO = lazy(r"://[^\s/@:]*:([^\s/@]+)@")
_FAMILIES = frozenset({"password", "token", "phrase"})


def secret_names(environ: Mapping[str, str], book: LabelBook) -> dict[str, str]:
    """Return the entries of an environment that are secrets by their name.

    A URL with a password in it counts with that password.  Values shorter than
    six characters, paths and plain words are left out.
    """
    chosen: dict[str, str] = {}
    for name, value in environ.items():
        if len(value) < MIN_KNOWN:
            continue
        inside = _USER_INFO.search(value)
        if inside:
            if len(inside[1]) >= MIN_KNOWN:
                chosen[name] = inside[1]
        elif _is_secret(name, book) and not value.startswith(("/", "~")) and "://" not in value:
            chosen[name] = value
    return chosen


def _is_secret(name: str, book: LabelBook) -> bool:
    family = family_of(name, book)
    return family in _FAMILIES or (family == "key" and name.upper().endswith("_KEY"))


def forms_of(value: str) -> tuple[str, ...]:
    """Return how a value may stand in a text: as is, URL-encoded, in JSON, base64."""
    raw = value.encode("utf-8", "replace")
    forms = {
        value,
        quote(value, safe="", errors="replace"),
        quote_plus(value, errors="replace"),
        json.dumps(value)[1:-1],
        base64.b64encode(raw).decode().rstrip("="),
        base64.urlsafe_b64encode(raw).decode().rstrip("="),
    }
    return tuple(sorted((form for form in forms if len(form) >= MIN_KNOWN), key=len, reverse=True))


def find_known(text: str, forms: tuple[str, ...]) -> Iterator[Span]:
    """Yield every occurrence of the known values."""
    for form in forms:
        at = text.find(form)
        while at >= 0:
            yield Span(at, at + len(form), "environment")
            at = text.find(form, at + len(form))
