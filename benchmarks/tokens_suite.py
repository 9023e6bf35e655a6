"""Bytes and tokens per toolset and per opener, stock and sent, on the real Hermes."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from ..probe.home import ENFORCE, STOCK, Contents
from ..probe.scene import scratch_scene
from ..probe.script import Request
from .openers import OPENERS
from .options import Options
from .output import emit, progress
from .surfaces import Surface, drive_openers, estimates, minified, require_hermes, surface
from .vocabulary import Counter, load

__all__ = ["run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Route:
    """One opener without and with the router; ``rough`` is Hermes' estimate of the request."""

    id: str
    stock: Surface
    sent: Surface
    rough_stock: int
    rough_sent: int


def run(options: Options) -> int:
    """Measure; 1 if an opener sends more than it promises or lacks a tool, else 0."""
    require_hermes()
    counter = load()
    with scratch_scene() as scene:
        progress("Hermes without the router")
        stock, driven = drive_openers(scene, STOCK, OPENERS)
        progress("Hermes with the router")
        sent, _ = drive_openers(scene, Contents(settings=ENFORCE), OPENERS)
        progress("Hermes' own estimator")
        owners = {entry["name"]: str(entry["toolset"]) for entry in driven.facts["registry"]}
        groups = _by_toolset(stock[0].body["tools"], owners)
        rough = estimates(
            scene,
            [*({"messages": [], "tools": tools} for tools in groups.values())]
            + [_bare(request) for request in (*stock, *sent)],
        )
    toolsets = _toolset_rows(groups, rough, counter)
    rough_requests = rough[len(groups) :]
    routes = [
        _Route(
            id=opener.id,
            stock=surface(stock[place], counter),
            sent=surface(sent[place], counter),
            rough_stock=rough_requests[place],
            rough_sent=rough_requests[len(OPENERS) + place],
        )
        for place, opener in enumerate(OPENERS)
    ]
    faults = _faults(routes)
    version = importlib.metadata.version("hermes-agent")
    report = {
        "hermes": version,
        "counter": counter.name,
        "toolsets": toolsets,
        "registered": _registered(driven.facts["registry"], counter),
        "routes": [_route_json(route) for route in routes],
        "faults": faults,
    }
    title = f"hermes-agent {version}, tokens: {counter.name}"
    emit(
        options,
        report,
        [
            _toolset_table(toolsets, title),
            _route_table(routes, title),
            *(f"NOT HELD  {fault}" for fault in faults),
        ],
    )
    return 1 if faults else 0


def _bare(request: Request) -> dict[str, Any]:
    return {"messages": list(request.messages), "tools": request.body.get("tools") or []}


def _by_toolset(
    tools: Sequence[Mapping[str, Any]], owners: Mapping[str, str]
) -> dict[str, list[Mapping[str, Any]]]:
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for tool in tools:
        owner = owners.get(tool["function"]["name"], "(not in the registry)")
        groups.setdefault(owner, []).append(tool)
    return groups


def _toolset_rows(
    groups: Mapping[str, Sequence[Mapping[str, Any]]], rough: Sequence[int], counter: Counter
) -> list[dict[str, Any]]:
    rows = []
    for (name, tools), estimate in zip(groups.items(), rough, strict=False):
        texts = [minified(tool) for tool in tools]
        rows.append(
            {
                "toolset": name,
                "tools": len(tools),
                "bytes": sum(len(text.encode()) for text in texts),
                "tokens": sum(counter.count(text) for text in texts),
                "hermes_estimate": estimate,
            }
        )
    return sorted(rows, key=lambda row: -row["tokens"])


def _registered(registry: Sequence[Mapping[str, Any]], counter: Counter) -> dict[str, int]:
    """Every tool that Hermes registers, granted here or not."""
    texts = [
        minified({"type": "function", "function": {"name": item["name"], **(item["schema"] or {})}})
        for item in registry
    ]
    return {
        "tools": len(texts),
        "bytes": sum(len(text.encode()) for text in texts),
        "tokens": sum(counter.count(text) for text in texts),
    }


def _faults(routes: Sequence[_Route]) -> list[str]:
    """What an opener promises and this run does not hold."""
    faults = []
    for opener, route in zip(OPENERS, routes, strict=True):
        share = _share(route)
        if opener.share is not None and share > opener.share:
            faults.append(f"{opener.id}: {share:.0%} of the tool bytes, at most {opener.share:.0%}")
        missing = opener.needs & set(route.stock.names) - set(route.sent.names)
        if missing:
            faults.append(f"{opener.id}: {', '.join(sorted(missing))} not visible")
    return faults


def _share(route: _Route) -> float:
    return route.sent.tools.bytes / max(1, route.stock.tools.bytes)


def _route_json(route: _Route) -> dict[str, Any]:
    return {
        "id": route.id,
        "stock": route.stock.as_json(),
        "sent": route.sent.as_json(),
        "hermes_estimate": {"stock": route.rough_stock, "sent": route.rough_sent},
        "tool_bytes_share": round(_share(route), 4),
        "tokens_saved": route.stock.request.tokens - route.sent.request.tokens,
    }


def _toolset_table(rows: Sequence[Mapping[str, Any]], title: str) -> Table:
    table = Table(
        title=f"Toolsets of a bare `hermes chat`\n{title}",
        title_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
    )
    table.add_column("toolset")
    for heading in ("tools", "bytes, minified", "tokens", "Hermes' estimate"):
        table.add_column(heading, justify="right")
    keys = ("tools", "bytes", "tokens", "hermes_estimate")
    for row in rows:
        table.add_row(str(row["toolset"]), *(f"{row[key]:,}" for key in keys))
    table.add_section()
    table.add_row("all", *(f"{sum(row[key] for row in rows):,}" for key in keys))
    return table


def _route_table(routes: Sequence[_Route], title: str) -> Table:
    table = Table(
        title=f"First requests, system prompt and message included\n{title}",
        title_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
    )
    table.add_column("opener", no_wrap=True)
    for heading in (
        "tools",
        "tool\nbytes",
        "share",
        "tool\ntokens",
        "all\ntokens",
        "saved",
        "Hermes'\nestimate",
    ):
        table.add_column(heading, justify="right")
    for place, route in enumerate(routes):
        saved = route.stock.request.tokens - route.sent.request.tokens
        if place == 0:
            cells = _cells(route.stock, 1.0, 0)
            table.add_row("without the router", *cells, f"{route.rough_stock:,}", end_section=True)
        table.add_row(route.id, *_cells(route.sent, _share(route), saved), f"{route.rough_sent:,}")
    return table


def _cells(sent: Surface, share: float, saved: int) -> tuple[str, ...]:
    return (
        f"{len(sent.names)}",
        f"{sent.tools.bytes:,}",
        f"{share:.0%}",
        f"{sent.tools.tokens:,}",
        f"{sent.request.tokens:,}",
        f"{saved:,}",
    )
