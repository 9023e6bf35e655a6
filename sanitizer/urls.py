"""Find passwords in the user part of URLs of any scheme."""

from __future__ import annotations

from collections.abc import Iterator

from .judge import is_placeholder, is_reference, looks_random, strongly_random
from .lazy import lazy
from .values import Span

__all__ = ["find_user_info"]

_AUTHORITY = lazy(r"""[^\s/?#"'`<>\\]{1,2048}""")
# A password with a slash or an at sign in it: look as far as the last @ of the word.
_LOOSE = lazy(r"""[^\s"'`<>\\]{1,512}""")
_PLAIN_USERS = frozenset({"password", "pass", "passwd", "pwd", "secret", "pw"})


def find_user_info(text: str) -> Iterator[Span]:
    """Yield the password of ``scheme://user:password@host``, or the token of ``scheme://token@host``.

    User names and hosts stay.
    """
    at = text.find("://")
    while at >= 0:
        begin = at + 3
        found = _AUTHORITY.match(text, begin)
        if found:
            yield from _read(text, begin, found.end())
        at = text.find("://", max(begin, at + 1))


def _read(text: str, begin: int, end: int) -> Iterator[Span]:
    sign = text.rfind("@", begin, end)
    if sign < 0:
        sign = _loose_sign(text, begin)
        if sign < 0:
            return
    colon = text.find(":", begin, sign)
    if colon < 0:
        value = text[begin:sign]
        if len(value) >= 12 and looks_random(value):
            yield Span(begin, sign, "url-password")
        return
    user = text[begin:colon]
    if len(user) >= 20 and strongly_random(user):
        yield Span(begin, colon, "url-password")
    value = text[colon + 1 : sign]
    if value and not _stands_in(value):
        yield Span(colon + 1, sign, "url-password")


def _loose_sign(text: str, begin: int) -> int:
    """Return where the ``@`` is behind a password that holds ``/``, ``?`` or ``#``; -1: none."""
    if text.find("@", begin, begin + 512) < 0:
        return -1
    found = _LOOSE.match(text, begin)
    if found is None:
        return -1
    sign = text.rfind("@", begin, found.end())
    colon = text.find(":", begin, sign) if sign > 0 else -1
    slash = text.find("/", begin, sign) if sign > 0 else -1
    if colon < 0 or (0 <= slash < colon) or text[colon + 1 : colon + 6].split("/", 1)[0].isdigit():
        return -1
    return sign


def _stands_in(value: str) -> bool:
    return is_reference(value) or value.lower() in _PLAIN_USERS or is_placeholder(value)
