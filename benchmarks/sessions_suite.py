"""Whole sessions, turn by turn, as the adapter plays them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from ..intent.reading import own_words
from ..intent.rulebook import RuleBook
from ..router.engine import decide
from ..router.session import Phase, SessionState, expand, start
from ..router.values import Message
from .options import Options
from .output import emit
from .routing import FLOOR, HERE, Case, book, catalog, read_cases, surface, write_rows
from .tiers import Tiers, tiers

__all__ = ["GATES", "run"]

GATES = {"hit": 0.93, "saving": 0.61, "expansions": 1.1, "lost": 0}
"""For the authored sessions: least hit and saving, most expansions a session, toolsets lost."""
_SERVER_TOKENS = 800
"""Assumed cost of an MCP server's schemas."""

Turn = dict[str, Any]


def run(options: Options) -> int:
    """Replay every session; 0 if the gates hold, 1 if not (cases of others have no gates)."""
    costs = surface(options.surface)
    rules = book()
    who = tiers(options.tier)
    cases = read_cases(options.cases or HERE / "cases" / "sessions.jsonl")
    played = [(case, _replay(case, costs, rules, who)) for case in cases]
    if options.predictions:
        write_rows(options.predictions, [{"id": c["id"], "turns": turns} for c, turns in played])
    if not all("required_toolsets" in turn for case in cases for turn in case["turns"]):
        return 0
    scored = [(case, _score(case, turns, costs)) for case, turns in played]
    report: dict[str, Any] = {"all": _summary([row for _, row in scored])}
    for key in ("kind", "lang"):
        groups: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        for case, row in scored:
            groups[str(case.get(key, "?"))].append(row)
        report[f"by_{key}"] = {name: _summary(groups[name]) for name in sorted(groups)}
    report["missed"] = [case["id"] for case, row in scored if not row["hit"]]
    held = options.cases is not None or _holds(report["all"])
    emit(options, report, [_table("Sessions", report)])
    return 0 if held else 1


def _replay(case: Case, costs: Mapping[str, int], rules: RuleBook, who: Tiers) -> list[Turn]:
    granted = catalog(costs, case.get("mcp_servers") or (), _SERVER_TOKENS)
    state: SessionState | None = None
    turns: list[Turn] = []
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
            use_rules=who.use_rules,
            opinions=opinions,
        )
        if state is None:
            state = start(case["id"], decision, granted, menu="")
        else:
            state = expand(state, decision, granted)
        full = state.phase in {Phase.PASS, Phase.OPEN}
        visible = list(granted.names) if full else list(state.toolsets)
        turns.append({"visible": visible, "outcome": "full" if full else "narrowed"})
    return turns


def _score(case: Case, turns: Sequence[Turn], costs: Mapping[str, int]) -> dict[str, Any]:
    """One session: hit when every turn is, mean saving, expansions, toolsets lost."""
    tokens = {**costs, **{f"mcp-{name}": _SERVER_TOKENS for name in case.get("mcp_servers") or ()}}
    whole = sum(tokens.values())
    hit = True
    savings: list[float] = []
    expansions = lost = 0
    before: set[str] | None = None
    for wanted, turn in zip(case["turns"], turns, strict=True):
        seen = {str(name) for name in turn["visible"]}
        needs = {name for name in wanted["required_toolsets"] if name in tokens}
        groups = [set(g) & set(tokens) for g in wanted.get("required_any") or []]
        hit = hit and needs <= seen and all(seen & group for group in groups if group)
        savings.append(1 - sum(tokens[name] for name in seen) / whole)
        if before is not None:
            expansions += bool(seen - before)
            lost += bool(before - seen)
        before = seen
    return {"hit": hit, "savings": savings, "expansions": expansions, "lost": lost}


def _summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    turns = [saving for row in rows for saving in row["savings"]]
    return {
        "sessions": len(rows),
        "hit": round(sum(row["hit"] for row in rows) / len(rows), 4),
        "saving": round(sum(turns) / len(turns), 4),
        "expansions": round(sum(row["expansions"] for row in rows) / len(rows), 4),
        "lost": sum(row["lost"] for row in rows),
    }


def _holds(found: Mapping[str, Any]) -> bool:
    return bool(
        found["hit"] >= GATES["hit"]
        and found["saving"] >= GATES["saving"]
        and found["expansions"] <= GATES["expansions"]
        and found["lost"] <= GATES["lost"]
    )


def _table(title: str, report: Mapping[str, Any]) -> Table:
    table = Table(title=title, title_justify="left")
    columns = ("sessions", "hit", "saving", "expansions", "lost")
    table.add_column("")
    for column in columns:
        table.add_column(column, justify="right")
    for name, row in {"all": report["all"], **report["by_kind"]}.items():
        table.add_row(name, *(str(row[column]) for column in columns))
    return table
