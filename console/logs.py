"""``hermes tool-router log``: the local, content-free logs."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ..registry_adapter.log_names import LogName
from ..registry_adapter.store import StateStore
from .output import Output, clock_time, counted

__all__ = ["follow", "show"]

_COLUMNS: dict[LogName, tuple[tuple[str, str], ...]] = {
    "decisions": (
        ("platform", "platform"),
        ("outcome", "outcome"),
        ("grade", "grade"),
        ("tier", "tier"),
        ("sent#", "tokens_sent"),
        ("full#", "tokens_full"),
        ("us#", "micros"),
        ("mode", "mode"),
    ),
    "calls": (
        ("purpose", "purpose"),
        ("backend", "backend"),
        ("outcome", "outcome"),
        ("ms#", "latency_ms"),
        ("in#", "input_tokens"),
        ("out#", "output_tokens"),
        ("model", "model"),
    ),
    "gate": (
        ("tool", "tool"),
        ("verdict", "verdict"),
        ("outcome", "outcome"),
        ("sev#", "severity"),
        ("findings", "findings"),
        ("choice", "choice"),
        ("mode", "mode"),
    ),
}
POLL_S = 0.5


def show(
    store: StateStore, kinds: tuple[LogName, ...], limit: int, out: Output
) -> dict[LogName, int]:
    """Print the latest rows of each log; returns the last id of each."""
    last: dict[LogName, int] = {}
    for kind in kinds:
        rows = store.tail(kind, limit=limit)
        last[kind] = _last(rows, 0)
        if not out.as_json:
            out.line(
                f"{kind}: {counted(len(rows), 'row')}" if rows else f"{kind}: nothing yet",
                bold=True,
            )
        _print(kind, rows, out, heads=True)
    return last


def follow(
    store: StateStore,
    last: dict[LogName, int],
    out: Output,
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Print rows as they come, until interrupted."""
    while True:
        sleep(POLL_S)
        for kind, seen in last.items():
            rows = store.tail(kind, after=seen, limit=1000)
            last[kind] = _last(rows, seen)
            _print(kind, rows, out, heads=False)


def _print(kind: LogName, rows: list[dict[str, Any]], out: Output, *, heads: bool) -> None:
    if out.as_json:
        for row in rows:
            out.value({"log": kind, **row})
        return
    if not rows:
        return
    columns = _COLUMNS[kind]
    cells = [[clock_time(row), *(_cell(row[name]) for _, name in columns)] for row in rows]
    names = [head for head, _ in columns]
    if heads:
        out.table(["time", *names], cells)
    else:
        for line in cells:
            out.line("  ".join(cell for cell in [kind, *line] if cell))


def _cell(value: object) -> str:
    if isinstance(value, list):
        return ",".join(str(item) for item in value)
    if isinstance(value, float):
        return f"{value:.0f}"
    return "" if value is None else str(value)


def _last(rows: list[dict[str, Any]], otherwise: int) -> int:
    return max((int(row["id"]) for row in rows), default=otherwise)
