"""``hermes tool-router report``, and where pages are written."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from ..registry_adapter.host import hermes_home
from ..registry_adapter.plugin import Runtime
from ..reports.log_page import log_report
from ..reports.page import Page, render
from ..reports.plots import is_installed
from ..reports.tier_report import NOT_IN_THE_LOG, other_rows, tier_report, tier_rows
from ..router.errors import RouterError
from .effect import percent
from .output import Output, counted

__all__ = ["PageError", "collect", "show", "write"]

_ROWS = 1_000_000
"""More than the log ever keeps."""


class PageError(RouterError):
    """A page could not be written."""


def collect(runtime: Runtime) -> dict[str, Any]:
    """Figures over the whole log of this home."""
    store = runtime.stores(hermes_home())
    decisions = store.tail("decisions", limit=_ROWS)
    joined = {
        store.digest(state.session_id): len(state.added) for state in store.sessions(limit=_ROWS)
    }
    return {
        **log_report(decisions, store.tail("gate", limit=_ROWS), store.counters()),
        "compared": tier_report(decisions, store.tail("calls", limit=_ROWS), joined),
    }


def show(data: dict[str, Any], out: Output) -> None:
    """Print it for people."""
    if not data["decisions"]:
        out.line("the log is empty: nothing was decided yet")
        return
    full, sent = data["tokens_full"], data["tokens_sent"]
    out.line(
        f"{counted(data['decisions'], 'decision')} in {counted(data['sessions'], 'session')} "
        f"{_sent(data['by_mode'])} about "
        f"{sent:,} of {full:,} tokens of tool schemas ({percent(sent, full)})",
        bold=True,
    )
    for name in ("outcome", "platform", "mode"):
        rows = [
            (key, f"{row['decisions']:,}", f"{100 * row['saving']:.0f}%")
            for key, row in data[f"by_{name}"].items()
        ]
        out.line()
        out.table([name, "decisions#", "saved#"], rows)
    _show_tiers(data["compared"], out)
    if data["asks_per_100_calls"] is not None:
        out.line()
        out.line(f"the gate asked or blocked {data['asks_per_100_calls']} times in 100 calls")


def _sent(modes: Collection[str]) -> str:
    """What requests did; in shadow they went out whole."""
    if "shadow" not in modes:
        return "sent"
    return "would have sent" if len(modes) == 1 else "sent, or in shadow would have sent,"


def _show_tiers(compared: dict[str, Any], out: Output) -> None:
    """The tiers side by side, and what cannot be said."""
    if not compared["tiers"]:
        return
    out.line()
    out.line("Tiers", bold=True)
    heads, rows = tier_rows(compared)
    out.table(heads, rows)
    for title, (heads, rows) in other_rows(compared).items():
        out.line()
        out.line(title, bold=True)
        out.table(heads, rows)
    out.line(NOT_IN_THE_LOG)


def write(page: Page, path: Path, out: Output) -> None:
    """Write a page and say where, unless the answer is JSON.

    Raises:
        PageError: the file cannot be written.
    """
    try:
        path.write_text(render(page), encoding="utf-8")
    except OSError as error:
        raise PageError(f"cannot write {path}: {error.strerror}") from error
    if not out.as_json:
        out.line()
        out.verbatim(f"page: {path}")
        if not is_installed():
            out.line("plots need matplotlib in Hermes' Python; the page has the tables")
