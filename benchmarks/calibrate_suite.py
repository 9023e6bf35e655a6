"""Calibrate the gate on the user's own history: misses beside friction.

Without ``--cases`` the corpus is every judged tool call of the sessions in this
home's ``state.db``, each once, labelled by Hermes' own detection: a weak label,
but one that was there before us.  With ``--cases`` it is a file of rows
``tool``, ``args``, ``label`` and, where a model was asked, ``answers``
(``pack.question`` to probability or level).

A fifth of the corpus is frozen: which calls are in it depends on the seed and
the call alone, every choice is made on the rest, and the frozen part is scored
once, with what was chosen.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from rich.table import Table

from ..classifier.packs import load_pack
from ..reports.history import HistoryError, read_sessions
from ..risk_gate import (
    Decision,
    Facts,
    Thresholds,
    ToolCall,
    Verdict,
    argument_digest,
    assess,
    climb,
)
from ..risk_gate.directive import GRAVE
from ..router.questions import Answers, NoulAnswer, ScoreAnswer
from ..sanitizer import Sanitizer, table_from_bytes
from .commands_suite import host_detector
from .options import Options, UsageError
from .output import emit
from .routing import read_cases, write_rows

__all__ = ["build_corpus", "run", "sweep"]

SEED = 20261130
"""Of the split; another one freezes another fifth."""
FROZEN = 5
"""One call in so many is frozen."""
BUDGET = 5.0
"""Asks per 100 calls that a person puts up with; the least missing choice within it wins."""
GRID: Mapping[str, tuple[float, ...]] = {
    field.name: (1.5, 2.0, 2.25, 2.5, 2.75)
    if field.name in {"impact", "blast_radius"}
    else (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
    for field in fields(Thresholds)
}
"""Values that are tried for each threshold, one at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """One call of the corpus."""

    id: str
    tool: str
    label: str
    verdict: Verdict
    answers: Mapping[str, Answers]
    frozen: bool

    @property
    def risky(self) -> bool:
        return self.label != "allow"


def run(options: Options) -> int:
    """Build, sweep, report; 0 unless there is nothing to measure."""
    raw = list(read_cases(options.cases)) if options.cases else list(build_corpus(_history()))
    if not raw:
        raise UsageError("there is no judged call to calibrate on; give --cases FILE.jsonl")
    rows = [_row(entry) for entry in raw]
    chosen, table_rows = sweep([row for row in rows if not row.frozen])
    frozen = [row for row in rows if row.frozen]
    report = {
        "provenance": _provenance(raw, rows, "cases" if options.cases else "state.db"),
        "chosen": chosen,
        "sweep": table_rows,
        "frozen": _measure(frozen, chosen["severity"], _thresholds(chosen["thresholds"])),
    }
    if options.predictions:
        write_rows(
            options.predictions, [_shown(entry, row) for entry, row in zip(raw, rows, strict=True)]
        )
        target = options.predictions.with_name("PROVENANCE.json")
        target.write_text(json.dumps(report["provenance"], indent=2) + "\n", encoding="utf-8")
    emit(options, report, [_table(report)])
    return 0


def _history() -> Path:
    try:
        from hermes_constants import get_hermes_home  # noqa: PLC0415 - optional host
    except ImportError as error:
        raise UsageError("Hermes is not importable here; give --cases FILE.jsonl") from error
    return Path(get_hermes_home()) / "state.db"


def build_corpus(history: Path) -> Iterator[dict[str, Any]]:
    """Every call of a history once, with Hermes' own detection as its label.

    Raises:
        UsageError: the history cannot be read.
    """
    detect = host_detector()
    seen: set[str] = set()
    try:
        for session in read_sessions(history):
            calls = [
                c for turn in session.turns for request in turn.requests for c in request.calls
            ]
            for call in calls:
                args = dict(call.arguments)
                key = f"{call.tool}:{argument_digest(args).hex}"
                if key in seen:
                    continue
                seen.add(key)
                command = args.get("command")
                label = Decision.ALLOW
                if detect is not None and call.tool == "terminal" and isinstance(command, str):
                    label = detect(command)
                yield {"id": key[-16:], "tool": call.tool, "args": args, "label": label.value}
    except HistoryError as error:
        raise UsageError(str(error)) from error


def _row(entry: Mapping[str, Any]) -> _Row:
    digest = argument_digest([SEED, entry["tool"], entry["args"]]).hex
    packs: dict[str, dict[str, float]] = {}
    for key, value in entry.get("answers", {}).items():
        pack, _, question = key.partition(".")
        packs.setdefault(pack, {})[question] = float(value)
    return _Row(
        id=str(entry["id"]),
        tool=entry["tool"],
        label=entry.get("label", "allow"),
        verdict=assess(ToolCall(tool=entry["tool"], args=entry["args"]), Facts()),
        answers={pack: _answers(values) for pack, values in packs.items()},
        frozen=int(digest[:8], 16) % FROZEN == 0,
    )


def _answers(values: Mapping[str, float]) -> Answers:
    return Answers(
        by_id={
            name: ScoreAnswer(score=value, probabilities={}, confidence=1.0)
            if name in {"impact", "blast_radius"}
            else NoulAnswer(probability=value)
            for name, value in values.items()
        }
    )


def _thresholds(changed: Mapping[str, float]) -> Thresholds:
    return replace(Thresholds(), **changed)


def sweep(rows: Sequence[_Row]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Try the severity from which a finding asks, then each threshold by itself.

    Returns:
        The choice, and what every value costs in misses and asks per 100 calls.
    """
    tried: list[dict[str, Any]] = []
    base = Thresholds()
    for severity in range(1, GRAVE + 1):
        tried.append({"what": "severity", "value": severity} | _measure(rows, severity, base))
    severity = int(_best(tried)["value"])
    changed: dict[str, float] = {}
    if any(row.answers for row in rows):
        for name, values in GRID.items():
            trials = [
                {"what": name, "value": value}
                | _measure(rows, severity, replace(base, **{name: value}))
                for value in values
            ]
            tried.extend(trials)
            changed[name] = float(_best(trials)["value"])
    return {"severity": severity, "thresholds": changed}, tried


def _best(trials: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Within the budget the fewest misses, then the least friction; else the least friction."""
    within = [trial for trial in trials if trial["asks_per_100"] <= BUDGET]
    if not within:
        return min(trials, key=lambda trial: (trial["asks_per_100"], trial["missed"]))
    return min(within, key=lambda trial: (trial["missed"], trial["asks_per_100"]))


def _measure(rows: Sequence[_Row], severity: int, thresholds: Thresholds) -> dict[str, Any]:
    missed = asked = false = 0
    for row in rows:
        verdict = climb(row.verdict, row.answers, thresholds).verdict
        stopped = verdict.decision is Decision.BLOCK or (
            verdict.decision is Decision.ASK and verdict.severity >= severity
        )
        asked += stopped
        missed += row.risky and not stopped
        false += stopped and not row.risky
    risky = sum(row.risky for row in rows)
    return {
        "n": len(rows),
        "risky": risky,
        "missed": missed,
        "not_labelled_risky": false,
        "asks_per_100": round(100 * asked / len(rows), 2) if rows else 0.0,
    }


def _provenance(
    raw: Sequence[Mapping[str, Any]], rows: Sequence[_Row], source: str
) -> dict[str, Any]:
    lines = [json.dumps(entry, sort_keys=True, ensure_ascii=True, default=str) for entry in raw]
    return {
        "source": source,
        "labels": "given" if source == "cases" else "hermes-agent detection, weak",
        "seed": SEED,
        "calls": len(rows),
        "frozen": sum(row.frozen for row in rows),
        "labels_count": dict(sorted(Counter(row.label for row in rows).items())),
        "corpus_sha256": hashlib.sha256("\n".join(lines).encode()).hexdigest(),
        "questions": {
            pack: load_pack(pack).fingerprint for pack in ("gate_v1", "gate_v2", "risk_assessment")
        },
    }


def _shown(entry: Mapping[str, Any], row: _Row) -> dict[str, Any]:
    """A row of the written corpus; its arguments are sanitized."""
    folder = Path(__file__).resolve().parents[1] / "sanitizer" / "data"
    patterns = table_from_bytes((folder / "patterns.json").read_bytes())
    return {
        "id": row.id,
        "tool": row.tool,
        "args": Sanitizer(patterns).value(entry["args"], max_bytes=8_000).json,
        "label": row.label,
        "decision": row.verdict.decision.value,
        "reasons": [finding.id for finding in row.verdict.findings],
        "severity": row.verdict.severity,
        "frozen": row.frozen,
    }


def _table(report: Mapping[str, Any]) -> Table:
    origin = report["provenance"]
    table = Table(
        title=f"{origin['calls']} calls from {origin['source']}, labels: {origin['labels']}"
    )
    for column in ("what", "value", "missed", "not labelled risky", "asks per 100"):
        table.add_column(column, justify="left" if column == "what" else "right")
    for row in report["sweep"]:
        table.add_row(*_cells(row["what"], row["value"], row))
    frozen = report["frozen"]
    table.add_row(*_cells("frozen fifth, as chosen", report["chosen"]["severity"], frozen))
    return table


def _cells(what: str, value: object, row: Mapping[str, Any]) -> list[str]:
    missed = f"{row['missed']}/{row['risky']}"
    return [what, str(value), missed, str(row["not_labelled_risky"]), f"{row['asks_per_100']:.2f}"]
