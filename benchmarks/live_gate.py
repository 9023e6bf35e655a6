"""The release gate on work done: no task lost against full tools, told by committed live reports.

A report counts only if it can show a loss: whole, of these versions, and by a
model that solves most of the tasks with all tools.  Without one the gate is
"not measured", and nothing may be claimed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .gates import Gate
from .live_journal import SCHEMA, version
from .routing import HERE

__all__ = ["LEAST_SOLVED", "LEAST_TASKS", "NAME", "Verdict", "look"]

RESULTS = HERE / "results"
NAME = "tasks lost against full tools"
LEAST_TASKS = 20
"""Issue 8."""
LEAST_SOLVED = 0.6
"""Share of tasks that stock Hermes solves: our choice; a model that solves less loses little
by having fewer tools, whatever the router does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the committed reports say.

    Attributes:
        gate: over the worst report that counts; ``None``: not measured.
        remarks: a line for each report that does not count, and why.
    """

    gate: Gate | None
    remarks: tuple[str, ...]


def look(folder: Path = RESULTS) -> Verdict:
    """Judge every ``live-*.json`` of a folder; never raises for what one holds."""
    gates: list[Gate] = []
    remarks: list[str] = []
    for path in sorted(folder.glob("live-*.json")):
        try:
            report = json.loads(path.read_text(encoding="utf-8"))
            why = _no_evidence(report)
            gates += [] if why else [_gate(report)]
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            why = f"it cannot be read ({type(error).__name__})"
        remarks += [f"{path.name} is no evidence on tasks: {why}"] if why else []
    if not gates:
        remarks.append(f"{NAME}: not measured, so nothing is claimed")
    return Verdict(
        gate=max(gates, key=lambda gate: gate.value, default=None), remarks=tuple(remarks)
    )


def _no_evidence(report: Mapping[str, Any]) -> str:
    """Why a report does not count, empty if it does."""
    if report.get("schema") != SCHEMA:
        return f"it is not of schema {SCHEMA}"
    if report["reference"]:
        return "it plays the authored solutions, no model"
    if report["plugin"] != version():
        return f"it is of version {report['plugin']}, this is {version()}"
    tasks = report["tasks"] or {"pairs": 0, "tasks": 0}
    if tasks["pairs"] < max(LEAST_TASKS, tasks["tasks"]):
        return f"{tasks['pairs']} tasks were played in both arms, of {LEAST_TASKS} at least"
    solved = tasks["full"]["solved"]
    if solved < LEAST_SOLVED * tasks["pairs"]:
        return (
            f"{report['model']} solves {solved} of {tasks['pairs']} tasks with all tools, "
            f"{LEAST_SOLVED:.0%} are needed to show a loss"
        )
    return ""


def _gate(report: Mapping[str, Any]) -> Gate:
    """Net loss: a model may solve one task less and another more by chance alone."""
    tasks = report["tasks"]
    lost = max(0, tasks["full"]["solved"] - tasks["routed"]["solved"])
    return Gate(
        name=NAME,
        value=lost,
        bound=0,
        held=lost == 0,
        faults=tuple(tasks["paired"]["solved"]["only_full"]) if lost else (),
    )
