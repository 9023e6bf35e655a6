"""The tiers of routing side by side, as far as the log tells.

A decision's row has the tier that spoke last.  What the tiers before it would
have kept is in its reasons: ``engine.rules-alone-same`` and the like.  How many
tokens that would have been is in no row.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["NOT_IN_THE_LOG", "other_rows", "tier_report", "tier_rows"]

Row = Mapping[str, object]
NOT_IN_THE_LOG = (
    "The log does not hold the tokens that an earlier tier alone would have sent, nor which "
    "decision a recovery followed: 'joined later' counts what joined the surfaces of sessions "
    "that are still known, whoever asked for it. explain shows both for one message."
)
_ORDER = ("rules", "local", "system_one", "chat")
_ALONE = "-alone-"


def tier_report(
    decisions: Sequence[Row], calls: Sequence[Row], joined: Mapping[str, int]
) -> dict[str, Any]:
    """Figures by tier.

    Args:
        decisions: rows of the log of that name; those without a tier are no decisions.
        calls: rows of the log of model calls.
        joined: what joined the surface later, by digest of the session.

    Returns:
        ``tiers``: by the tier that spoke last; ``alone``: by an earlier tier, how often its own
        choice was the ``same``, ``more``, ``fewer`` or ``other``; ``calls``: by backend.
    """
    groups: defaultdict[str, list[Row]] = defaultdict(list)
    for row in decisions:
        if row.get("tier") and _number(row, "tokens_full"):
            groups[str(row["tier"])].append(row)
    found = sorted(groups, key=lambda name: (_place(name), name))
    return {
        "tiers": {name: _tier(groups[name], joined) for name in found},
        "alone": _alone(decisions),
        "calls": _calls(calls),
    }


Table = tuple[list[str], list[tuple[str, ...]]]
"""Heads, those of numbers with a trailing ``#``; and rows."""


def tier_rows(found: Mapping[str, Any]) -> Table:
    """The tiers as a table."""
    heads = ["tier", "spoke#", "full#", "failed#", "saved#", "tokens#", "joined later#"]
    rows: list[tuple[str, ...]] = [
        (
            name,
            f"{row['decisions']:,}",
            f"{row['full']:,}",
            f"{row['failed']:,}",
            f"{100 * row['saving']:.0f}%",
            f"{row['kept']:,}",
            "-" if row["joined_later"] is None else f"{row['joined_later']:.2f}",
            *_millis(row),
        )
        for name, row in found["tiers"].items()
    ]
    return [*heads, "p50 ms#", "p95 ms#"], rows


def other_rows(found: Mapping[str, Any]) -> dict[str, Table]:
    """Tables of agreement and of model calls by title, those that have rows."""
    tables: dict[str, Table] = {}
    if found["alone"]:
        kinds = ("same", "more", "fewer", "other")
        tables["What an earlier tier alone would have kept"] = (
            ["tier", *(f"{kind}#" for kind in kinds)],
            [
                (tier, *(f"{counts.get(kind, 0):,}" for kind in kinds))
                for tier, counts in found["alone"].items()
            ],
        )
    if found["calls"]:
        tables["Model calls of routing"] = (
            ["asked for, by", "calls#", "ok#", "from memory#", "p50 ms#", "p95 ms#"],
            [
                (
                    name,
                    f"{row['calls']:,}",
                    f"{row['ok']:,}",
                    f"{row['cached']:,}",
                    *_millis(row),
                )
                for name, row in found["calls"].items()
            ],
        )
    return tables


def _millis(row: Mapping[str, Any]) -> tuple[str, str]:
    one, two = ("-" if row[key] is None else f"{row[key]:.2f}" for key in ("p50_ms", "p95_ms"))
    return one, two


def _place(name: str) -> int:
    return _ORDER.index(name) if name in _ORDER else len(_ORDER)


def _tier(rows: Sequence[Row], joined: Mapping[str, int]) -> dict[str, Any]:
    full = sum(_number(row, "tokens_full") for row in rows)
    sent = sum(_number(row, "tokens_sent") for row in rows)
    known = [joined[name] for row in rows if (name := str(row.get("session"))) in joined]
    return {
        "decisions": len(rows),
        "full": sum(row.get("outcome") == "full" for row in rows),
        "failed": sum(_failed(row) for row in rows),
        "saving": round(1 - sent / full, 4),
        "kept": round(sent / len(rows)),
        "joined_later": round(sum(known) / len(known), 3) if known else None,
        **_spread([_number(row, "micros") / 1000 for row in rows]),
    }


def _failed(row: Row) -> bool:
    return bool(row.get("errors")) or "engine.classifier_failed" in _reasons(row)


def _alone(decisions: Sequence[Row]) -> dict[str, dict[str, int]]:
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in decisions:
        for reason in _reasons(row):
            if reason.startswith("engine.") and _ALONE in reason:
                tier, _, relation = reason.removeprefix("engine.").partition(_ALONE)
                found[tier][relation] += 1
    return {tier: dict(counts.most_common()) for tier, counts in sorted(found.items())}


def _calls(calls: Sequence[Row]) -> dict[str, dict[str, Any]]:
    groups: defaultdict[str, list[Row]] = defaultdict(list)
    for row in calls:
        if row.get("purpose") in {"route", "turn"}:
            groups[f"{row.get('purpose')}, {row.get('backend')}"].append(row)
    return {
        name: {
            "calls": len(rows),
            "ok": sum(row.get("outcome") == "ok" for row in rows),
            "cached": sum(bool(row.get("cached")) for row in rows),
            **_spread(
                [
                    float(value)
                    for row in rows
                    if isinstance(value := row.get("latency_ms"), (int, float))
                ]
            ),
        }
        for name, rows in sorted(groups.items())
    }


def _spread(millis: Sequence[float]) -> dict[str, float | None]:
    """Median and 95th percentile, in milliseconds; ``None`` without a value."""
    ordered = sorted(millis)
    if not ordered:
        return {"p50_ms": None, "p95_ms": None}
    last = len(ordered) - 1
    return {
        "p50_ms": round(ordered[len(ordered) // 2], 3),
        "p95_ms": round(ordered[min(last, int(len(ordered) * 0.95))], 3),
    }


def _number(row: Row, key: str) -> int:
    value = row.get(key)
    return value if isinstance(value, int) else 0


def _reasons(row: Row) -> list[str]:
    value = row.get("reasons")
    try:
        listed = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return []
    return [str(item) for item in listed] if isinstance(listed, (list, tuple)) else []
