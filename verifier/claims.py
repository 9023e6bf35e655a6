"""What a final answer claims, sentence by sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import yaml

from ..router.errors import RuleError

__all__ = ["Claim", "ClaimTable", "Claims", "claim_table_from_bytes", "read_claims"]

MAX_CHARS = 12_000
"""Characters of an answer that are read, half from the start and half from the end."""

_FENCED = re.compile(r"(?s)(```|~~~).*?(?:\1|\Z)")
_QUOTED = re.compile(r"(?m)^\s{0,3}>.*$")
_INLINE = re.compile(r"`([^`\n]{0,200})`")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+|(?<=[。！？؟।])|;\s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One kind of claim.

    Attributes:
        tools: a successful call of one of these makes it true; empty: checks do.
    """

    kind: str
    tools: frozenset[str]
    patterns: tuple[re.Pattern[str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimTable:
    """``data/claims.yaml``."""

    hedges: tuple[re.Pattern[str], ...]
    admissions: tuple[re.Pattern[str], ...]
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """What one answer says.

    Attributes:
        kinds: kinds of claims made, without duplicates.
        admits: it says that something failed, is open or was not done.
    """

    kinds: frozenset[str]
    admits: bool


def claim_table_from_bytes(data: bytes) -> ClaimTable:
    """Read ``data/claims.yaml``.

    Raises:
        RuleError: the file does not validate.
    """
    try:
        book = yaml.safe_load(data)
        return ClaimTable(
            hedges=_patterns(book["hedges"]),
            admissions=_patterns(book["admissions"]),
            claims=tuple(_claim(kind, row) for kind, row in book["claims"].items()),
        )
    except (yaml.YAMLError, re.error, KeyError, TypeError, AttributeError) as error:
        raise RuleError(
            f"claims.yaml: expected hedges, admissions and claims with patterns: {error}"
        ) from error


def _claim(kind: str, row: Mapping[str, list[str]]) -> Claim:
    return Claim(
        kind=kind,
        tools=frozenset(row.get("tools", ())),
        patterns=_patterns(row["patterns"]),
    )


def _patterns(texts: list[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(text, re.IGNORECASE) for text in texts)


def read_claims(answer: str, table: ClaimTable) -> Claims:
    """Read an answer.  Never raises; code blocks and quotations claim nothing."""
    half = MAX_CHARS // 2
    text = answer if len(answer) <= MAX_CHARS else f"{answer[:half]}\n{answer[-half:]}"
    text = _QUOTED.sub("", _FENCED.sub("\n", text))
    text = _INLINE.sub(r"\1", text).replace("’", "'").replace("*", "")
    kinds: set[str] = set()
    admits = False
    for sentence in _SENTENCE.split(text):
        plain = sentence.strip()[:600]
        if not plain or plain[-1] in "?？؟":
            continue
        if any(pattern.search(plain) for pattern in table.admissions):
            admits = True
            continue
        if any(pattern.search(plain) for pattern in table.hedges):
            continue
        kinds |= {
            claim.kind
            for claim in table.claims
            if any(pattern.search(plain) for pattern in claim.patterns)
        }
    return Claims(kinds=frozenset(kinds), admits=admits)
