"""Follow-ups told from scoped requests, language by language."""

from __future__ import annotations

from collections import defaultdict
from time import perf_counter
from typing import Any

import yaml
from rich.table import Table

from ..intent.followup_table import FollowupTable
from ..intent.followups import is_greeting, recognise
from ..registry_adapter.resources import ROOT, phrase_table
from .options import Options
from .output import emit
from .routing import read_cases, write_rows

__all__ = ["run"]

_EXPECTED = {"follow_up": True, "scoped": False, "greeting": True, "not_greeting": False}
TARGET = 0.95
"""Least share of right answers, (TP + TN) / n."""


def run(options: Options) -> int:
    """Recognise every case; 0 if the share of right answers holds, 1 if not."""
    table = phrase_table()
    rows = read_cases(options.cases) if options.cases else _authored()
    predictions: list[dict[str, Any]] = []
    tally: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    start = perf_counter()
    for row in rows:
        found = _answer(row, table)
        predictions.append({"id": row["id"], "followup": found})
        if "followup" in row:
            counts = tally[row.get("lang", "?")]
            counts[0 if row["followup"] else 2] += found == row["followup"]
            counts[1 if row["followup"] else 3] += 1
    micros = (perf_counter() - start) * 1e6 / max(1, len(rows))
    if options.predictions:
        write_rows(options.predictions, predictions)
    right = sum(counts[0] + counts[2] for counts in tally.values())
    total = sum(counts[1] + counts[3] for counts in tally.values())
    share = right / total if total else 1.0
    report = {
        "n": total,
        "right": right,
        "share": round(share, 4),
        "micros": round(micros, 1),
        "by_lang": {
            lang: {"recall": [c[0], c[1]], "scoped": [c[2], c[3]]}
            for lang, c in sorted(tally.items())
        },
    }
    emit(options, report, [_table(report)] if total else [])
    return 0 if share >= TARGET else 1


def _authored() -> list[dict[str, Any]]:
    """The cases that stand beside the phrases."""
    rows: list[dict[str, Any]] = []
    for path in sorted((ROOT / "intent" / "data" / "followups").glob("*.yaml")):
        book = yaml.safe_load(path.read_text(encoding="utf-8"))
        for kind, texts in book.get("cases", {}).items():
            rows += [
                {
                    "id": f"{path.stem}:{kind}:{number}",
                    "text": text,
                    "lang": path.stem,
                    "kind": kind,
                    "followup": _EXPECTED[kind],
                }
                for number, text in enumerate(texts, 1)
            ]
    return rows


def _answer(row: dict[str, Any], table: FollowupTable) -> bool:
    if row.get("kind") in {"greeting", "not_greeting"}:
        return is_greeting(row["text"], table)
    return recognise(row["text"], table).is_follow_up


def _table(report: dict[str, Any]) -> Table:
    table = Table(
        title=f"follow-ups: {report['right']} of {report['n']} right, {report['micros']} µs each"
    )
    table.add_column("language")
    table.add_column("follow-ups found", justify="right")
    table.add_column("scoped requests left alone", justify="right")
    for lang, row in report["by_lang"].items():
        table.add_row(lang, "/".join(map(str, row["recall"])), "/".join(map(str, row["scoped"])))
    return table
