"""What ``benchmarks/run.py`` does without arguments: tokens, then the authored routing corpus."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path

from .options import Options

__all__ = ["run"]

_PARTS = ("tokens", "routes")


def run(options: Options) -> int:
    """Run both; the worse exit status counts.

    With ``--json OUT.json`` each part writes beside that name: ``OUT.tokens.json``;
    so does ``--html``.
    """
    worst = 0
    for part in _PARTS:
        own = replace(
            options, suite=part, json=_beside(options.json, part), html=_beside(options.html, part)
        )
        suite = importlib.import_module(f".{part}_suite", __package__)
        worst = max(worst, int(suite.run(own)))
    return worst


def _beside(target: Path | None, part: str) -> Path | None:
    if target is None or str(target) == "-":
        return target
    return target.with_suffix(f".{part}{target.suffix}")
