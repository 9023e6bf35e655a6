"""Find secrets inside base64, and tokens that a script puts together from pieces."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator

from .lazy import lazy
from .values import Span

__all__ = ["find_encoded", "find_pieces"]

_BLOB = lazy(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX = lazy(r"(?<![0-9A-Fa-f])(?:[2-7][0-9A-Fa-f]){10,}(?![0-9A-Fa-f])")
_MAX_BLOB = 65_536
_TEXT = lazy(r"[\t\n\r -~]+")
_ASSIGNED = lazy(
    r"""(?m)(?:^|[\s;&("'])(?:export )?([A-Za-z_]\w{0,40}) ?[:=]=? ?"""
    r"""["']?([A-Za-z][A-Za-z0-9_.-]{1,20}[-_.]|[A-Z]{4})["']?(?=[\s;&)"',]|$)"""
)
_PIECE = (
    r"""(?:\$\{{?{0}\}}?|\b{0}\b)["']?(?:[ \t]{{0,3}}[+.,][ \t]{{0,3}})?"""
    r"""["']?([A-Za-z0-9_/+=.-]{{12,300}})"""
)


def find_encoded(text: str, has_secret: Callable[[str], bool]) -> Iterator[Span]:
    """Yield base64 and hexadecimal runs whose plain text holds a secret.

    Args:
        text: the view.
        has_secret: whether a plain text holds one; called once for each run that
            decodes to printable ASCII, so its work stays below that of ``text``.
    """
    for found in _BLOB.finditer(text):
        run = found.group()
        if len(run) <= _MAX_BLOB and (plain := _plain(run)) and has_secret(plain):
            yield Span(*found.span(), "encoded")
    for found in _HEX.finditer(text):
        plain = bytes.fromhex(found.group()).decode("ascii", "replace")
        if _TEXT.fullmatch(plain) and has_secret(plain):
            yield Span(*found.span(), "encoded")


def _plain(run: str) -> str:
    """Return what a base64 run says, empty unless it is printable ASCII."""
    body = run.rstrip("=").replace("-", "+").replace("_", "/")
    if len(body) % 4 == 1:
        body = body[:-1]
    try:
        plain = base64.b64decode(body + "=" * (-len(body) % 4)).decode("ascii")
    except (binascii.Error, ValueError):
        return ""
    return plain if _TEXT.fullmatch(plain) else ""


def find_pieces(text: str, prefixes: frozenset[str]) -> Iterator[Span]:
    """Yield what is appended to a variable that holds the beginning of a token.

    ``A=`` a vendor's prefix, then ``${A}rest``: the rest is yielded.
    """
    names = {m[1] for m in _ASSIGNED.finditer(text) if m[2] in prefixes}
    for name in sorted(names)[:16]:
        for found in re.finditer(_PIECE.format(re.escape(name)), text):
            yield Span(*found.span(1), "token")
