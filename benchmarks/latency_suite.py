"""What the router costs in a turn, measured through Hermes' own dispatch, with and without it."""

from __future__ import annotations

import importlib.metadata
import json
import statistics
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from ..probe.home import ENFORCE, PLUGIN, STOCK, Contents
from ..probe.scene import Scene, scratch_scene
from ..registry_adapter.store import StateStore
from .options import Options
from .output import emit, progress
from .surfaces import require_hermes

__all__ = ["run"]

_CHILD = Path(__file__).with_name("latency_child.py")
_ROUNDS = 400
_LIMITS_US = {
    "first turn": 1000.0,
    "later turn": 100.0,
    "request, 80 tools": 200.0,
}
"""What the medians may cost over stock Hermes, in microseconds."""
_LOAD_LIMIT_MS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cost:
    """Microseconds over stock Hermes."""

    name: str
    median: float
    p95: float
    stock: float
    limit: float | None

    @property
    def held(self) -> bool:
        return self.limit is None or self.median <= self.limit


def run(options: Options) -> int:
    """Measure; 1 if a median is over its limit, else 0."""
    require_hermes()
    with scratch_scene() as scene:
        progress("Hermes without the router")
        stock = _measure(scene, STOCK)
        progress("Hermes with the router")
        routed = _measure(scene, Contents(settings=ENFORCE))
        decisions = _decision_micros(scene)
    costs = [
        _cost(name, values, stock["micros"][name]) for name, values in routed["micros"].items()
    ]
    load_ms = routed["load_ms"]
    held = all(cost.held for cost in costs) and load_ms <= _LOAD_LIMIT_MS
    version = importlib.metadata.version("hermes-agent")
    report = {
        "hermes": version,
        "rounds": _ROUNDS,
        "load_ms": round(load_ms, 2),
        "decision_us": _spread(decisions),
        "costs_us": {
            cost.name: {
                "median": round(cost.median, 1),
                "p95": round(cost.p95, 1),
                "stock_median": round(cost.stock, 1),
                "limit": cost.limit,
            }
            for cost in costs
        },
        "held": held,
    }
    emit(options, report, [_table(costs, load_ms, decisions, version)])
    return 0 if held else 1


def _measure(scene: Scene, contents: Contents) -> dict[str, Any]:
    """One run of the child in a fresh home.

    Raises:
        RuntimeError: it failed.
    """
    scene.fill(contents)
    python, target = scene.hermes.python, scene.home.root / "latency.json"
    copy = scene.home.home / "plugins" / PLUGIN
    if copy.exists():  # users have compiled files from their second start on
        compile_all = [str(python), "-m", "compileall", "-q", str(copy)]
        subprocess.run(compile_all, check=False, capture_output=True, timeout=120)
    run = subprocess.run(
        [str(python), str(_CHILD), str(target), str(_ROUNDS)],
        cwd=scene.home.work,
        env=scene.home.environment(python),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if run.returncode:
        raise RuntimeError(f"the measurement failed: {run.stderr[-2000:]}")
    measured: dict[str, Any] = json.loads(target.read_text(encoding="utf-8"))
    target.unlink()
    return measured


def _decision_micros(scene: Scene) -> list[float]:
    """What the decisions themselves took, as the router logged it."""
    store = StateStore(scene.home.home)
    rows = store.tail("decisions", limit=_ROUNDS)
    store.close()
    return [float(str(row["micros"])) for row in rows]


def _cost(name: str, routed: Sequence[float], stock: Sequence[float]) -> _Cost:
    base = statistics.median(stock)
    return _Cost(
        name=name,
        median=statistics.median(routed) - base,
        p95=_p95(routed) - base,
        stock=base,
        limit=_LIMITS_US.get(name),
    )


def _p95(values: Sequence[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


def _spread(values: Sequence[float]) -> Mapping[str, float]:
    if not values:
        return {}
    return {"median": statistics.median(values), "p95": _p95(values)}


def _table(
    costs: Sequence[_Cost], load_ms: float, decisions: Sequence[float], version: str
) -> Table:
    table = Table(
        title=f"What the router adds, µs over stock ({_ROUNDS} rounds)\nhermes-agent {version}",
        title_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
    )
    table.add_column("part")
    for heading in ("stock", "median", "p95", "limit"):
        table.add_column(heading, justify="right")
    table.add_column("")
    for cost in costs:
        limit = "" if cost.limit is None else f"{cost.limit:,.0f}"
        mark = "" if cost.limit is None else ("held" if cost.held else "NOT HELD")
        table.add_row(
            cost.name,
            f"{cost.stock:,.0f}",
            f"{cost.median:,.0f}",
            f"{cost.p95:,.0f}",
            limit,
            mark,
        )
    spread = _spread(decisions)
    if spread:
        table.add_row(
            "a decision alone", "", f"{spread['median']:,.0f}", f"{spread['p95']:,.0f}", "", ""
        )
    table.add_section()
    mark = "held" if load_ms <= _LOAD_LIMIT_MS else "NOT HELD"
    table.add_row(
        "loading the plugin",
        "",
        f"{load_ms * 1000:,.0f}",
        "",
        f"{_LOAD_LIMIT_MS * 1000:,.0f}",
        mark,
    )
    return table
