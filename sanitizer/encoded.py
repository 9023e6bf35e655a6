"""Find secrets inside base64, and tokens that a script puts together from pieces."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator

from .hints import Hints
from .judge import strongly_random
from .lazy import lazy
from .table import PatternTable
from .values import Span

__all__ = ["find_encoded", "find_pieces"]

_BLOB = lazy(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX = lazy(r"(?<![0-9A-Fa-f])(?:[2-7][0-9A-Fa-f]){10,}(?![0-9A-Fa-f])")
_MIN_HEX = 20
_MAX_BLOB = 65_536
_TEXT = lazy(r"[\t\n\r -~]+")
_ASSIGNED = lazy(
    r"""(?m)(?:^|[\s;&("'])(?:export )?([A-Za-z_]\w{0,40}) ?[:=]=? ?"""
    r"""["']?([A-Za-z][A-Za-z0-9_.-]{1,20}[-_.]|[A-Z]{4})["']?(?=[\s;&)"',]|$)"""
)
_GAP_AND_RUN = lazy(r"[^A-Za-z0-9\n]{1,8}([A-Za-z0-9_-]{16,300})")
_BOTH = r"""\$\{{?{0}\}}?["']?\$\{{?(\w{{1,40}})\}}?|\b{0} ?[+.] ?(\w{{1,40}})"""
_VALUE = r"""\b{0} ?[:=]=? ?["']?([A-Za-z0-9_/+=.-]{{12,300}})"""
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
        if len(run) < _MIN_HEX:
            continue
        for digits in _HEX.finditer(text, *found.span()):
            plain = bytes.fromhex(digits.group()).decode("ascii", "replace")
            if _TEXT.fullmatch(plain) and has_secret(plain):
                yield Span(*digits.span(), "encoded")


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


def find_pieces(hints: Hints, table: PatternTable) -> Iterator[Span]:
    """Yield the rest of a token whose beginning stands apart from it.

    ``A=`` a vendor's prefix, then ``${A}rest`` or ``$A$B``; or a prefix, quotes,
    commas or blanks, and then a random run.
    """
    known = table.prefixes_in(hints)
    if not known:
        return
    text = hints.text
    for prefix in known:
        yield from _apart(text, prefix)
    names = {m[1] for m in _ASSIGNED.finditer(text) if m[2] in table.prefixes}
    for name in sorted(names)[:16]:
        for found in re.finditer(_PIECE.format(re.escape(name)), text):
            yield Span(*found.span(1), "token")
        for other in re.finditer(_BOTH.format(re.escape(name)), text):
            rest = re.escape(other[1] or other[2])
            for found in re.finditer(_VALUE.format(rest), text):
                yield Span(*found.span(1), "token")


def _apart(text: str, prefix: str) -> Iterator[Span]:
    at = text.find(prefix)
    while at >= 0:
        found = _GAP_AND_RUN.match(text, at + len(prefix))
        if found and strongly_random(found[1]):
            yield Span(*found.span(1), "token")
        at = text.find(prefix, at + len(prefix))
