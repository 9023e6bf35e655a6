"""What a release must hold, measured on the authored corpus.

Everything that could hide a loss is counted: our own tool's schema is part of
what is sent, an abstention saves nothing, and a requirement is a toolset or a
group of which one is enough.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

from ..recovery.request import menu
from ..recovery.schema import SCHEMA
from ..registry_adapter.tokens import schema_tokens
from ..router import session as sessions
from ..router.session import SessionState
from ..router.values import Catalog, Decision, Outcome
from .routing import Case, catalog

__all__ = [
    "CRITICAL",
    "LEAST",
    "NONE_OF",
    "Gate",
    "Route",
    "changed",
    "decisions_of",
    "gates",
    "medians",
    "recall",
    "reduction",
    "unstable",
]

Route = Callable[[str, Catalog, bool], Decision]
"""``route(text, catalog, first)``."""
Grow = Callable[[SessionState, Decision, Catalog], SessionState]

CRITICAL = frozenset(("terminal", "file", "cronjob", "memory", "homeassistant", "messaging"))
"""A session that lacks one of these can fail to do, or to stop, something that matters."""

LEAST = {
    "reduction on the reference surface": 0.70,
    "reduction on a bare CLI": 0.55,
    "recall": 0.995,
    "recall, critical classes": 1.0,
}
"""Issue 8; medians over first messages, and shares of requirements."""
NONE_OF = (
    "kinds below their reduction on the reference surface",
    "kinds below their reduction on a bare CLI",
    "unstable surfaces",
)
"""What must not exist at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """One promise and what was found.

    Attributes:
        value: what was measured, a share or a count.
        bound: least value; for counts of faults the most.
        held: whether the promise holds.
        faults: ids of the cases that speak against it.
    """

    name: str
    value: float
    bound: float
    held: bool
    faults: tuple[str, ...] = ()


def decisions_of(cases: Iterable[Case], granted: Catalog, route: Route) -> dict[str, Decision]:
    """First-message decisions by case id."""
    return {case["id"]: route(case["prompt"], granted, True) for case in cases}


def reduction(decision: Decision, granted: Catalog) -> float:
    """Share of the stock schemas that a first request leaves out, our own tool counted as sent.

    Below zero where the whole surface is sent with our tool on top.
    """
    own = schema_tokens({**SCHEMA, "description": menu(granted)})
    kept = {str(name) for name in decision.toolsets}
    full = decision.outcome is Outcome.FULL
    sent = granted.tokens if full else sum(t.tokens for t in granted.toolsets if t.name in kept)
    return 1 - (sent + own) / granted.tokens


def recall(
    cases: Iterable[Case],
    decisions: Mapping[str, Decision],
    granted: Callable[[Case], Catalog],
) -> tuple[dict[str, float], dict[str, tuple[str, ...]], dict[str, int]]:
    """Shares of met requirements, the cases that miss one, and the number of requirements.

    All three by class: ``all``, ``critical``, and each toolset that a case requires.
    Requirements that the surface of a case cannot meet are left out.
    """
    met: defaultdict[str, list[bool]] = defaultdict(list)
    missed: defaultdict[str, list[str]] = defaultdict(list)
    for case in cases:
        names = {str(name) for name in granted(case).names}
        decision = decisions[case["id"]]
        full = decision.outcome is Outcome.FULL
        kept = names if full else {str(name) for name in decision.toolsets}
        for need in _needs(case, names):
            there = bool(kept & need)
            classes = ["all", *(["critical"] if need <= CRITICAL else [])]
            classes += [f"required: {name}" for name in need if len(need) == 1]
            for name in classes:
                met[name].append(there)
                if not there:
                    missed[name].append(case["id"])
    return (
        {name: sum(found) / len(found) for name, found in sorted(met.items())},
        {name: tuple(dict.fromkeys(ids)) for name, ids in missed.items()},
        {name: len(found) for name, found in met.items()},
    )


def _needs(case: Case, names: set[str]) -> list[set[str]]:
    single = [{name} for name in case["required_toolsets"] if name in names]
    groups = [set(group) & names for group in case.get("required_any") or []]
    return single + [group for group in groups if group]


def unstable(
    cases: Sequence[Case],
    costs: Mapping[str, int],
    route: Route,
    *,
    grow: Grow = sessions.expand,
) -> tuple[str, ...]:
    """Sessions whose surface shrinks, is re-ordered, or differs when played again."""
    first = [_played(case, costs, route, grow) for case in cases]
    again = [_played(case, costs, route, grow) for case in reversed(cases)][::-1]
    return tuple(
        case["id"]
        for case, one, two in zip(cases, first, again, strict=True)
        if one != two or any(b[: len(a)] != a for a, b in pairwise(one))
    )


def _played(
    case: Case, costs: Mapping[str, int], route: Route, grow: Grow
) -> list[tuple[str, ...]]:
    granted = catalog(costs, case.get("mcp_servers") or ())
    state: SessionState | None = None
    sent: list[tuple[str, ...]] = []
    for turn in case["turns"]:
        decision = route(turn["prompt"], granted, state is None)
        if state is None:
            state = sessions.start(case["id"], decision, granted, menu="")
        else:
            state = sessions.settle(grow(state, decision, granted), granted.order)
        names = sessions.sent_names(state, granted.order)
        sent.append(tuple(str(name) for name in (granted.order if names is None else names)))
    return sent


def gates(figures: Mapping[str, float], faults: Mapping[str, tuple[str, ...]]) -> list[Gate]:
    """Each promise with what was found.

    Args:
        figures: a value for each name of :data:`LEAST`.
        faults: what speaks against a promise, by its name: cases, sessions or kinds.
    """
    shares = [
        Gate(
            name=name,
            value=figures[name],
            bound=least,
            held=figures[name] >= least,
            faults=faults.get(name, ()),
        )
        for name, least in LEAST.items()
    ]
    counts = [
        Gate(
            name=name,
            value=len(faults.get(name, ())),
            bound=0,
            held=not faults.get(name),
            faults=faults.get(name, ()),
        )
        for name in NONE_OF
    ]
    return shares + counts


def changed(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Decisions that differ from the committed ones, a line each; new cases are no change."""
    lines = [
        f"{name}: {before[name]} -> {now[name]}"
        for name in sorted(before.keys() & now.keys())
        if before[name] != now[name]
    ]
    gone = sorted(before.keys() - now.keys())
    return lines + [f"{name}: the case is gone" for name in gone]


def medians(
    cases: Iterable[Case], decisions: Mapping[str, Decision], granted: Catalog
) -> dict[str, Any]:
    """Median reductions: of all cases, and by kind."""
    by_kind: defaultdict[str, list[float]] = defaultdict(list)
    for case in cases:
        by_kind[str(case.get("kind", "?"))].append(reduction(decisions[case["id"]], granted))
    everything = [value for values in by_kind.values() for value in values]
    return {
        "all": round(median(everything), 4),
        "by_kind": {kind: round(median(by_kind[kind]), 4) for kind in sorted(by_kind)},
    }
