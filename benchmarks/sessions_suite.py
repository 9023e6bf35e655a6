"""Whole sessions, turn by turn."""

from __future__ import annotations

from typing import Any

from ..intent.reading import own_words
from ..intent.rulebook import RuleBook
from ..router.engine import decide
from ..router.session import SessionState, expand, start
from ..router.values import Message
from .options import Options
from .routing import FLOOR, HERE, Case, book, catalog, read_cases, surface, write_rows
from .tiers import Tiers, tiers

__all__ = ["run"]


def _replay(case: Case, costs: dict[str, int], rules: RuleBook, who: Tiers) -> list[dict[str, Any]]:
    granted = catalog(costs, case.get("mcp_servers") or ())
    state: SessionState | None = None
    turns: list[dict[str, Any]] = []
    for turn in case["turns"]:
        # Later turns add what strong evidence names: no other tier is asked.
        text = turn["prompt"]
        opinions = who.ask(own_words(text, rules), granted) if state is None else ()
        decision = decide(
            Message(text=text),
            granted,
            floor=FLOOR,
            book=rules,
            later_turn=state is not None,
            first_contact=state is None,
            use_rules=who.use_rules,
            opinions=opinions,
        )
        if state is None:
            state = start(case["id"], decision, granted, menu="")
        else:
            state = expand(state, decision, granted)
        full = state.phase in {"pass", "open"}
        visible = list(granted.names) if full else list(state.toolsets)
        turns.append({"visible": visible, "outcome": "full" if full else "narrowed"})
    return turns


def run(options: Options) -> int:
    """Replay every session and write one prediction each."""
    costs = surface(options.surface)
    rules = book()
    who = tiers(options.tier)
    cases = read_cases(options.cases or HERE / "cases" / "sessions.jsonl")
    rows = [{"id": case["id"], "turns": _replay(case, costs, rules, who)} for case in cases]
    if options.predictions:
        write_rows(options.predictions, rows)
    return 0
