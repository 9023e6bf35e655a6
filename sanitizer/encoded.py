"""Find secrets inside base64, and tokens that a script puts together from pieces."""

from __future__ import annotations

import base64
import binascii
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
_CAPITALS = 4
"""Letters of a prefix that ends without a sign, as those of AWS."""
_MAX_BLOB = 65_536
_FIRST = 64
"""Characters of a long run that are decoded first."""
_TEXT_BEGINS = frozenset("CDIJKLMNOPQRSTUVWXYZabcdef")
"""Characters of base64 that the characters of ``_TEXT`` begin with."""
_TEXT = lazy(r"[\t\n\r -~]+")
_GAP_AND_RUN = lazy(r"[^A-Za-z0-9\n]{1,8}([A-Za-z0-9_-]{16,300})")
# NAME=prefix, read backwards from the prefix
_NAMED = lazy(r"""["']? ?=?[:=] ?(\w{0,40}[A-Za-z_])(?=[\s;&("']|\Z)""")
_ASSIGNS = frozenset(":= \"'")
"""What stands right before a prefix that is assigned to a name."""
_ENDS = lazy(r"""["']?(?=[\s;&)"',]|$)""")
# ${NAME}rest, NAME + "rest"
_USED = lazy(
    r"""(?:\$\{?(\w{1,41})\}?|\b([A-Za-z_]\w{0,40})\b)(?=["']?(?:[ \t]{0,3}[+.,][ \t]{0,3})?"""
    r"""["']?([A-Za-z0-9_/+=.-]{12}))"""
)
# $NAME$OTHER, NAME + OTHER
_BOTH = lazy(
    r"""\$\{?(\w{1,41})\}?(?=["']?\$\{?(\w{1,40}))|\b([A-Za-z_]\w{0,40})(?= ?[+.] ?(\w{1,40}))"""
)
# OTHER=rest
_VALUE = lazy(r"""\b(\w{1,41}) ?[:=]=? ?["']?(?=[A-Za-z0-9_/+=.-]{12})""")
_REST = lazy(r"[A-Za-z0-9_/+=.-]{12,300}")
_BEFORE = 48
"""Characters before a prefix in which its name stands with what is around it."""


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
    if run[0] not in _TEXT_BEGINS:
        return ""
    body = run.rstrip("=")
    if "-" in body or "_" in body:
        body = body.replace("-", "+").replace("_", "/")
    if len(body) % 4 == 1:
        body = body[:-1]
    # Most runs are no text: their first characters tell.
    return _decoded(body) if len(body) <= _FIRST or _decoded(body[:_FIRST]) else ""


def _decoded(body: str) -> str:
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
    names: set[str] = set()
    for prefix in known:
        whole = prefix[-1] in "-_." or len(prefix) == _CAPITALS
        at = text.find(prefix)
        while at >= 0:
            end = at + len(prefix)
            apart = _GAP_AND_RUN.match(text, end)
            if apart and strongly_random(apart[1]):
                yield Span(*apart.span(1), "token")
            if whole and text[at - 1 : at] in _ASSIGNS and _ENDS.match(text, end):
                named = _NAMED.match(text[max(0, at - _BEFORE) : at][::-1])
                names |= {named[1][::-1]} if named else set()
            at = text.find(prefix, end)
    if names:
        yield from _followed(text, names)


def _followed(text: str, names: set[str]) -> Iterator[Span]:
    """Yield what is put behind the variables of these names, itself or by its own name."""
    for used in _USED.finditer(text):
        if (used[1] or used[2]) in names and (rest := _REST.match(text, used.start(3))):
            yield Span(*rest.span(), "token")
    others = {both[2] or both[4] for both in _BOTH.finditer(text) if (both[1] or both[3]) in names}
    if not others:
        return
    for value in _VALUE.finditer(text):
        if value[1] in others and (rest := _REST.match(text, value.end())):
            yield Span(*rest.span(), "token")
