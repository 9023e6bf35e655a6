"""Profiles of the plugin on real Hermes, held against what is due and against stock.

The matrix of the jev-router reference: disabled, shadow, risk-only, enforce.  What
is real, and what stands in for the rest, says ``evaluate_child.py``.
"""

from __future__ import annotations

import importlib.metadata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from . import record
from .evaluate_cases import FILE, Case, read
from .evaluate_play import PROFILES, play
from .evaluate_score import COUNTS, INVARIANTS, Score, broken, score
from .options import Options, UsageError
from .output import emit, progress
from .surfaces import require_hermes

__all__ = ["DOCUMENT", "RESULT", "markdown", "run"]

_ROOT = Path(__file__).resolve().parents[1]
RESULT = _ROOT / "benchmarks" / "results" / "evaluate.json"
DOCUMENT = _ROOT / "docs" / "evaluation.md"

_TIMES = {"wall_ms": "own time a turn, median ms", "cpu_ms": "of it processor time"}
_TELLING = tuple(COUNTS)[:7]
"""Counts of single mistakes, which the report names turn by turn."""


def run(options: Options) -> int:
    """Play every case under every profile; 0 if the invariants hold, else 1.

    Raises:
        UsageError: the cases are wrong, or Hermes did not play them to the end.
    """
    require_hermes()
    cases = read(options.cases or FILE)
    try:
        found = play(cases, PROFILES, tick=lambda name: progress(f"{len(cases)} cases, {name}"))
    except RuntimeError as error:
        raise UsageError(str(error)) from error
    scores = {name: score(cases, played, found["stock"]) for name, played in found.items()}
    faults = broken(scores)
    report = {
        "hermes": importlib.metadata.version("hermes-agent"),
        "cases": len(cases),
        "turns": len(found["stock"]),
        "profiles": {name: _figures(one) for name, one in scores.items()},
        "invariants": [
            {**asdict(invariant), "holds": all(invariant is not other for other, _ in faults)}
            for invariant in INVARIANTS
        ],
        "held": not faults,
    }
    if options.update:
        record.save(RESULT, report, DOCUMENT, markdown(report))
    emit(options, report, [_matrix(cases, scores), _mistakes(scores), *_promises(report)])
    return 1 if faults else 0


def markdown(report: Mapping[str, Any]) -> str:
    """The matrix of a report, as Markdown, one row a count."""
    profiles = report["profiles"]
    rows = [f"| | {' | '.join(profiles)} |", "|---" + "|--:" * len(profiles) + "|"]
    for name in COUNTS:
        cells = " | ".join(f"{figures[name]:,}" for figures in profiles.values())
        rows.append(f"| {name.replace('_', ' ')} | {cells} |")
    for name, words in _TIMES.items():
        cells = " | ".join(f"{figures[name]:.1f}" for figures in profiles.values())
        rows.append(f"| {words} | {cells} |")
    return "\n".join(rows) + "\n"


def _figures(one: Score) -> dict[str, Any]:
    return {
        **{name: one.count(name) for name in COUNTS},
        "wall_ms": round(one.wall_ms, 3),
        "cpu_ms": round(one.cpu_ms, 3),
        "where": {name: dict(Counter(one.where[name])) for name in _TELLING if one.where[name]},
    }


def _matrix(cases: Sequence[Case], scores: Mapping[str, Score]) -> Table:
    turns = sum(len(case.turns) for case in cases)
    table = _table(f"{len(cases)} cases, {turns} turns on real Hermes")
    table.add_column("")
    for name in scores:
        table.add_column(name, justify="right")
    for name in COUNTS:
        table.add_row(name.replace("_", " "), *(str(one.count(name)) for one in scores.values()))
    for name, words in _TIMES.items():
        table.add_row(words, *(f"{getattr(one, name):.1f}" for one in scores.values()))
    return table


def _mistakes(scores: Mapping[str, Score]) -> Table:
    """Which turns the counts of mistakes are about."""
    table = _table("Which turns")
    for head in ("profile", "count", "turns"):
        table.add_column(head, overflow="fold")
    for profile, one in scores.items():
        for name in _TELLING:
            turns = Counter(one.where[name])
            if turns and not _same_as_stock(scores, profile, name):
                listed = (f"{key} ×{n}" if n > 1 else key for key, n in turns.items())
                table.add_row(profile, name.replace("_", " "), ", ".join(listed))
    return table


def _same_as_stock(scores: Mapping[str, Score], profile: str, name: str) -> bool:
    stock = scores["stock"].where[name]
    return profile != "stock" and scores[profile].where[name] == stock


def _promises(report: Mapping[str, Any]) -> list[str]:
    return [
        f"{'holds ' if item['holds'] else 'BROKEN'}  {item['profile']} {item['promise']}"
        for item in report["invariants"]
    ]


def _table(title: str) -> Table:
    return Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
