"""What ``benchmarks/run.py`` does without arguments: tokens, then the authored routing corpus."""

from __future__ import annotations

import importlib
from dataclasses import replace

from .options import Options

__all__ = ["run"]

_PARTS = ("tokens", "routes")


def run(options: Options) -> int:
    """Run both; the worse exit status counts.

    With ``--json OUT.json`` each part writes beside that name: ``OUT.tokens.json``.
    """
    worst = 0
    for part in _PARTS:
        target = options.json
        if target is not None and str(target) != "-":
            target = target.with_suffix(f".{part}{target.suffix}")
        suite = importlib.import_module(f".{part}_suite", __package__)
        worst = max(worst, int(suite.run(replace(options, suite=part, json=target))))
    return worst
