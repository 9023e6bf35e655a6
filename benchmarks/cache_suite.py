"""Money, prompt caches included: which surface policy is cheapest, by provider and use."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from ..recovery.request import menu
from ..recovery.schema import SCHEMA
from ..registry_adapter.prices import Tier, read_prices
from ..registry_adapter.tokens import schema_tokens
from ..reports import plots
from ..reports.page import Plot
from ..router.cost import Step, break_even_requests, expansion_cost
from .cache_model import (
    POLICIES,
    SCENARIOS,
    SYSTEM,
    Needs,
    Request,
    Scenario,
    Thrift,
    plan,
    requests,
    spent,
)
from .gates_suite import router
from .options import Options
from .output import emit, progress
from .routing import HERE, Case, catalog, read_cases, surface

__all__ = ["BASELINE", "SEED", "SHIPPED", "compare", "run", "simulate"]

BASELINE = HERE / "results" / "cache.json"

SEED = 20_260
SHIPPED = "shipped"
"""What the plugin does: ``exact``, and nothing where the prices of the tier make it dearer."""
_ROUTED = (SHIPPED, *(policy for policy in POLICIES if policy != "stock"))
_EARLY = Step(gap_s=10.0, tools=0, messages=1_500)
_LATE = Step(gap_s=10.0, tools=0, messages=20_000)
_ADDED = "terminal"


def run(options: Options) -> int:
    """Simulate and print; 0 always: this compares, it promises nothing."""
    report = compare(options)
    tiers = read_prices()
    if options.update:
        kept = {key: report[key] for key in ("winners", "scenarios", "break_even")}
        BASELINE.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    emit(options, report, [*_tables(report, tiers), *_remarks(report)], _plots(report, tiers))
    return 0


def compare(options: Options) -> dict[str, Any]:
    """Every scenario, policy and tier."""
    costs = surface(options.surface)
    cases = _cases(options)
    needs = Needs(catalog(costs), router(options.tier))
    own = schema_tokens({**SCHEMA, "description": menu(catalog(costs))})
    tiers = read_prices()
    report: dict[str, Any] = {"seed": SEED, "policies": ["stock", *_ROUTED], "scenarios": {}}
    for scenario in SCENARIOS:
        progress(scenario.name)
        report["scenarios"][scenario.name] = simulate(scenario, cases, needs, tiers, costs, own)
    report["break_even"] = _break_even(tiers, costs, own)
    report["winners"] = _winners(report)
    return report


def _cases(options: Options) -> list[Case]:
    """Cases that a session can begin with: labelled, and a task of its own."""
    rows = read_cases(options.cases or HERE / "cases" / "routes.jsonl")
    alone = {"followup", "greeting"}
    return [row for row in rows if "required_toolsets" in row and row.get("kind") not in alone]


def simulate(
    scenario: Scenario,
    cases: Sequence[Case],
    needs: Needs,
    tiers: Sequence[Tier],
    costs: Mapping[str, int],
    own: int,
) -> dict[str, Any]:
    """Dollars for each policy and tier, and what the policies' surfaces are like."""
    sessions = plan(scenario, cases, seed=SEED)
    made = {policy: requests(sessions, needs, policy) for policy in POLICIES}
    shipped = {
        tier.id: requests(
            sessions,
            needs,
            "exact",
            Thrift(tier.prices, own=own, same_system=scenario.same_system),
        )
        for tier in tiers
    }
    return {
        "sessions": len(sessions),
        "requests": len(made["stock"]),
        "surfaces": {policy: _shape(rows, costs, own, policy) for policy, rows in made.items()},
        "dollars": {
            tier.id: _dollars(scenario, tier, {**made, SHIPPED: shipped[tier.id]}, costs, own)
            for tier in tiers
        },
        "left_whole": {
            tier.id: len({row.session for row in shipped[tier.id] if row.stock}) for tier in tiers
        },
    }


def _dollars(
    scenario: Scenario,
    tier: Tier,
    made: Mapping[str, Sequence[Request]],
    costs: Mapping[str, int],
    own: int,
) -> dict[str, float]:
    return {
        policy: round(
            spent(
                made[policy],
                tier.prices,
                costs,
                own=_own(policy, own),
                same_system=scenario.same_system,
            ),
            6,
        )
        for policy in ("stock", *_ROUTED)
    }


def _own(policy: str, own: int) -> int:
    return 0 if policy == "stock" else own


def _shape(
    rows: Sequence[Request], costs: Mapping[str, int], own: int, policy: str
) -> dict[str, float]:
    sessions: dict[int, list[Request]] = {}
    for row in rows:
        sessions.setdefault(row.session, []).append(row)
    moves = sum(a.surface != b.surface for made in sessions.values() for a, b in pairwise(made))
    tokens = sum(sum(costs[name] for name in row.surface) + _own(policy, own) for row in rows)
    return {
        "tokens_per_request": round(tokens / len(rows), 1),
        "moves_per_session": round(moves / len(sessions), 3),
        "first_surfaces": len({made[0].surface for made in sessions.values()}),
    }


def _break_even(
    tiers: Sequence[Tier], costs: Mapping[str, int], own: int
) -> dict[str, dict[str, float | None]]:
    """Requests after which an exact surface with one expansion is cheaper than stock."""
    full = sum(costs.values())
    sent = own + sum(
        costs[name] for name in ("clarify", "memory", "skills", "web") if name in costs
    )
    added = costs.get(_ADDED, 0)
    found: dict[str, dict[str, float | None]] = {}
    for tier in tiers:
        row: dict[str, float | None] = {}
        for name, step in (("early", _EARLY), ("late", _LATE)):
            before = Step(gap_s=step.gap_s, tools=sent, messages=step.messages)
            debt = expansion_cost(before, added, tier.prices, system=SYSTEM)
            needed = break_even_requests(full, sent, tier.prices, expansions=[debt])
            row[f"{name}_expansion_dollars"] = round(debt, 6)
            row[f"{name}_requests"] = round(needed, 2) if needed != float("inf") else None
        found[tier.id] = row
    return found


def _winners(report: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    return {
        name: {
            tier: min((*_ROUTED, "stock"), key=lambda policy: row[policy])
            for tier, row in found["dollars"].items()
        }
        for name, found in report["scenarios"].items()
    }


def _saving(row: Mapping[str, float], policy: str) -> float:
    return 1 - row[policy] / row["stock"]


def _tables(report: Mapping[str, Any], tiers: Sequence[Tier]) -> list[Table]:
    titles = {tier.id: tier.title for tier in tiers}
    found = []
    for name, part in report["scenarios"].items():
        table = Table(
            title=f"Input saved against stock, {name}, {part['sessions']} sessions, "
            f"{part['requests']} requests",
            title_justify="left",
            caption_justify="left",
            box=SIMPLE_HEAD,
        )
        table.add_column("prices")
        table.add_column("$ stock", justify="right")
        for policy in _ROUTED:
            table.add_column(policy, justify="right")
        table.add_column("left whole", justify="right")
        for tier, row in part["dollars"].items():
            savings = (f"{_saving(row, policy):.1%}" for policy in _ROUTED)
            table.add_row(
                titles[tier], f"{row['stock']:.2f}", *savings, str(part["left_whole"][tier])
            )
        table.caption = "left whole: sessions that the prices keep from being narrowed"
        found.append(table)
        shapes = Table(title=f"Surfaces, {name}", title_justify="left", box=SIMPLE_HEAD)
        shapes.add_column("policy")
        for head in ("tokens a request", "changes a session", "different first surfaces"):
            shapes.add_column(head, justify="right")
        for policy, row in part["surfaces"].items():
            shapes.add_row(policy, *(f"{value:g}" for value in row.values()))
        found.append(shapes)
    even = Table(
        title=f"A narrow session (floor and web) to which {_ADDED} is added once",
        title_justify="left",
        caption_justify="left",
        box=SIMPLE_HEAD,
    )
    even.add_column("prices")
    for head in ("$ early", "pays after", "$ late", "pays after "):
        even.add_column(head, justify="right")
    for tier, row in report["break_even"].items():
        even.add_row(titles[tier], *(_cell(value) for value in row.values()))
    even.caption = (
        "requests from the first on; early: behind 1,500 tokens of messages, late: 20,000"
    )
    return [*found, even]


def _cell(value: float | None) -> str:
    return "never" if value is None else f"{value:g}"


def _remarks(report: Mapping[str, Any]) -> list[str]:
    lines = []
    for name, row in report["winners"].items():
        wins = sum(policy == SHIPPED for policy in row.values())
        others = sorted({f"{policy} ({tier})" for tier, policy in row.items() if policy != SHIPPED})
        lines.append(
            f"{name}: what ships is cheapest at {wins} of {len(row)} price tiers"
            + (f"; elsewhere {', '.join(others)}" if others else "")
        )
    return lines


def _plots(report: Mapping[str, Any], tiers: Sequence[Tier]) -> list[Plot]:
    titles = {tier.id: tier.title for tier in tiers}
    return [
        Plot(
            title=f"Input saved with the shipped policy, {name}",
            svg=plots.bars(
                {titles[tier]: _saving(row, SHIPPED) for tier, row in part["dollars"].items()},
                across=f"saved against stock, {name}",
                percent=True,
            ),
        )
        for name, part in report["scenarios"].items()
    ]
