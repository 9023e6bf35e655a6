"""Shell commands and their results, read as checks."""

from __future__ import annotations

from collections import Counter
from time import perf_counter
from typing import Any

from rich.table import Table

from ..registry_adapter.verify_resources import verify_tables
from ..verifier.recognise import recognise
from .options import Options
from .output import emit
from .routing import HERE, read_cases, write_rows

__all__ = ["run"]

TARGET = 0.97
"""Least share of verdicts that a careful reader accepts; a wrong pass fails the suite alone."""


def run(options: Options) -> int:
    """Read every case; 0 if the share holds and nothing passes wrongly, else 1."""
    tables = verify_tables()
    rows = read_cases(options.cases or HERE / "cases" / "verify.jsonl")
    predictions: list[dict[str, Any]] = []
    right = wrong_passes = judged = 0
    misses: Counter[tuple[str, str]] = Counter()
    start = perf_counter()
    for row in rows:
        found = recognise(row["command"], row["exit_code"], row["output"], tables)
        predictions.append({"id": row["id"], "verdict": found.verdict})
        if "expect" not in row:
            continue
        accepted = {row["expect"], *row.get("also_ok", ())}
        judged += 1
        right += found.verdict in accepted
        wrong_passes += found.verdict == "pass" and "pass" not in accepted
        if found.verdict not in accepted:
            misses[row["expect"], found.verdict] += 1
    micros = (perf_counter() - start) * 1e6 / max(1, len(rows))
    if options.predictions:
        write_rows(options.predictions, predictions)
    share = right / judged if judged else 1.0
    report = {
        "n": judged,
        "accepted": right,
        "share": round(share, 4),
        "wrong_passes": wrong_passes,
        "micros": round(micros, 1),
        "misses": {f"{expected} read as {got}": n for (expected, got), n in sorted(misses.items())},
    }
    emit(options, report, [_table(report)] if judged else [])
    return 0 if share >= TARGET and not wrong_passes else 1


def _table(report: dict[str, Any]) -> Table:
    table = Table(
        title=f"checks: {report['accepted']} of {report['n']} accepted, "
        f"{report['wrong_passes']} wrong passes, {report['micros']} µs each"
    )
    table.add_column("misread")
    table.add_column("cases", justify="right")
    for what, number in report["misses"].items():
        table.add_row(what, str(number))
    return table
