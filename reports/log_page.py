"""The report on what the router did here: figures from its own log, and their page."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import plots
from .page import Figures, Grid, Page, Plot
from .tier_report import NOT_IN_THE_LOG, other_rows, tier_rows

__all__ = ["log_page", "log_report"]

Row = Mapping[str, object]
_ASKING = frozenset({"ask", "block"})
_TOOLS = 12


def log_report(
    decisions: Sequence[Row], gate: Sequence[Row], counters: Mapping[str, int]
) -> dict[str, Any]:
    """Figures over rows of the log.

    Args:
        decisions: rows of the table of that name, in any order.
        gate: the same.
        counters: all counters of the store.
    """
    routed = [row for row in decisions if _number(row, "tokens_full")]
    verdicts = Counter(str(row.get("verdict")) for row in gate)
    judged = sum(verdicts.values())
    return {
        "decisions": len(decisions),
        "sessions": len({row.get("session") for row in decisions}),
        "tokens_full": sum(_number(row, "tokens_full") for row in routed),
        "tokens_sent": sum(_number(row, "tokens_sent") for row in routed),
        "savings": [
            round(1 - _number(row, "tokens_sent") / _number(row, "tokens_full"), 4)
            for row in routed
        ],
        "by_outcome": _grouped(routed, "outcome"),
        "by_platform": _grouped(routed, "platform"),
        "by_tier": _grouped(routed, "tier"),
        "by_mode": _grouped(routed, "mode"),
        "rules": dict(Counter(name for row in routed for name in _texts(row)).most_common(20)),
        "verdicts": dict(verdicts.most_common()),
        "asks_per_100_calls": (
            round(100 * sum(verdicts[name] for name in _ASKING) / judged, 2) if judged else None
        ),
        "asks_by_tool": _by_tool(gate),
        "counters": dict(sorted(counters.items())),
    }


def _by_tool(gate: Sequence[Row]) -> dict[str, dict[str, float]]:
    """Asks and blocks per 100 calls of the tools that are called most."""
    calls = Counter(str(row.get("tool") or "-") for row in gate)
    asks = Counter(str(row.get("tool") or "-") for row in gate if row.get("verdict") in _ASKING)
    return {
        name: {"calls": number, "asks_per_100": round(100 * asks[name] / number, 2)}
        for name, number in calls.most_common(_TOOLS)
    }


def _grouped(rows: Iterable[Row], key: str) -> dict[str, dict[str, float]]:
    groups: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[str(row.get(key) or "-")].append(row)
    return {
        name: {
            "decisions": len(members),
            "saving": round(
                1
                - sum(_number(row, "tokens_sent") for row in members)
                / sum(_number(row, "tokens_full") for row in members),
                4,
            ),
        }
        for name, members in sorted(groups.items())
    }


def _number(row: Row, key: str) -> int:
    value = row.get(key)
    return value if isinstance(value, int) else 0


def _texts(row: Row) -> list[str]:
    value = row.get("reasons")
    try:
        listed = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return []
    return sorted({str(item) for item in listed}) if isinstance(listed, (list, tuple)) else []


def log_page(report: Mapping[str, Any]) -> Page:
    """The page for :func:`log_report`."""
    full, sent = report["tokens_full"], report["tokens_sent"]
    saved = f"{100 * (full - sent) / full:.0f} %" if full else "-"
    figures = [
        (saved, "of tool-schema tokens not sent at decisions"),
        (f"{report['decisions']:,}", "decisions"),
        (f"{report['sessions']:,}", "sessions"),
    ]
    if report["asks_per_100_calls"] is not None:
        figures.append((f"{report['asks_per_100_calls']:.1f}", "asks or blocks per 100 calls"))
    groups = tuple(
        Grid(
            title=f"By {name}",
            heads=(name, "decisions#", "saved#"),
            rows=tuple(
                (key, f"{row['decisions']:,}", f"{100 * row['saving']:.0f} %")
                for key, row in report[f"by_{name}"].items()
            ),
        )
        for name in ("outcome", "platform", "mode")
    )
    return Page(
        title="What the tool router did",
        lead="From the router's own log on this machine, which holds no message text. "
        "Decisions in shadow mode say what would have been sent.",
        parts=(
            Figures(items=tuple(figures)),
            Plot(
                title="Share of tokens saved, decision by decision",
                svg=plots.histogram(report["savings"], across="saved by a decision"),
                none=plots.why_none("No decision is in the log."),
            ),
            Plot(
                title="Asks and blocks per 100 calls, by tool",
                svg=plots.bars(
                    {name: row["asks_per_100"] for name, row in report["asks_by_tool"].items()},
                    across="asks or blocks per 100 calls",
                ),
                note=f"The {_TOOLS} tools that were called most; in shadow what would have been.",
                none=plots.why_none("Calls of fewer than two tools are in the log."),
            ),
            *_tiers(report.get("compared")),
            *groups,
            _counted("Most frequent reasons", "rule", report["rules"]),
            _counted("Verdicts of the gate", "verdict", report["verdicts"]),
            Grid(
                title="Judged calls by tool",
                heads=("tool", "calls#", "asks per 100#"),
                rows=tuple(
                    (name, f"{row['calls']:,}", f"{row['asks_per_100']:g}")
                    for name, row in report["asks_by_tool"].items()
                ),
            ),
            _counted("Counters", "counter", report["counters"]),
        ),
    )


def _tiers(compared: Mapping[str, Any] | None) -> list[Grid]:
    if not compared or not compared["tiers"]:
        return []
    heads, rows = tier_rows(compared)
    return [
        Grid(title="Tiers", heads=tuple(heads), rows=tuple(rows), note=NOT_IN_THE_LOG),
        *(
            Grid(title=title, heads=tuple(heads), rows=tuple(rows))
            for title, (heads, rows) in other_rows(compared).items()
        ),
    ]


def _counted(title: str, what: str, rows: Mapping[str, int]) -> Grid:
    return Grid(
        title=title,
        heads=(what, "times#"),
        rows=tuple((name, f"{times:,}") for name, times in rows.items()),
    )
