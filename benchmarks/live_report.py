"""What a live run found: paired figures over tasks, and the report that holds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from .live_endpoint import TroubleError
from .live_first import latest as latest_first
from .live_first import summary as first_summary
from .live_journal import Journal
from .live_play import ARMS
from .live_stats import interval, sign_test
from .live_tasks import Task
from .routing import Case

__all__ = ["latest_tasks", "report", "show", "task_summary"]

Row = Mapping[str, Any]
_Pair = tuple[Row, Row]


def report(
    journal: Journal,
    *,
    cases: Sequence[Case],
    tasks: Sequence[Task],
    seed: int,
    stopped: TroubleError | None,
) -> dict[str, Any]:
    """The versioned report.

    Args:
        journal: the run's rows.
        cases: first requests that were to be asked; empty: none.
        tasks: tasks that were to be played; empty: none.
        seed: of the intervals.
        stopped: why the run ended early, if it did.
    """
    missing = _missing(journal.rows, cases, tasks)
    return {
        **asdict(journal.run),
        "started": journal.started,
        "finished": journal.finished,
        "notes": list(dict.fromkeys(journal.notes)),
        "seed": seed,
        "complete": not missing,
        "stopped": None if stopped is None else str(stopped),
        "missing": missing,
        "first": first_summary(journal.rows, cases, seed=seed) if cases else None,
        "tasks": task_summary(journal.rows, tasks, seed=seed) if tasks else None,
    }


def _missing(
    rows: Sequence[Row], cases: Sequence[Case], tasks: Sequence[Task]
) -> list[dict[str, str]]:
    """What has no result yet, with the last trouble it had."""
    wanted = [("first", str(case["id"])) for case in cases]
    wanted += [("task", task.id) for task in tasks]
    done = {("first", *key) for key in latest_first(rows)}
    done |= {("task", *key) for key in latest_tasks(rows)}
    why = {(row["row"], row["id"], row["arm"]): str(row["error"]) for row in rows if row["error"]}
    return [
        {"row": row, "id": name, "arm": arm, "why": why.get((row, name, arm), "not asked")}
        for row, name in wanted
        for arm in ARMS
        if (row, name, arm) not in done
    ]


def latest_tasks(rows: Sequence[Row]) -> dict[tuple[str, str], Row]:
    """The last row of each task and arm that came to its end."""
    return {
        (row["id"], row["arm"]): row for row in rows if row["row"] == "task" and not row["error"]
    }


def task_summary(rows: Sequence[Row], tasks: Sequence[Task], *, seed: int) -> dict[str, Any]:
    """The comparison over tasks that both arms played to the end.

    ``score`` is our own composite, ``(solved, routed / solved, full) * (1 + share of
    input tokens saved)``: it trades tasks for tokens, which no release may.  A model
    that calls no tool has none.
    """
    found = latest_tasks(rows)
    paired = [task for task in tasks if all((task.id, arm) in found for arm in ARMS)]
    pairs = [(found[task.id, "full"], found[task.id, "routed"]) for task in paired]
    errors = sum(row["row"] == "task" and bool(row["error"]) for row in rows)
    made: dict[str, Any] = {"tasks": len(tasks), "pairs": len(pairs), "errors": errors}
    if not pairs:
        return made
    for place, arm in enumerate(ARMS):
        made[arm] = _arm([pair[place] for pair in pairs])
    made["paired"] = _paired(paired, pairs, seed)
    full, routed = made["full"], made["routed"]
    if full["solved"] and full["input_tokens"] and full["calls"]:
        saved = 1 - routed["input_tokens"] / full["input_tokens"]
        made["score"] = round(routed["solved"] / full["solved"] * (1 + saved), 4)
    made["rows"] = [
        {"id": task.id, "kind": task.kind, "full": _brief(pair[0]), "routed": _brief(pair[1])}
        for task, pair in zip(paired, pairs, strict=True)
    ]
    return made


def _arm(rows: Sequence[Row]) -> dict[str, Any]:
    turns = [turn for row in rows for turn in row["turns"]]
    checks = [held for row in rows for held in row["checks"]]
    return {
        "solved": sum(row["solved"] for row in rows),
        "checks_held": _share(sum(checks), len(checks)),
        "recall": _share(sum(turn["met"] for turn in turns), sum(turn["needed"] for turn in turns)),
        "exact_route": _share(sum(turn["exact"] for turn in turns), len(turns)),
        "calls": sum(row["calls"] for row in rows),
        "calls_succeeded": _share(
            sum(row["calls_succeeded"] for row in rows), sum(row["calls"] for row in rows)
        ),
        "held_back_calls": sum(row["held_back"] for row in rows),
        "recovered": sum(row["recovered"] for row in rows),
        "asked_for_more": sum(row["asked_for_more"] for row in rows),
        "requests": sum(row["requests"] for row in rows),
        "input_tokens": sum(row["input_tokens"] for row in rows),
        "cached_tokens": sum(row["cached_tokens"] for row in rows),
        "output_tokens": sum(row["output_tokens"] for row in rows),
        "first_s": round(median(turn["first_s"] for turn in turns), 3) if turns else None,
        "capped": sum(row["capped"] for row in rows),
    }


def _paired(tasks: Sequence[Task], pairs: Sequence[_Pair], seed: int) -> dict[str, Any]:
    """Differences, routed less full, each with a 95 % interval over tasks."""
    lost = [t.id for t, (a, b) in zip(tasks, pairs, strict=True) if a["solved"] > b["solved"]]
    won = [t.id for t, (a, b) in zip(tasks, pairs, strict=True) if a["solved"] < b["solved"]]
    made: dict[str, Any] = {
        "solved": {
            "difference": _solved(pairs),
            "interval": interval(pairs, _solved, seed=seed),
            "only_full": lost,
            "only_routed": won,
            "sign_test_p": sign_test(len(won), len(lost)),
        }
    }
    if all(full["input_tokens"] for full, _ in pairs):
        share = {"share": _saved(pairs), "interval": interval(pairs, _saved, seed=seed)}
        made["input_saved"] = share
    timed = [pair for pair in pairs if all(row["turns"] for row in pair)]
    if timed:
        made["first_s"] = {
            "median": _sooner(timed),
            "interval": interval(timed, _sooner, seed=seed),
        }
    return made


def _solved(pairs: Sequence[_Pair]) -> float:
    return round(sum(int(b["solved"]) - int(a["solved"]) for a, b in pairs) / len(pairs), 4)


def _saved(pairs: Sequence[_Pair]) -> float:
    full = sum(int(a["input_tokens"]) for a, _ in pairs)
    return round(1 - sum(int(b["input_tokens"]) for _, b in pairs) / full, 4)


def _sooner(pairs: Sequence[_Pair]) -> float:
    """The median difference of the first turn's time to the first piece of the answer."""
    firsts = ((float(a["turns"][0]["first_s"]), float(b["turns"][0]["first_s"])) for a, b in pairs)
    return round(median(routed - full for full, routed in firsts), 3)


def _brief(row: Row) -> dict[str, Any]:
    kept = ("solved", "checks", "requests", "input_tokens", "called", "recovered", "capped")
    first = [turn["first_s"] for turn in row["turns"]]
    offered = [turn["offered"] for turn in row["turns"]]
    return {**{key: row[key] for key in kept}, "first_s": first, "offered": offered}


def _share(part: float, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def show(found: Mapping[str, Any], console: Console) -> None:
    """Print the tables, what is missing, and what the figures cannot say."""
    for key, title in (("first", "first requests"), ("tasks", "tasks")):
        part = found[key]
        if part is None:
            continue
        if not part["pairs"]:
            console.print(f"{title}: nothing was answered in both arms yet")
            continue
        console.print(_table(part, f"{part['pairs']} {title}, {found['model']}"))
        for line in _remarks(part):
            console.print(line)
    if found["missing"]:
        console.print(_missing_text(found["missing"]))
    if found["stopped"]:
        console.print(f"stopped early: {found['stopped']}")


def _table(part: Mapping[str, Any], title: str) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for arm in ARMS:
        table.add_column(arm, justify="right")
    for key in part["full"]:
        cells = (part[arm][key] for arm in ARMS)
        table.add_row(
            key.replace("_", " "), *("-" if cell is None else f"{cell:,g}" for cell in cells)
        )
    return table


def _remarks(part: Mapping[str, Any]) -> list[str]:
    lines: list[str] = []
    if paired := part.get("paired"):
        solved = paired["solved"]
        low, high = solved["interval"]
        lines.append(
            f"solved, routed less full: {solved['difference']:+.1%} ({low:+.1%} to {high:+.1%}), "
            f"only full {len(solved['only_full'])}, only routed {len(solved['only_routed'])}, "
            f"sign test p {solved['sign_test_p']:g}"
        )
        if saved := paired.get("input_saved"):
            low, high = saved["interval"]
            lines.append(f"input tokens saved: {saved['share']:.1%} ({low:.1%} to {high:.1%})")
    elif "saved" in part:
        lines.append(f"input tokens saved: {part['saved']:.1%}")
    if "score" in part:
        lines.append(f"score: {part['score']:g}")
    if not part["full"]["calls"]:
        lines.append("the model called no tool: this says nothing about work with tools")
    return lines


def _missing_text(missing: Sequence[Mapping[str, str]]) -> str:
    names = [f"{item['id']} ({item['arm']}: {item['why']})" for item in missing]
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"missing: {', '.join(names[:5])}{more}; run again to go on"
