"""The page of a replay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from . import plots
from .page import Figures, Grid, Page, Plot

__all__ = ["replay_page"]

_DEARER = (
    "Fewer tokens, but dearer: each change of a tool list pays for the provider's cache again; "
    "pin what comes back often. "
)
_KINDS = {"pin": "pin a toolset", "rule": "rule in shadow", "off": "shipped rule off"}
_ROWS = 500
"""Sessions in the page's table, the latest; all are in the JSON."""


def replay_page(data: Mapping[str, Any]) -> Page:
    """The page for the figures of ``replay --json``."""
    total = data["total"]
    sessions: Sequence[Mapping[str, Any]] = data["sessions"]
    full, sent = total["tokens_full"], total["tokens_sent"]
    figures = [
        (_share(full - sent, full), "of tool-schema tokens not sent"),
        (f"{full:,}", "tokens, stock"),
        (f"{sent:,}", "tokens, with the router"),
        (f"{total['recoveries']:,}", "calls that would have brought a toolset back"),
        (f"{total['moves']:,}", "changes of a tool list within a session"),
    ]
    if total["cost_full"] is not None:
        figures.append((f"${total['cost_full']:.2f}", "input, stock"))
        figures.append((f"${total['cost_sent']:.2f}", "input, with the router"))
    savings = [
        1 - row["tokens_sent"] / row["tokens_full"] for row in sessions if row["tokens_full"]
    ]
    return Page(
        title="What the tool router would have sent",
        lead=_lead(total),
        parts=(
            Figures(items=tuple(figures)),
            Plot(
                title="Share of tokens saved, session by session",
                svg=plots.histogram(savings, across="saved in a session"),
                note="Sessions below zero send our own tool on top and are counted at zero.",
                none=plots.why_none("No session to draw."),
            ),
            _timeline(sessions),
            _missing(data["missing"]),
            _suggested(data.get("suggestions", ())),
            _spoken(sessions),
            _table(sessions),
        ),
    )


def _lead(total: Mapping[str, Any]) -> str:
    dearer = total["cost_full"] is not None and total["cost_sent"] > total["cost_full"]
    return (
        f"{_DEARER if dearer else ''}{_count(total['sessions'], 'session')} with "
        f"{_count(total['turns'], 'message')} of this Hermes home, routed again on this machine. "
        "Which tools were granted then is not stored: today's grant was taken. "
        "Tokens are estimates; money counts prompt caches."
    )


def _timeline(sessions: Sequence[Mapping[str, Any]]) -> Plot:
    """The session whose surface changed most often, the longest of them."""
    chosen = max(sessions, key=lambda row: (row["moves"], row["requests"]), default=None)
    lines: dict[str, Sequence[float]] = {}
    if chosen is not None and chosen["requests"] > 1:
        lines = {
            "stock": [chosen["first_full"]] * chosen["requests"],
            "with the router": chosen["sent"],
        }
    return Plot(
        title="Surfaces over one session",
        svg=plots.steps(lines, across="request", up="tool-schema tokens"),
        note="The session whose tool list changed most often.",
        none=plots.why_none("No session has more than one request."),
    )


def _missing(missing: Mapping[str, int]) -> Grid:
    return Grid(
        title="What would have come back",
        heads=("toolset", "times#"),
        rows=tuple((name, f"{times:,}") for name, times in missing.items()),
        note="The call runs in its own step; from the next request on the toolset is there.",
    )


def _suggested(rows: Sequence[Mapping[str, Any]]) -> Grid:
    return Grid(
        title="Worth a try",
        heads=("what", "", "came back before#", "after#", "tokens#", "why"),
        rows=tuple(
            (
                _KINDS[row["kind"]],
                row["name"],
                f"{row['effect']['missed_before']:,}",
                f"{row['effect']['missed_after']:,}",
                f"{row['effect']['tokens_after'] - row['effect']['tokens_before']:+,}",
                row["why"],
            )
            for row in rows
        ),
        note="Each alone, replayed over this history; the command prints what to write where.",
    )


def _spoken(sessions: Sequence[Mapping[str, Any]]) -> Grid:
    rows = [
        (missed["toolset"], missed["tool"], missed["message"])
        for row in sessions
        for missed in row["recoveries"]
        if "message" in missed
    ]
    return Grid(
        title="Messages whose toolset was held back",
        heads=("toolset", "tool", "message"),
        rows=tuple(rows[:_ROWS]),
    )


def _table(sessions: Sequence[Mapping[str, Any]]) -> Grid:
    latest = sessions[::-1][:_ROWS]
    rows = tuple(
        (
            datetime.fromtimestamp(row["started_at"]).strftime("%Y-%m-%d %H:%M"),
            row["platform"],
            row["model"],
            str(row["requests"]),
            f"{row['tokens_full']:,}",
            f"{row['tokens_sent']:,}",
            _share(row["tokens_full"] - row["tokens_sent"], row["tokens_full"]),
            str(row["moves"]),
            str(len(row["recoveries"])),
            _money(row["cost_full"]),
            _money(row["cost_sent"]),
        )
        for row in latest
    )
    more = len(sessions) - len(latest)
    return Grid(
        title="Sessions, the latest first",
        heads=(
            "began",
            "platform",
            "model",
            "requests#",
            "stock#",
            "sent#",
            "saved#",
            "changes#",
            "came back#",
            "$ stock#",
            "$ sent#",
        ),
        rows=rows,
        note=f"{more:,} earlier sessions are in the JSON." if more else "",
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


def _money(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"
