"""First messages to toolsets."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from ..router.engine import decide
from ..router.values import Message
from .options import Options
from .routing import FLOOR, HERE, book, catalog, read_cases, surface, write_rows

__all__ = ["run"]


def run(options: Options) -> int:
    """Route every case and write one prediction each."""
    costs = surface(options.surface)
    granted = catalog(costs)
    rules = book()
    cases = read_cases(options.cases or HERE / "cases" / "routes.jsonl")
    rows: list[dict[str, Any]] = []
    for case in cases:
        start = perf_counter()
        decision = decide(Message(text=case["prompt"]), granted, floor=FLOOR, book=rules)
        micros = (perf_counter() - start) * 1e6
        rows.append(
            {
                "id": case["id"],
                "outcome": decision.outcome,
                "grade": decision.grade,
                "toolsets": list(decision.toolsets),
                "reasons": [reason.rule for reason in decision.reasons],
                "tier": decision.tier,
                "micros": round(micros, 1),
            }
        )
    if options.predictions:
        write_rows(options.predictions, rows)
    return 0
