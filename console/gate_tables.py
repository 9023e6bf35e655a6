"""Compiles the gate's tables: ``python -m hermes_tool_router.console.gate_tables``.

The pure packages do no I/O, and a folder install has no build step, so the
compiled copies of the YAML sources are committed beside them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from ..risk_gate.sources import RULE_FILES, read_yaml
from .literals import needed

__all__ = ["CALLS", "GATE", "build_calls", "build_gate"]

_ROOT = Path(__file__).resolve().parents[1]
CALLS = _ROOT / "calls" / "data" / "compiled.json"
"""Compiled tables of ``calls``."""
GATE = _ROOT / "risk_gate" / "data" / "compiled.json"
"""Compiled tables of ``risk_gate``."""


def _json(tables: dict[str, Any]) -> bytes:
    text = json.dumps(tables, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return f"{text}\n".encode()


def build_calls() -> bytes:
    """The tables of ``calls`` from their sources."""
    files = sorted((_ROOT / "calls" / "data").glob("*.yaml"))
    tables = {file.stem: yaml.safe_load(file.read_text(encoding="utf-8")) for file in files}
    listed = (pattern for patterns in tables["paths"]["classes"].values() for pattern in patterns)
    return _json({**tables, "literals": _literals(listed)})


def _literals(patterns: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The literals that patterns need; those of which nothing can be told are left out."""
    found = {pattern: needed(pattern) for pattern in patterns}
    return {pattern: literals for pattern, literals in found.items() if literals is not None}


def build_gate() -> bytes:
    """The tables of ``risk_gate`` from their sources."""
    tables = read_yaml()
    listed = (
        pattern
        for file in RULE_FILES
        for rule in tables[file]["rules"]
        for pattern in _listed(rule["when"])
    )
    return _json({**tables, "literals": _literals(listed)})


def _listed(when: dict[str, Any]) -> Iterator[str]:
    """Patterns over the words of a command."""
    for key in ("text", "arg"):
        yield from when.get(key, ())
    for inner in when.get("any", ()):
        yield from _listed(inner)


if __name__ == "__main__":
    CALLS.write_bytes(build_calls())
    GATE.write_bytes(build_gate())
