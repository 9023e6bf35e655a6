"""Release gates over the authored corpus, and the comparison with the committed baseline."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from ..intent.reading import own_words
from ..router.engine import decide
from ..router.values import Catalog, Decision, Message
from .gate_kinds import read_kinds
from .gates import NONE_OF, Gate, Route, changed, decisions_of, gates, medians, recall, unstable
from .live_gate import look
from .options import Options, UsageError
from .output import emit
from .routing import FLOOR, HERE, SENDING, Case, book, catalog, read_cases, surface
from .tiers import tiers

__all__ = ["BASELINE", "judge", "measure", "router", "run"]

BASELINE = HERE / "results" / "gates.json"
CLI_SURFACE = HERE / "data" / "cli_surface.json"
"""o200k tokens of what a bare ``hermes chat`` of 0.19.0 is granted, a toolset each."""

_NOT_HERE = "Not measured here: pruned calls of real Hermes (tests/e2e/test_pruned_calls.py)."


def run(options: Options) -> int:
    """Measure and compare; 1 if a gate is red or, on the rules alone, a decision changed."""
    if options.update and options.tier != "rules":
        raise UsageError("the baseline is that of --tier rules")
    cases = read_cases(options.cases or HERE / "cases" / "routes.jsonl")
    played = read_cases(HERE / "cases" / "sessions.jsonl")
    report = measure(cases, played, router(options.tier))
    found = judge(report)
    baseline = _baseline()
    differences: list[str] = []
    if options.update:
        text = json.dumps(_kept(report, found), indent=1, ensure_ascii=False, sort_keys=True)
        BASELINE.write_text(text + "\n", encoding="utf-8")
    elif baseline and options.tier == "rules" and options.cases is None:
        differences = changed(baseline["decisions"], report["decisions"])
    work = look()
    found += [work.gate] if work.gate else []
    held = all(gate.held for gate in found)
    shown: dict[str, Any] = {
        **{key: value for key, value in report.items() if key != "decisions"},
        "gates": [_json(gate) for gate in found],
        "changed": differences,
        "live": list(work.remarks),
        "held": held,
    }
    remarks = [*_remarks(found, differences), *work.remarks, _NOT_HERE]
    emit(options, shown, [*_tables(found, report), *remarks])
    return 0 if held and not differences else 1


def router(tier: str) -> Route:
    """The engine with the tiers of a name, as the adapter asks them."""
    rules, who = book(), tiers(tier)

    def route(text: str, granted: Catalog, first: bool) -> Decision:
        return decide(
            Message(text=text),
            granted,
            floor=FLOOR,
            book=rules,
            later_turn=not first,
            use_rules=who.use_rules,
            opinions=who.ask(own_words(text, rules), granted) if first else (),
        )

    return route


def measure(cases: Sequence[Case], played: Sequence[Case], route: Route) -> dict[str, Any]:
    """Everything that the gates and the baseline need, on the ``test`` split where there is one.

    What has to be sent to somebody is asked for where something can send, everything else on
    the reference surface.
    """
    split = [case for case in cases if case.get("split", "test") == "test"]
    costs = surface(None)
    granted, bare, sending = (catalog(surface(p)) for p in (None, CLI_SURFACE, SENDING))
    decisions = decisions_of(split, granted, route)
    on_bare = decisions_of(split, bare, route)
    on_sending = decisions_of(split, sending, route)
    sent = {case["id"] for case in split if "messaging" in case["required_toolsets"]}
    judged = {name: (on_sending if name in sent else decisions)[name] for name in decisions}
    shares, missed, sizes = recall(
        split, judged, lambda case: sending if case["id"] in sent else granted
    )
    idle = [name for name in on_sending if name not in sent]
    kept = sum("messaging" in on_sending[name].toolsets for name in idle)
    return {
        "cases": len(split),
        "reference": medians(split, decisions, granted),
        "cli": medians(split, on_bare, bare),
        "recall": {name: round(share, 4) for name, share in shares.items()},
        "requirements": sizes,
        "missed": {name: list(ids) for name, ids in missed.items()},
        "messaging kept for nothing": round(kept / max(len(idle), 1), 4),
        "unstable": list(unstable(played, costs, route)),
        "decisions": {name: _spelled(decision) for name, decision in judged.items()},
    }


def judge(report: Mapping[str, Any]) -> list[Gate]:
    """The gates for a measurement."""
    kinds = read_kinds()
    on_reference, on_bare, shaken = NONE_OF
    return gates(
        {
            "reduction on the reference surface": report["reference"]["all"],
            "reduction on a bare CLI": report["cli"]["all"],
            "recall": report["recall"].get("all", 0.0),
            "recall, critical classes": report["recall"].get("critical", 0.0),
        },
        {
            "recall": tuple(report["missed"].get("all", ())),
            "recall, critical classes": tuple(report["missed"].get("critical", ())),
            on_reference: kinds.below(report["reference"]["by_kind"], "reference"),
            on_bare: kinds.below(report["cli"]["by_kind"], "cli"),
            shaken: tuple(report["unstable"]),
        },
    )


def _spelled(decision: Decision) -> str:
    return f"{decision.grade.value}: {' '.join(sorted(decision.toolsets))}"


def _kept(report: Mapping[str, Any], found: Sequence[Gate]) -> dict[str, Any]:
    return {
        "decisions": report["decisions"],
        "figures": {gate.name: gate.value for gate in found},
        "held": sorted(gate.name for gate in found if gate.held),
    }


def _baseline() -> dict[str, Any]:
    if not BASELINE.is_file():
        return {}
    found: dict[str, Any] = json.loads(BASELINE.read_text(encoding="utf-8"))
    return found


def _json(gate: Gate) -> dict[str, Any]:
    return {
        "name": gate.name,
        "value": gate.value,
        "bound": gate.bound,
        "held": gate.held,
        "faults": list(gate.faults),
    }


def _tables(found: Sequence[Gate], report: Mapping[str, Any]) -> list[Table]:
    main = Table(title="Release gates, authored test split", title_justify="left")
    for head in ("gate", "found", "bound", ""):
        main.add_column(head, justify="right" if head in {"found", "bound"} else "left")
    for gate in found:
        main.add_row(
            gate.name, f"{gate.value:g}", f"{gate.bound:g}", "held" if gate.held else "RED"
        )
    bounds = read_kinds()
    kinds = Table(title="Median reduction by kind", title_justify="left")
    for head in ("kind", "reference", "least", "bare CLI", "least"):
        kinds.add_column(head, justify="left" if head == "kind" else "right")
    for kind, value in report["reference"]["by_kind"].items():
        least = [bounds.bound(kind, name) for name in ("reference", "cli")]
        asked = ["-" if bound is None else f"{bound:.2f}" for bound in least]
        bare = f"{report['cli']['by_kind'][kind]:.3f}"
        kinds.add_row(kind, f"{value:.3f}", asked[0], bare, asked[1])
    needs = Table(title="Requirements met", title_justify="left")
    for head in ("class", "requirements", "met"):
        needs.add_column(head, justify="left" if head == "class" else "right")
    for name, share in report["recall"].items():
        needs.add_row(name, str(report["requirements"][name]), f"{share:.4f}")
    return [main, kinds, needs]


def _remarks(found: Sequence[Gate], differences: Sequence[str]) -> list[str]:
    lines = [
        f"RED  {gate.name}: {gate.value:g}, promised {gate.bound:g}"
        + (f"; {len(gate.faults)}, such as {', '.join(gate.faults[:5])}" if gate.faults else "")
        for gate in found
        if not gate.held
    ]
    if differences:
        lines.append(
            f"CHANGED  {len(differences)} decisions; a star in the CHANGELOG, then "
            "`python benchmarks/run.py gates --update`"
        )
    return lines + [f"  {line}" for line in differences[:50]]
