"""``hermes tool-router status``: the effect, not the flags."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import starmap
from pathlib import Path
from typing import Any

import yaml

from ..probe.copies import describe, look, stranded, stranded_text
from ..registry_adapter.hermes_config import hermes_config
from ..registry_adapter.host import hermes_home
from ..registry_adapter.plugin import Runtime
from ..registry_adapter.resources import ROOT
from ..registry_adapter.settings_source import Reading
from ..registry_adapter.store import StateStore
from ..router.settings_fields import fields
from .effect import RECENT, effect, outcomes, percent
from .output import Output, clock_time, counted

__all__ = ["collect", "show", "version"]


def version() -> str:
    """The plugin's version, as the manifest beside this file has it."""
    manifest: dict[str, Any] = yaml.safe_load((ROOT / "plugin.yaml").read_text(encoding="utf-8"))
    return str(manifest["version"])


def collect(runtime: Runtime) -> dict[str, Any]:
    """Everything that status knows, as JSON values."""
    home = hermes_home()
    reading, store = runtime.reading(), runtime.stores(home)
    copy = describe(look(home, hermes_config()), ROOT)
    others = stranded_text(stranded(home))
    return {
        "version": version(),
        "copy": {"text": copy.text, **copy.data},
        "home": str(home),
        "profile": reading.profile,
        "routing": _routing(runtime, reading),
        "features": _features(runtime, reading),
        "effect": effect(store),
        "counters": store.counters(),
        "gate": outcomes(store.tail("gate", limit=RECENT)),
        "calls": outcomes(calls := store.tail("calls", limit=RECENT)),
        "last_call": calls[-1] if calls else None,
        "state": _state(store),
        "settings": _settings(reading),
        "notices": [*reading.notices, *filter(None, [others])],
    }


def show(data: Mapping[str, Any], out: Output) -> None:
    """Print it for people."""
    routing, seen = data["routing"], data["effect"]
    out.line(f"tool-router {data['version']}: {routing['text']}", bold=True)
    out.pairs(
        [
            ("profile", f"{data['profile'] or 'unknown'} ({data['home']})"),
            ("copy", data["copy"]["text"]),
            *((name, text) for name, text in data["features"].items()),
        ]
    )
    out.line()
    out.line(f"The latest {counted(seen['decisions'], 'decision')}", bold=True)
    out.pairs(_effect_rows(seen, data["counters"]))
    _show_logs(data, out)
    if data["settings"]:
        out.line()
        out.line("Settings that differ from the shipped ones", bold=True)
        rows = [(row["key"], row["value"], row["from"]) for row in data["settings"]]
        out.table(["key", "value", "from"], rows)
    for notice in data["notices"]:
        out.line(f"note: {notice}")


def _routing(runtime: Runtime, reading: Reading) -> dict[str, Any]:
    settings, problem = reading.settings, reading.problem or runtime.problem
    if problem:
        text = f"nothing is routed: {problem}"
        if reading.active and not settings.enabled_anywhere:
            text += "; to try it: hermes tool-router shadow"
    elif settings.mode == "shadow":
        text = "shadow: decides and logs, every request stays as it is"
    else:
        text = "enforce: requests carry what the session needs"
    return {
        "active": not problem,
        "mistaken": reading.mistaken,
        "enabled": settings.enabled,
        "mode": settings.mode,
        "problem": problem,
        "text": text,
        "registered": list(runtime.registered),
        "platforms": {
            name: switch.enabled
            for name, switch in sorted(settings.platforms.items())
            if switch.enabled is not None
        },
        "faults": runtime.guard.faults,
    }


def _encoder(runtime: Runtime, reading: Reading) -> str:
    """The embedded encoder in one phrase; how to get it where it is missing."""
    state = runtime.encoder.state(reading.settings) if reading.on else "off"
    match state:
        case "off":
            return "off"
        case "cold" | "warming" | "ready":
            return "local only, asked on first turns"
        case "not installed":
            return "not installed (optional): requirements-local.txt"
        case reason:
            return f"silent: {reason}"


def _features(runtime: Runtime, reading: Reading) -> dict[str, str]:
    """Each feature beside routing in one phrase, and whether it may open a socket."""
    settings = reading.settings
    wired = set(runtime.registered)

    def phrase(on: bool, mode: str, needs: str, network: bool) -> str:
        if not (reading.on and on):
            return "off"
        if needs not in wired:
            return "switched on, but not wired in this process"
        return f"{mode}, {'asks a model' if network else 'local only'}"

    gate, verify, ask = settings.risk_gate, settings.verify, settings.jev_ask
    classifier, turns = settings.classifier, settings.turn_classifier
    return {
        "encoder": _encoder(runtime, reading),
        "risk gate": phrase(gate.enabled, gate.mode, "pre_tool_call", gate.use_model),
        "verifier": phrase(verify.enabled, verify.mode, "pre_verify", verify.use_model),
        "classifier": phrase(
            classifier.enabled, classifier.provider or "deepseek", "llm_execution", True
        ),
        "turn classifier": phrase(turns.enabled, "on", "llm_execution", True),
        "jev_ask": phrase(ask.enabled, "on", "jev_ask", True),
    }


def _effect_rows(seen: Mapping[str, Any], counters: Mapping[str, int]) -> list[tuple[str, str]]:
    listed = ", ".join(f"{count} {name}" for name, count in seen["outcomes"].items())
    rows = [("outcomes", listed or "none yet")]
    if seen["enforced"]:
        share = percent(seen["tokens_removed"], seen["tokens_full"])
        rows.append(
            ("tokens removed", f"{seen['tokens_removed']:,} of {seen['tokens_full']:,} ({share})")
        )
    if seen["shadow"]:
        rows.append(
            ("in shadow", f"{seen['shadow']:,}; would remove {seen['would_remove']:,} tokens")
        )
    if seen["refrained"]:
        text = (
            f"{counted(seen['refrained'], 'session')}, as narrowing would cost more (cost.dearer)"
        )
        rows.append(("left whole", text))
    if counters:
        rows.append(("counted so far", ", ".join(starmap(_counter, sorted(counters.items())))))
    return rows


def _counter(name: str, value: int) -> str:
    """What a counter counted: in shadow what would have happened, else what did."""
    kind = name.removeprefix("would_").replace("_", " ")
    return f"{kind} {value:,}" + (" in shadow" if name.startswith("would_") else "")


def _show_logs(data: Mapping[str, Any], out: Output) -> None:
    rows = [
        (label, ", ".join(f"{count} {name}" for name, count in data[key].items()))
        for label, key in (("tool calls judged", "gate"), ("model calls", "calls"))
        if data[key]
    ]
    last = data["last_call"]
    if last:
        words = f"{last['outcome']} from {last['backend']} at {clock_time(last)}"
        rows.append(("last model call", words))
    state = data["state"]
    health = (
        state["problem"]
        or f"{counted(sum(state['rows'].values()), 'row')}, {state['bytes']:,} bytes"
    )
    if state["damaged_at"] is not None:
        health += "; a damaged file was set aside"
    rows.append(("state", f"{state['path']}: {health}"))
    out.pairs(rows)


def _state(store: StateStore) -> dict[str, Any]:
    health = store.health()
    return {
        "path": str(health.path),
        "problem": health.problem,
        "intact": health.intact,
        "damaged_at": health.damaged_at,
        "set_aside": [str(path) for path in health.set_aside],
        "rows": dict(health.rows),
        "bytes": health.bytes,
    }


def _settings(reading: Reading) -> list[dict[str, str]]:
    """Keys that somebody set, with the place; values are no secrets, keys are only named."""
    if not reading.active:
        return []
    flat = _flat(reading.settings.model_dump(mode="json"))
    known = {field.path: field for field in fields()}
    return [
        {"key": path, "value": _plain(flat.get(path)), "from": _short(origin)}
        for path, origin in sorted(reading.origin.items())
        if path.startswith("platforms.") or path in known
    ]


def _flat(tree: Mapping[str, Any], prefix: str = "") -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in tree.items():
        if isinstance(value, Mapping):
            found |= _flat(value, f"{prefix}{key}.")
        else:
            found[prefix + key] = value
    return found


def _plain(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(str(item) for item in value) + "]"
    return {True: "true", False: "false", None: "null"}.get(value, str(value))  # type: ignore[call-overload,no-any-return]  # any JSON scalar is a key here


def _short(origin: str) -> str:
    """The last part of a file's path and the key in it."""
    place, _, written = origin.partition(": ")
    name = Path(place).name if "/" in place or "\\" in place else "Hermes' config.yaml"
    return f"{name}: {written}"
