"""Full against routed first requests of real Hermes, with a model of your choice.

``python benchmarks/live.py --base-url URL --model NAME [--key-env NAME] --out live.jsonl``
asks each case twice: once with everything that Hermes sends, once with what the
router leaves.  No tool runs (see ``live_ask.py``).  The file holds a row a
request and is added to, so that a run can be stopped and gone on with.
"""

from __future__ import annotations

if __package__ in {None, "", "benchmarks"}:  # run by path: get a parent package first (PEP 366)
    import pathlib
    import runpy

    _root = pathlib.Path(__file__).resolve().parents[1]
    __package__ = runpy.run_path(str(_root / "_checkout.py"))["mount"]("benchmarks")

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from random import Random
from statistics import mean, median
from typing import Any

from rich.console import Console
from rich.table import Table

from ..probe.home import ENFORCE, STOCK, Contents
from ..probe.scene import scratch_scene
from .live_ask import Answer, Asker, Budget, Endpoint
from .options import UsageError
from .output import progress
from .routing import HERE, Case, read_cases
from .surfaces import require_hermes

__all__ = ["ARMS", "VERSION", "main", "summary"]

VERSION = 1
"""Of the report's rows."""
ARMS: Mapping[str, Contents] = {"full": STOCK, "routed": Contents(settings=ENFORCE)}
_BATCH = 8
"""Cases of one start of Hermes; what a stopped run loses at most."""
_OWN = "request_toolset"


def main(argv: Sequence[str] | None = None) -> int:
    """Ask what is still to be asked, and print the comparison; 2: bad input."""
    options = _parser().parse_args(argv)
    try:
        return _run(options)
    except UsageError as error:
        print(f"live: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks/live.py", description=__doc__)
    parser.add_argument("--base-url", required=True, help="up to and including /v1")
    parser.add_argument("--model", required=True)
    parser.add_argument("--key-env", metavar="NAME", help="variable that holds the key")
    parser.add_argument("--cases", type=Path, default=HERE / "cases" / "routes.jsonl")
    parser.add_argument("--limit", type=int, default=40, help="cases, drawn by seed (default: 40)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--max-requests", type=int, default=200)
    parser.add_argument("--max-input-tokens", type=int, default=2_000_000)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.jsonl")
    return parser


def _run(options: argparse.Namespace) -> int:
    require_hermes()
    endpoint = Endpoint(base_url=options.base_url, model=options.model, key=_key(options.key_env))
    cases = _drawn(read_cases(options.cases), options.limit, options.seed)
    rows = _read(options.out, options.model)
    budget = Budget(requests=options.max_requests, input_tokens=options.max_input_tokens)
    done = {(row["case"], row["arm"]) for row in rows if not row["error"]}
    for start in range(0, len(cases), _BATCH):
        for arm in ARMS:
            batch = [
                case for case in cases[start : start + _BATCH] if (case["id"], arm) not in done
            ]
            if batch and not budget.spent:
                rows += _asked(batch, arm, endpoint, budget, options.out)
    found = summary(rows, cases)
    _show(found, options.model)
    if budget.spent:
        print("the budget is spent; run again with a larger one to go on", file=sys.stderr)
    return 0


def _key(name: str | None) -> str:
    if name is None:
        return ""
    if not (value := os.environ.get(name, "")):
        raise UsageError(f"the variable {name} is not set")
    return value


def _drawn(cases: Sequence[Case], limit: int, seed: int) -> list[Case]:
    """Labelled cases, one for each text; the same for the same seed."""
    labelled = {case["prompt"]: case for case in cases if "required_toolsets" in case}
    pool = sorted(labelled.values(), key=lambda case: str(case["id"]))
    return Random(seed).sample(pool, min(limit, len(pool)))


def _read(path: Path, model: str) -> list[dict[str, Any]]:
    """Rows of an earlier run.

    Raises:
        UsageError: they are of another version or model, which must not be mixed.
    """
    if not path.exists():
        return []
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        kinds = {(row["version"], row["model"]) for row in rows}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} is no report of a live run: {error!r}") from error
    if kinds - {(VERSION, model)}:
        raise UsageError(f"{path} is of another version or model; choose another --out")
    return rows


def _asked(
    batch: Sequence[Case], arm: str, endpoint: Endpoint, budget: Budget, out: Path
) -> list[dict[str, Any]]:
    """One start of Hermes; its rows are in the file when it ends."""
    progress(f"{len(batch)} cases, {arm}")
    asker = Asker(endpoint, budget)
    plan: list[Mapping[str, Any]] = []
    for case in batch:
        plan.append({"do": "agent", "agent": case["id"]})
        plan.append({"do": "turn", "agent": case["id"], "say": case["prompt"]})
    with scratch_scene() as scene:
        scene.fill(ARMS[arm], asker)
        driven = scene.hermes.drive([*plan, {"do": "registry"}], timeout_s=3_600)
    owners = {item["name"]: item["toolset"] for item in driven.facts.get("registry", ())}
    rows = [
        _row(case, arm, endpoint.model, asker.answers.get(case["prompt"]), owners) for case in batch
    ]
    with out.open("a", encoding="utf-8") as lines:
        for row in rows:
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")
    return rows


def _row(
    case: Case, arm: str, model: str, answer: Answer | None, owners: Mapping[str, str]
) -> dict[str, Any]:
    found = answer or Answer(offered=(), error="Hermes sent nothing")
    return {
        "version": VERSION,
        "case": case["id"],
        "arm": arm,
        "model": model,
        **asdict(found),
        "offered_toolsets": sorted({owners.get(name, name) for name in found.offered}),
        "called_toolsets": sorted({owners.get(name, name) for name in found.called}),
    }


def summary(rows: Sequence[Mapping[str, Any]], cases: Sequence[Case]) -> dict[str, Any]:
    """The comparison over cases that both arms answered, the latest row of each.

    ``right``: the first call is of a toolset that the case needs or accepts, or
    nothing is needed and nothing is called.  ``score`` is our own composite:
    right routed / right full, times one plus the share of input tokens saved;
    above 1 the router wins.
    """
    latest = {(row["case"], row["arm"]): row for row in rows if not row["error"]}
    pairs = [
        (case, {arm: latest[case["id"], arm] for arm in ARMS})
        for case in cases
        if all((case["id"], arm) in latest for arm in ARMS)
    ]
    found: dict[str, Any] = {
        "pairs": len(pairs),
        "errors": sum(bool(row["error"]) for row in rows),
    }
    if not pairs:
        return found
    for arm in ARMS:
        made = [(case, both[arm]) for case, both in pairs]
        found[arm] = {
            "needed_offered": mean(_offers(case, row) for case, row in made),
            "right": mean(_right(case, row) for case, row in made),
            "input_tokens": sum(row["input_tokens"] for _, row in made),
            "first_s": round(median(row["first_s"] for _, row in made), 3),
            "held_back_calls": sum(
                name not in row["offered"] for _, row in made for name in row["called"]
            ),
            "asked_for_more": sum(_OWN in row["called"] for _, row in made),
        }
    full, routed = found["full"], found["routed"]
    if full["input_tokens"] and full["right"]:
        saved = 1 - routed["input_tokens"] / full["input_tokens"]
        found["saved"] = round(saved, 4)
        found["score"] = round(routed["right"] / full["right"] * (1 + saved), 4)
    return found


def _offers(case: Case, row: Mapping[str, Any]) -> bool:
    offered = set(row["offered_toolsets"])
    groups = case.get("required_any") or []
    return set(case["required_toolsets"]) <= offered and all(offered & set(g) for g in groups)


def _right(case: Case, row: Mapping[str, Any]) -> bool:
    needed = set(case["required_toolsets"]).union(*(case.get("required_any") or []))
    called = row["called_toolsets"]
    if not called:
        return not needed
    return bool(set(called) & (needed | set(case.get("acceptable_extra") or [])))


def _show(found: Mapping[str, Any], model: str) -> None:
    console = Console()
    if not found["pairs"]:
        console.print("no case was answered in both arms yet")
        return
    table = Table(title=f"{found['pairs']} cases, {model}, first requests", title_justify="left")
    table.add_column("")
    for arm in ARMS:
        table.add_column(arm, justify="right")
    for key in found["full"]:
        cells = (found[arm][key] for arm in ARMS)
        table.add_row(key.replace("_", " "), *(f"{value:g}" for value in cells))
    console.print(table)
    if "score" in found:
        console.print(f"input saved {found['saved']:.1%}, score {found['score']:g}")


if __name__ == "__main__":
    raise SystemExit(main())
