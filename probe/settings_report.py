"""The settings in force in a home, as findings: names of keys, never a key."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..registry_adapter.guard import Guard
from ..registry_adapter.settings_source import PLACE, Reading, SettingsSource, hermes_host
from ..router.settings import KILL_SWITCH, Settings, switched_off
from .findings import Finding, note, ok, problem

__all__ = ["settings_findings"]

_NETWORK = ("classifier", "turn_classifier", "jev_ask")
"""Features that open a socket where they are enabled; each is off as shipped."""
# The variables of the vendors that System One is served by (classifier/presets.py).
_KEYS = ("TYPESAFE_API_KEY", "OPENROUTER_API_KEY", "AI_GATEWAY_API_KEY")


def settings_findings(home: Path, environ: Mapping[str, str] = os.environ) -> tuple[Finding, ...]:
    """Say what holds in a home, where it comes from, and which key variables are set."""
    reading = SettingsSource(hermes_host(), guard=Guard(), environ=environ)(home)
    off = switched_off(environ)
    return (_verdict(reading, off), *_notices(reading), _keys(reading.settings, environ))


def _verdict(reading: Reading, off: bool) -> Finding:
    settings = reading.settings
    data: dict[str, Any] = {
        "place": PLACE,
        "profile": reading.profile,
        "enabled": settings.enabled,
        "mode": settings.mode,
        "effective": settings.model_dump(mode="json"),
        "origin": dict(reading.origin),
    }
    if off:
        return note("settings.valid", f"switched off by {KILL_SWITCH} in this environment", **data)
    if reading.problem and not reading.active:
        return problem("settings.valid", f"inactive in this home: {reading.problem}", **data)
    if not settings.enabled:
        return note(
            "settings.valid",
            f"valid, and switched off: hermes config set {PLACE}.global.enabled true",
            **data,
        )
    changed = ", ".join(sorted(reading.origin)) or "nothing"
    return ok("settings.valid", f"valid, mode {settings.mode}; set by the user: {changed}", **data)


def _notices(reading: Reading) -> tuple[Finding, ...]:
    return tuple(note("settings.notice", text) for text in reading.notices)


def _keys(settings: Settings, environ: Mapping[str, str]) -> Finding:
    """Which key variables are set, and whether anything would use one."""
    names = {*_KEYS, settings.classifier.provider_in_force.api_key_env} - {""}
    present = {name: bool(environ.get(name)) for name in sorted(names)}
    asking = [name for name in _NETWORK if getattr(settings, name).enabled]
    asking += ["risk_gate"] if settings.risk_gate.use_model else []
    asking += ["verify"] if settings.verify.use_model else []
    found = ", ".join(name for name, there in present.items() if there) or "none"
    use = f"asked by {', '.join(asking)}" if asking else "no network feature is on"
    return ok("settings.keys", f"keys in the environment: {found}; {use}", present=present)
