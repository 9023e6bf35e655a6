"""First requests of the live evaluation: every case in both arms, no tool run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from random import Random
from statistics import mean, median
from typing import Any

from ..probe.scene import scratch_scene
from .live_ask import Answer, Asker
from .live_endpoint import Caller
from .live_journal import Journal
from .live_play import ARMS, OWN
from .live_stats import interval
from .output import progress
from .routing import Case

__all__ = ["ask_all", "drawn", "latest", "summary"]

_BATCH = 8
"""Cases of one start of Hermes; what a killed run loses at most."""


def drawn(cases: Sequence[Case], limit: int, seed: int) -> list[Case]:
    """Labelled cases, one for each text; the same for the same seed."""
    labelled = {case["prompt"]: case for case in cases if "required_toolsets" in case}
    pool = sorted(labelled.values(), key=lambda case: str(case["id"]))
    return Random(seed).sample(pool, min(limit, len(pool)))


def ask_all(cases: Sequence[Case], caller: Caller, journal: Journal) -> None:
    """Ask what no earlier part of the run got an answer to, until the caller stops."""
    done = latest(journal.rows)
    for start in range(0, len(cases), _BATCH):
        for arm in ARMS:
            batch = [
                case for case in cases[start : start + _BATCH] if (case["id"], arm) not in done
            ]
            if batch and caller.stopped is None and not caller.budget.spent:
                progress(f"{len(batch)} first requests, {arm}")
                _asked(batch, arm, caller, journal)


def _asked(batch: Sequence[Case], arm: str, caller: Caller, journal: Journal) -> None:
    """One start of Hermes; its rows are in the file when it ends."""
    asker = Asker(caller)
    plan: list[Mapping[str, Any]] = []
    for case in batch:
        plan.append({"do": "agent", "agent": case["id"]})
        plan.append({"do": "turn", "agent": case["id"], "say": case["prompt"]})
    with scratch_scene() as scene:
        scene.fill(ARMS[arm], asker)
        driven = scene.hermes.drive([*plan, {"do": "registry"}], timeout_s=3_600)
    owners = {item["name"]: item["toolset"] for item in driven.facts.get("registry", ())}
    for case in batch:
        found = asker.answers.get(case["prompt"])
        found = found or Answer(offered=(), error="Hermes sent nothing")
        if found.error != "budget":
            journal.add({"row": "first", "id": case["id"], "arm": arm, **_row(found, owners)})


def _row(found: Answer, owners: Mapping[str, str]) -> dict[str, Any]:
    return {
        **asdict(found),
        "offered_toolsets": sorted({owners.get(name, name) for name in found.offered}),
        "called_toolsets": sorted({owners.get(name, name) for name in found.called}),
    }


def latest(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], Mapping[str, Any]]:
    """The last answered row of each case and arm."""
    return {
        (row["id"], row["arm"]): row for row in rows if row["row"] == "first" and not row["error"]
    }


def summary(
    rows: Sequence[Mapping[str, Any]], cases: Sequence[Case], *, seed: int
) -> dict[str, Any]:
    """The comparison over cases that both arms answered, the latest row of each.

    ``right``: the first call is of a toolset that the case needs or accepts, or
    nothing is needed and nothing is called.  ``score`` is our own composite,
    ``(right, routed / right, full) * (1 + share of input tokens saved)``; a model
    that calls no tool has none.
    """
    found = latest(rows)
    pairs = [
        (case, found[case["id"], "full"], found[case["id"], "routed"])
        for case in cases
        if all((case["id"], arm) in found for arm in ARMS)
    ]
    errors = sum(row["row"] == "first" and bool(row["error"]) for row in rows)
    made: dict[str, Any] = {"cases": len(cases), "pairs": len(pairs), "errors": errors}
    if not pairs:
        return made
    for place, arm in enumerate(ARMS, 1):
        made[arm] = _arm([(pair[0], pair[place]) for pair in pairs])
    made["first_s_difference"] = {
        "median": round(median(b["first_s"] - a["first_s"] for _, a, b in pairs), 3),
        "interval": interval(
            pairs, lambda some: median(b["first_s"] - a["first_s"] for _, a, b in some), seed=seed
        ),
    }
    full, routed = made["full"], made["routed"]
    if full["input_tokens"]:
        saved = 1 - routed["input_tokens"] / full["input_tokens"]
        made["saved"] = round(saved, 4)
        if full["right"] and full["calls"]:
            made["score"] = round(routed["right"] / full["right"] * (1 + saved), 4)
    made["rows"] = [
        {"id": case["id"], "full": _brief(pair_full), "routed": _brief(pair_routed)}
        for case, pair_full, pair_routed in pairs
    ]
    return made


def _brief(row: Mapping[str, Any]) -> dict[str, Any]:
    kept = ("offered_toolsets", "called", "input_tokens", "first_s")
    return {key: row[key] for key in kept}


def _arm(made: Sequence[tuple[Case, Mapping[str, Any]]]) -> dict[str, Any]:
    return {
        "needed_offered": round(mean(_offers(case, row) for case, row in made), 4),
        "right": round(mean(_right(case, row) for case, row in made), 4),
        "input_tokens": sum(row["input_tokens"] for _, row in made),
        "cached_tokens": sum(row["cached_tokens"] for _, row in made),
        "first_s": round(median(row["first_s"] for _, row in made), 3),
        "calls": sum(len(row["called"]) for _, row in made),
        "held_back_calls": sum(
            name not in row["offered"] for _, row in made for name in row["called"]
        ),
        "asked_for_more": sum(OWN in row["called"] for _, row in made),
    }


def _offers(case: Case, row: Mapping[str, Any]) -> bool:
    offered = set(row["offered_toolsets"])
    groups = case.get("required_any") or []
    return set(case["required_toolsets"]) <= offered and all(offered & set(g) for g in groups)


def _right(case: Case, row: Mapping[str, Any]) -> bool:
    needed = set(case["required_toolsets"]).union(*(case.get("required_any") or []))
    called = row["called_toolsets"]
    if not called:
        return not needed
    return bool(set(called) & (needed | set(case.get("acceptable_extra") or [])))
