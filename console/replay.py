"""``hermes tool-router replay``: the user's own history, routed again on this machine.

Reads ``state.db`` and never writes it; no tier that opens a socket is asked.
Text of messages is shown only on request, and sanitized.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from dataclasses import replace as changed
from datetime import datetime
from typing import Any

import yaml
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ..recovery.request import menu
from ..recovery.schema import NAME as REQUEST_TOOL
from ..recovery.schema import SCHEMA, TOOLSET
from ..registry_adapter.granted import HostError, granted_catalog
from ..registry_adapter.host import hermes_home
from ..registry_adapter.plugin import Runtime
from ..registry_adapter.prices import tier_of
from ..registry_adapter.surfaces import UNROUTED_PLATFORMS
from ..registry_adapter.tokens import schema_tokens
from ..reports.history import count_sessions, read_sessions
from ..reports.replay import Grant, Replay, Route, replay
from ..reports.suggest import Seen, Suggestion, own_file
from ..router.cost import Prices
from ..router.values import (
    Catalog,
    Origin,
    ToolName,
    Toolset,
    ToolsetName,
    ToolSpec,
)
from .effect import percent
from .output import Output
from .suggesting import Router, suggestions

__all__ = ["as_json", "collect", "show"]

_WARM_S = 20.0
_SHOWN = 20
"""Sessions and recoveries in the tables for people; JSON and HTML have all."""
_MESSAGE_CHARS = 200
_KINDS = {"pin": "pin", "rule": "rule in shadow", "off": "rule off"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A replayed history, and what would have made it better."""

    replay: Replay
    suggestions: tuple[Suggestion, ...] = ()


def collect(runtime: Runtime, *, limit: int | None, start: float) -> Found:
    """Route the history of this home again, and once more for each suggestion.

    Raises:
        HistoryError: it is missing, locked, damaged or foreign.
    """
    path = hermes_home() / "state.db"
    total = count_sessions(path, limit=limit, since=start)
    runtime.encoder.settle(runtime.places("").settings, timeout_s=_WARM_S)
    grants, router = _Grants(runtime), Router(runtime)
    messages: list[Seen] = []
    with _progress(total) as advance:
        base = replay(
            read_sessions(path, limit=limit, since=start),
            grant_of=grants,
            route=router,
            prices_of=_prices,
            seen=advance,
            observe=messages.append,
        )

    def again(route: Route) -> Replay:
        past = read_sessions(path, limit=limit, since=start)
        return replay(past, grant_of=grants, route=route, prices_of=_prices, priced=False)

    return Found(replay=base, suggestions=suggestions(base, messages, router, again))


def _prices(model: str) -> Prices | None:
    """Prices of a model by its name alone: a history does not say where it was asked."""
    tier = tier_of(model)
    return tier.prices if tier else None


class _Grants:
    """Grants by platform, each asked for once.

    A platform on which the router would not route, or that is not there any
    more, has none.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._known: dict[str, Grant | None] = {}

    def __call__(self, platform: str) -> Grant | None:
        if platform not in self._known:
            self._known[platform] = self._grant(platform)
        return self._known[platform]

    def _grant(self, platform: str) -> Grant | None:
        settings = self._runtime.places(platform).settings
        if platform in UNROUTED_PLATFORMS and not settings.route_subagents:
            return None
        try:
            catalog = granted_catalog(platform)
        except HostError:
            return None
        granted = REQUEST_TOOL in catalog.order
        passes = ""
        if not granted and REQUEST_TOOL in self._runtime.registered:
            passes = "host.no_request_toolset"
        if not granted and not passes:
            catalog = _with_own_tool(catalog, dict(SCHEMA))
        asked = _with_own_tool(catalog, {**SCHEMA, "description": menu(catalog)})
        return Grant(
            catalog=catalog if passes else asked,
            untouched=catalog.tokens,
            pinned=tuple(settings.floor_tools),
            expands=settings.expand_on_later_turns,
            refrains=settings.refrain_where_dearer,
            passes=passes,
        )


def _with_own_tool(catalog: Catalog, schema: dict[str, object]) -> Catalog:
    """The catalog with ``request_toolset`` at this schema's price; at the end if it is new."""
    name, owner = ToolName(REQUEST_TOOL), ToolsetName(TOOLSET)
    spec = ToolSpec(
        name=name,
        toolset=owner,
        description=str(schema["description"]),
        tokens=schema_tokens(schema),
    )
    if name in catalog.order:
        toolsets = tuple(
            changed(ts, tools=tuple(spec if tool.name == name else tool for tool in ts.tools))
            for ts in catalog.toolsets
        )
        return Catalog(toolsets=toolsets, order=catalog.order)
    own = Toolset(name=owner, origin=Origin.OWN, description="", tools=(spec,))
    return Catalog(toolsets=(*catalog.toolsets, own), order=(*catalog.order, name))


@contextmanager
def _progress(total: int) -> Iterator[Callable[[], None]]:
    """A bar on the error output, where that is a terminal."""
    console = Console(stderr=True)
    with Progress(
        TextColumn("sessions"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as bar:
        task = bar.add_task("", total=total)
        yield lambda: bar.advance(task)


def as_json(result: Found, runtime: Runtime, *, show_text: bool) -> dict[str, Any]:
    """The figures in the form that other programs read."""
    found = result.replay
    rows = [
        {
            "session": item.session,
            "platform": item.platform,
            "model": item.model,
            "started_at": item.started_at,
            "turns": item.turns,
            "requests": len(item.sent),
            "phase": item.phase,
            "first_full": item.stock,
            "first_sent": item.sent[0],
            "tokens_full": item.tokens_full,
            "tokens_sent": item.tokens_sent,
            "sent": list(item.sent),
            "moves": item.moves,
            "outside": item.outside,
            "cost_full": item.cost_full,
            "cost_sent": item.cost_sent,
            "recoveries": [
                {
                    "turn": missed.turn,
                    "toolset": missed.toolset,
                    "tool": missed.tool,
                    **({"message": _shown(runtime, missed.message)} if show_text else {}),
                }
                for missed in item.recoveries
            ],
        }
        for item in found.sessions
    ]
    costs = found.costs
    return {
        "sessions": rows,
        "left_out": found.left_out,
        "total": {
            "sessions": len(rows),
            "turns": sum(item.turns for item in found.sessions),
            "requests": sum(len(item.sent) for item in found.sessions),
            "tokens_full": found.tokens_full,
            "tokens_sent": found.tokens_sent,
            "moves": sum(item.moves for item in found.sessions),
            "recoveries": sum(found.missing.values()),
            "cost_full": costs[0] if costs else None,
            "cost_sent": costs[1] if costs else None,
            "priced_sessions": sum(item.cost_full is not None for item in found.sessions),
        },
        "missing": dict(found.missing),
        "suggestion": suggestion(result.suggestions, runtime),
        "own_rules": own_file(result.suggestions, with_rules=show_text),
        "suggestions": [_suggested(item, show_text=show_text) for item in result.suggestions],
    }


def suggestion(found: Sequence[Suggestion], runtime: Runtime) -> dict[str, Any]:
    """Settings worth a try, in the shape of our entry in Hermes' configuration; often empty."""
    pins = [item.name for item in found if item.kind == "pin"]
    if not pins:
        return {}
    already = runtime.places("").settings.floor_toolsets
    return {"global": {"floor_toolsets": sorted({*already, *pins})}}


def _suggested(item: Suggestion, *, show_text: bool) -> dict[str, Any]:
    """One suggestion; a rule holds words of messages."""
    return {
        "kind": item.kind,
        "name": item.name,
        "why": item.why,
        "effect": asdict(item.effect),
        **({"rule": dict(item.rule)} if item.rule is not None and show_text else {}),
    }


def _shown(runtime: Runtime, text: str) -> str:
    return runtime.models.sanitizer.for_display(text, max_chars=_MESSAGE_CHARS)


def show(data: dict[str, Any], out: Output) -> None:
    """Print it for people."""
    total = data["total"]
    if not data["sessions"]:
        out.line("nothing to replay: no session with a message that the router would see")
        return
    out.line(
        f"{_count(total['sessions'], 'session')}, {_count(total['turns'], 'message')}, "
        f"{_count(total['requests'], 'request')}"
        + (f"; {_count(data['left_out'], 'session')} left out" if data["left_out"] else ""),
        bold=True,
    )
    full, sent = total["tokens_full"], total["tokens_sent"]
    rows = [
        ("tool schemas, stock", f"about {full:,} tokens"),
        ("with the router", f"about {sent:,} tokens ({percent(sent, full)})"),
        ("would have come back", f"{total['recoveries']} times, in the step that called them"),
        ("tool list changed", f"{total['moves']} times within a session"),
    ]
    if total["cost_full"] is not None:
        rows.append(
            (
                "input, caches included",
                f"${total['cost_full']:.2f} stock, ${total['cost_sent']:.2f} with the router "
                f"({total['priced_sessions']} sessions have a known price)",
            )
        )
    out.pairs(rows)
    if total["cost_full"] is not None and total["cost_sent"] > total["cost_full"]:
        out.line(
            "dearer, not cheaper: whenever a tool list changes, the provider's cache of what "
            "stands behind it is paid for again; pin what comes back often"
        )
    _show_missing(data, out)
    _show_sessions(data, out)
    if data["suggestions"]:
        _show_suggestions(data, out)
    out.line()
    out.line("which tools were granted then is not stored: today's grant was taken")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _show_missing(data: dict[str, Any], out: Output) -> None:
    if data["missing"]:
        out.line()
        out.table(
            ["came back", "times#"],
            [(name, str(times)) for name, times in data["missing"].items()],
        )
    spoken = [
        (missed["toolset"], missed["tool"], missed["message"])
        for row in data["sessions"]
        for missed in row["recoveries"]
        if "message" in missed
    ]
    if spoken:
        out.line()
        out.table(["toolset", "tool", "message"], spoken[:_SHOWN])


def _show_suggestions(data: dict[str, Any], out: Output) -> None:
    """A table of measured effects, then what to write where."""
    rows = [
        (
            _KINDS[row["kind"]],
            row["name"],
            f"{row['effect']['missed_before']} to {row['effect']['missed_after']}",
            f"{row['effect']['tokens_after'] - row['effect']['tokens_before']:+,}",
            row["why"],
        )
        for row in data["suggestions"]
    ]
    out.line()
    out.line("Worth a try; each alone would have changed this history by", bold=True)
    out.table(["", "", "came back", "tokens#", "why"], rows)
    if data["suggestion"]:
        out.line()
        out.line("under plugins.entries.tool-router.settings in Hermes' config.yaml:")
        out.verbatim(yaml.safe_dump(data["suggestion"], sort_keys=False).rstrip())
    if data["own_rules"]:
        out.line()
        out.line("in tool-router/rules.yaml in the Hermes home, rules in shadow first:")
        out.verbatim(
            yaml.safe_dump(data["own_rules"], sort_keys=False, allow_unicode=False).rstrip()
        )
    hidden = sum(row["kind"] == "rule" and "rule" not in row for row in data["suggestions"])
    if hidden:
        out.line()
        noun = "rule" if hidden == 1 else "rules"
        out.line(f"{hidden} {noun} made of words of your messages: --show-text shows them")


def _show_sessions(data: dict[str, Any], out: Output) -> None:
    latest = data["sessions"][::-1][:_SHOWN]
    out.line()
    rows = [
        (
            datetime.fromtimestamp(row["started_at"]).strftime("%m-%d %H:%M"),
            row["platform"],
            str(row["requests"]),
            f"{row['tokens_full']:,}",
            percent(row["tokens_sent"], row["tokens_full"]),
            str(len(row["recoveries"])),
        )
        for row in latest
    ]
    out.table(["session", "platform", "requests#", "stock tokens#", "sent#", "came back#"], rows)
    if len(latest) < len(data["sessions"]):
        out.line(f"the latest {len(latest)} sessions; --json has all")
