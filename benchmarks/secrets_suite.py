"""Texts through the sanitizer, beside Hermes' own redactor and detect-secrets.

Gates: at least 97 % of the secrets gone for good, at most 2 % of the harmless
texts changed, at most 60 ms of one core for hostile texts of 65,000 characters and of
20 shapes or more (issue 4).  The other two redactors are measured where they are installed.
"""

from __future__ import annotations

import base64
import importlib
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import RenderableType
from rich.table import Table

from ..sanitizer import PatternTable, Sanitizer, table_from_bytes
from .hostile_texts import LEAST_WITHIN, LIMIT_MS, SIZE, costs, within
from .options import Options
from .output import emit, progress
from .routing import HERE, read_cases, write_rows
from .secrets_cases import SecretCase, authored

__all__ = ["TABLE", "leaves", "run", "score"]

TABLE = HERE.parent / "sanitizer" / "data" / "patterns.json"
LEAST_REMOVED = 0.97
MOST_DAMAGED = 0.02
Redactor = Callable[[str], str]


def run(options: Options) -> int:
    """Sanitize every case and write one prediction each; 1 if a gate fails."""
    cases = _read(options.cases) if options.cases else authored()
    table = table_from_bytes(TABLE.read_bytes())
    sanitizer = Sanitizer(table)
    redactors: dict[str, Redactor | None] = {
        "ours": lambda text: sanitizer.text(text).text,
        "hermes-agent": _hermes(),
        "detect-secrets": _detect_secrets(),
    }
    scores: dict[str, Any] = {}
    for name, redact in redactors.items():
        if redact is None:
            scores[name] = None
            continue
        rows = _predictions(cases, redact)
        scores[name] = score(cases, rows)
        if name == "ours" and options.predictions:
            write_rows(options.predictions, rows)
    ours = scores["ours"]
    report: dict[str, Any] = {"suite": "secrets", "scores": scores}
    tables: list[RenderableType] = [_table(scores)]
    passed = _gates(ours)
    if options.cases is None:  # foreign cases are scored alone
        hostile = _hostile(table)
        forms = {form: within(hostile, form) for form in ("text", "structure")}
        report |= {"hostile_ms": hostile, "within_limit": forms | {"of": len(hostile)}}
        passed = passed and forms["text"] >= LEAST_WITHIN
        tables += [
            _hostile_table(hostile),
            f"within {LIMIT_MS:.0f} ms: {forms['text']} of {len(hostile)} shapes as one string"
            f" (at least {LEAST_WITHIN} must be), {forms['structure']} as a structure",
        ]
    tables.append("every gate passed" if passed else "a gate failed: exit status 1")
    emit(options, report | {"passed": passed}, tables)
    return 0 if passed else 1


def _hostile(table: PatternTable) -> dict[str, dict[str, float]]:
    progress("hostile texts")
    return costs(table)


def _gates(ours: dict[str, Any]) -> bool:
    removed, damaged = ours["removed"], ours["damaged"]
    return bool(
        removed["k"] >= LEAST_REMOVED * removed["n"] and damaged["k"] <= MOST_DAMAGED * damaged["n"]
    )


def _read(path: Path) -> list[SecretCase]:
    """Read cases, the packed form (base64 of the reversed text) too."""
    cases = []
    for row in read_cases(path):
        plain = _unpack if ".packed" in path.name else str
        cases.append(
            SecretCase(
                id=str(row["id"]),
                kind=str(row.get("kind", "")),
                text=plain(row["text"]),
                secrets=tuple(map(plain, row.get("secrets", []))),
                keep=tuple(map(plain, row.get("keep", []))),
            )
        )
    return cases


def _unpack(packed: str) -> str:
    return base64.b64decode(packed)[::-1].decode("utf-8")


def _predictions(cases: Iterable[SecretCase], redact: Redactor) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for case in cases:
        start = perf_counter()
        text = redact(case.text)
        rows.append({"id": case.id, "text": text, "ms": round((perf_counter() - start) * 1e3, 3)})
    return rows


def leaves(secret: str, text: str) -> bool:
    """Whether a run of at least ten characters and 60 % of the secret is left in the text."""
    size = max(10, -(-len(secret) * 6 // 10))
    if len(secret) <= size:
        return secret in text
    return any(secret[at : at + size] in text for at in range(len(secret) - size + 1))


def score(cases: Sequence[SecretCase], rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Count secrets gone for good, context kept, and harmless texts changed.

    Returns:
        ``removed``, ``context_kept`` and ``damaged`` as ``{"k", "n"}``, ids of what went
        wrong, and milliseconds.
    """
    leaked, lost, damaged = [], [], []
    secret_cases = harmless = 0
    for case, row in zip(cases, rows, strict=True):
        text = row["text"]
        if case.secrets:
            secret_cases += 1
            if any(leaves(secret, text) for secret in case.secrets):
                leaked.append(case.id)
            elif any(kept not in text for kept in case.keep):
                lost.append(case.id)
        else:
            harmless += 1
            if text != case.text:
                damaged.append(case.id)
    times = sorted(row["ms"] for row in rows) or [0.0]
    removed = secret_cases - len(leaked)
    return {
        "removed": {"k": removed, "n": secret_cases},
        "context_kept": {"k": removed - len(lost), "n": removed},
        "damaged": {"k": len(damaged), "n": harmless},
        "leaked_ids": leaked,
        "lost_context_ids": lost,
        "damaged_ids": damaged,
        "ms": {"p50": times[len(times) // 2], "max": times[-1]},
    }


def _hermes() -> Redactor | None:
    """Hermes' redactor at its strictest setting, where Hermes is installed."""
    try:
        module = importlib.import_module("agent.redact")
    except ImportError:
        return None

    def redact(text: str) -> str:
        return str(module.redact_sensitive_text(text, force=True, redact_url_credentials=True))

    return redact


def _detect_secrets() -> Redactor | None:
    """Every default plugin and filter of detect-secrets over a file, where it is installed."""
    try:
        scan = importlib.import_module("detect_secrets.core.scan")
        settings = importlib.import_module("detect_secrets.settings")
    except ImportError:
        return None

    def redact(text: str) -> str:
        with tempfile.TemporaryDirectory() as folder, settings.default_settings():
            path = Path(folder) / "case.txt"
            path.write_text(text, encoding="utf-8")
            for found in scan.scan_file(str(path)):
                if found.secret_value:
                    text = text.replace(found.secret_value, "[REDACTED]")
        return text

    return redact


def _table(scores: dict[str, Any]) -> Table:
    table = Table(title="secrets", title_justify="left")
    for column in ("redactor", "removed", "rest kept", "harmed", "ms p50", "ms max"):
        table.add_column(column, justify="left" if column == "redactor" else "right", no_wrap=True)
    for name, result in scores.items():
        if result is None:
            table.add_row(name, "not installed", "", "", "", "")
            continue
        counts = [result[key] for key in ("removed", "context_kept", "damaged")]
        table.add_row(
            name,
            *(f"{count['k']}/{count['n']}" for count in counts),
            f"{result['ms']['p50']:.2f}",
            f"{result['ms']['max']:.1f}",
        )
    return table


def _hostile_table(hostile: dict[str, dict[str, float]]) -> Table:
    table = Table(
        title=f"hostile texts of {SIZE:,} characters, ms of one core",
        title_justify="left",
    )
    table.add_column("shape", no_wrap=True)
    for column in ("text", "worst", "structure", "worst"):
        table.add_column(column, justify="right", no_wrap=True)
    by_cost = sorted(hostile.items(), key=lambda item: -max(item[1]["text"], item[1]["structure"]))
    for name, row in by_cost:
        table.add_row(name, *(f"{value:.1f}" for value in row.values()))
    return table
