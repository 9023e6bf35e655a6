"""Make the checkout importable when it is not installed."""

from __future__ import annotations

import importlib.util
import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

if importlib.util.find_spec("hermes_tool_router") is None:
    runpy.run_path(str(ROOT / "_checkout.py"))["mount"]()
