"""Secrets in texts that are about to leave, by the sanitizer's own patterns."""

from __future__ import annotations

import pkgutil
import re
from functools import cache

from ..sanitizer import Sanitizer, table_from_bytes

__all__ = ["live_keys", "secret_kinds"]

MAX_SCANNED = 32_768
"""Characters that are searched; head and tail of a longer text."""


# Shapes that only their issuer makes: a file that holds one holds a key, whatever it is called.
# Source: the issuers' documentation of their token formats; sanitizer/data has many more, with
# labels and prose that ordinary source code is full of.
_LIVE = re.compile(
    r"(?<![A-Za-z0-9_])(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60,}|AKIA[A-Z0-9]{16}"
    r"|glpat-[\w-]{20}|xox[abprs]-\d{8,}-[\w-]{12,}|sk-ant-[\w-]{40,}|sk_live_[A-Za-z0-9]{24,}"
    r"|npm_[A-Za-z0-9]{36}|pypi-AgEI[\w-]{50,}|hf_[A-Za-z0-9]{34}|AIza[\w-]{35}"
    r"|SG\.[\w-]{22}\.[\w-]{43}|dop_v1_[a-f0-9]{64})(?![A-Za-z0-9_])"
)
_VARIED = re.compile(
    r"(?=.*\d)(?=.*[A-Z])(?!.*(?:EXAMPLE|example|XXXX|xxxx|0000|1234567|abcdef|ABCDEF))"
)


def live_keys(text: str) -> bool:
    """A text holds a key in its issuer's own shape that is no placeholder.  Linear."""
    return any(_VARIED.match(match[0]) for match in _LIVE.finditer(text))


@cache
def _sanitizer() -> Sanitizer:
    package = f"{(__package__ or '').rpartition('.')[0]}.sanitizer"
    return Sanitizer(table_from_bytes(pkgutil.get_data(package, "data/patterns.json") or b""))


def secret_kinds(text: str) -> tuple[str, ...]:
    """Kinds of secrets in a text, such as ``github``; empty for none.  Never raises."""
    return _sanitizer().text(text, max_chars=MAX_SCANNED).kinds
