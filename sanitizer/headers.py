"""Find credentials in HTTP headers and cookies."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator

from .accept import Seen, accepts
from .judge import is_placeholder, is_reference, looks_like_code, looks_random, strongly_random
from .lazy import lazy
from .names import family_of
from .table import LabelBook
from .values import Span

__all__ = ["authorization", "bearer", "cookies", "header_end"]

_SCHEME = lazy(
    r"""[ \t]{0,8}\\{0,8}["']?(?:([A-Za-z][A-Za-z0-9_-]{1,30})[ \t]{1,8})?([^\s"'\\]{1,8000})"""
)
_WORDS = lazy(r"[a-z]{2,16}(?:[_-][a-z]{2,16}){1,3}")
"""The name of a variable, as in ``Bearer access_token``."""
_PARAMETERS = lazy(
    r"""(?i)\b(?:response|signature|oauth_signature|oauth_token|mac|token|password|cnonce|key)=\\{0,4}["']?([^\s"',\\]{8,400})"""
)
_CREDENTIAL = lazy(r"[A-Za-z0-9._~+/=:|-]{8,8000}")
_COOKIE = lazy(r"""([^\s=;,"']{1,80})=([^\s;,"']{1,4096})""")
_SESSION = ("sess", "sid", "auth", "token", "login", "remember", "csrf", "xsrf")
_ATTRIBUTES = frozenset({"path", "domain", "expires", "max-age", "samesite", "priority", "version"})


def header_end(text: str, at: int) -> int:
    """Return the end of the header that begins at ``at``: its line, 8,192 characters at most."""
    limit = min(len(text), at + 8192)
    line = text.find("\n", at, limit)
    return line if line >= 0 else limit


def authorization(text: str, at: int, book: LabelBook, sep: str | None) -> Iterator[Span]:
    """Yield the credential of an ``Authorization`` header, its scheme kept."""
    if sep not in {":", "=", "=>", ","} and text[at : at + 1] not in {'"', "'"}:
        return
    stop = header_end(text, at)
    found = _SCHEME.match(text, at, stop)
    if found is None:
        return
    if (
        found[1]
        and "=" in found[2]
        and found[2].split("=", 1)[0].replace("_", "").isalpha()
        and found[1].lower() != "basic"
    ):
        named = [Span(*m.span(1), "authorization") for m in _PARAMETERS.finditer(text, at, stop)]
        if named:
            yield from named
            return
    value = found[2].rstrip(",;")
    if is_reference(value) or is_placeholder(value) or value.lower() in book.plain:
        return
    if looks_like_code(value) or (value.islower() and _WORDS.fullmatch(value)):
        return
    if not found[1] and not looks_random(value):
        return
    if len(value) >= 6 and not value.endswith("("):
        yield Span(found.start(2), found.start(2) + len(value), "authorization")


def bearer(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the credential behind a bare ``Bearer`` or ``Basic``."""
    if text[end : end + 1] == ":":
        end += 1
    if text[end : end + 1] not in {" ", "\t"}:
        return
    found = _CREDENTIAL.match(text, end + 1)
    if found is None:
        return
    value = found.group().rstrip(".:")
    if text[start:end].lower().startswith("basic"):
        if not _is_basic(value):
            return
    elif len(value) < 12 or not looks_random(value):
        return
    yield Span(found.start(), found.start() + len(value), "authorization")


def _is_basic(value: str) -> bool:
    """Whether the value is base64 of ``user:secret``."""
    try:
        plain = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    return b":" in plain and all(32 <= byte < 127 for byte in plain)


def cookies(text: str, at: int, book: LabelBook, sep: str | None) -> Iterator[Span]:
    """Yield the cookie values that are secret by their name or their looks."""
    if sep not in {":", "=", "=>"}:
        return
    for found in _COOKIE.finditer(text, at, header_end(text, at)):
        name, value = found[1].lower(), found[2]
        if name in _ATTRIBUTES:
            continue
        named = family_of(found[1], book) or any(piece in name for piece in _SESSION)
        if (named and accepts(value, Seen("token", "query"), book)) or strongly_random(value):
            yield Span(*found.span(2), "cookie")
