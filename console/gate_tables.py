"""Compiles the gate's tables: ``python -m hermes_tool_router.console.gate_tables``.

The pure packages do no I/O, and a folder install has no build step, so the
compiled copies of the YAML sources are committed beside them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from ..risk_gate.sources import read_yaml

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
    return _json({file.stem: yaml.safe_load(file.read_text(encoding="utf-8")) for file in files})


def build_gate() -> bytes:
    """The tables of ``risk_gate`` from their sources."""
    return _json(read_yaml())


if __name__ == "__main__":
    CALLS.write_bytes(build_calls())
    GATE.write_bytes(build_gate())
