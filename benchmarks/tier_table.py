"""The tiers side by side: ``benchmarks/run.py routes --tier compare``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from ..intent.reading import own_words
from ..router.engine import decide
from ..router.values import Message
from .options import Options, UsageError
from .output import emit, progress
from .routing import FLOOR, HERE, Case, book, catalog, read_cases, surface
from .scoring import Scored, labelled, summary
from .tiers import tiers

__all__ = ["COMPARE", "LOCAL_TIERS", "compare"]

COMPARE = "compare"
"""Value of ``--tier`` that stands for all that need no network."""
LOCAL_TIERS = ("rules", "local", "rules+local")


def compare(options: Options) -> int:
    """Route every labelled case with each tier and print one table; no gates.

    Without ``--cases`` these are the authored cases of the test split, from which
    no tier has learned.

    Raises:
        UsageError: no case has labels that the surface can meet, or the extra
            ``[local]`` is not installed.
    """
    costs = surface(options.surface)
    cases = read_cases(options.cases or HERE / "cases" / "routes.jsonl")
    if options.cases is None:
        cases = [case for case in cases if case.get("split") == "test"]
    cases = [case for case in cases if labelled(case, costs)]
    if not cases:
        raise UsageError("no case has labels that this surface can meet")
    report = {name: _measured(name, cases, costs) for name in LOCAL_TIERS}
    emit(options, {"tiers": report}, [_table(report)])
    return 0


def _measured(name: str, cases: Sequence[Case], costs: Mapping[str, int]) -> dict[str, Any]:
    """Hit, saving and time of one tier over the cases."""
    progress(f"{len(cases)} messages, tier {name}")
    who, rules, granted = tiers(name), book(), catalog(costs)
    scored: list[Scored] = []
    millis: list[float] = []
    for case in cases:
        text = case["prompt"]
        start = perf_counter()
        decision = decide(
            Message(text=text),
            granted,
            floor=FLOOR,
            book=rules,
            use_rules=who.use_rules,
            opinions=who.ask(own_words(text, rules), granted),
        )
        millis.append((perf_counter() - start) * 1e3)
        scored.append(Scored.of(case, decision))
    millis.sort()
    english = [item for item in scored if str(item.case.get("lang", "")).startswith("en")]
    other = [item for item in scored if not str(item.case.get("lang", "")).startswith("en")]
    return {
        **summary(scored, costs),
        "hit_english": summary(english, costs)["hit"],
        "hit_other": summary(other, costs)["hit"],
        "p50_ms": round(millis[len(millis) // 2], 3),
        "p95_ms": round(millis[int(len(millis) * 0.95)], 3),
    }


_COLUMNS = {
    "n": "n",
    "hit": "hit",
    "en": "hit_english",
    "other": "hit_other",
    "saving": "saving",
    "full": "abstention",
    "p50 ms": "p50_ms",
    "p95 ms": "p95_ms",
}
"""Headings, short enough for a terminal of 80 columns, and what stands under them."""


def _table(report: Mapping[str, Mapping[str, Any]]) -> Table:
    table = Table(title="Tiers on first messages", title_justify="left", box=SIMPLE_HEAD)
    table.add_column("", no_wrap=True)
    for heading in _COLUMNS:
        table.add_column(heading, justify="right")
    for name, row in report.items():
        table.add_row(name, *(_cell(row[key]) for key in _COLUMNS.values()))
    return table


def _cell(value: float | int | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.3f}"
