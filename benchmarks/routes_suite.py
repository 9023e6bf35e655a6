"""First messages to toolsets."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from ..intent.reading import own_words
from ..router.engine import decide
from ..router.values import Message
from .options import Options
from .routing import FLOOR, HERE, book, catalog, read_cases, surface, write_rows
from .tiers import tiers

__all__ = ["run"]


def run(options: Options) -> int:
    """Route every case and write one prediction each."""
    costs = surface(options.surface)
    granted = catalog(costs)
    rules = book()
    who = tiers(options.tier)
    cases = read_cases(options.cases or HERE / "cases" / "routes.jsonl")
    rows: list[dict[str, Any]] = []
    for case in cases:
        start = perf_counter()
        text = case["prompt"]
        decision = decide(
            Message(text=text),
            granted,
            floor=FLOOR,
            book=rules,
            use_rules=who.use_rules,
            opinions=who.ask(own_words(text, rules), granted),
        )
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
