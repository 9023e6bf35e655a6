"""What the latest decisions did to requests, in figures."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ..registry_adapter.store import StateStore
from ..router.thrift import DEARER

__all__ = ["RECENT", "effect", "outcomes", "percent"]

RECENT = 200
"""Rows of each log that the figures are about."""


def effect(store: StateStore) -> dict[str, Any]:
    """What the latest decisions did to requests."""
    rows = store.tail("decisions", limit=RECENT)
    enforced = [row for row in rows if row["mode"] == "enforce"]
    full, sent = _tokens(enforced, "tokens_full"), _tokens(enforced, "tokens_sent")
    shadow = [row for row in rows if row["mode"] == "shadow"]
    return {
        "decisions": len(rows),
        "outcomes": outcomes(rows),
        "enforced": len(enforced),
        "tokens_full": full,
        "tokens_removed": full - sent,
        "shadow": len(shadow),
        "refrained": sum(DEARER in _reasons(row) for row in rows),
        "would_remove": _tokens(shadow, "tokens_full") - _tokens(shadow, "tokens_sent"),
    }


def outcomes(rows: list[dict[str, object]]) -> dict[str, int]:
    """How often each outcome occurs, the most frequent first."""
    return dict(Counter(str(row["outcome"]) for row in rows).most_common())


def percent(part: float, whole: float) -> str:
    """A share in whole percent; a dash where there is no whole."""
    return f"{100 * part / whole:.0f}%" if whole else "-"


def _reasons(row: dict[str, object]) -> list[object]:
    found = row["reasons"]
    return found if isinstance(found, list) else []


def _tokens(rows: list[dict[str, object]], name: str) -> int:
    return sum(value for row in rows if isinstance(value := row[name], int))
