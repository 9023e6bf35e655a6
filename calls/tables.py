"""The data files of this package, read once."""

from __future__ import annotations

import json
import pkgutil
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import yaml

__all__ = ["literals", "table"]


@cache
def table(name: str) -> Mapping[str, Any]:
    """One data file by name, without suffix.

    The compiled copy (``data/compiled.json``) is used where it holds the
    table: YAML takes some hundred times longer.

    Raises:
        FileNotFoundError: no such file was shipped.
    """
    compiled = _compiled().get(name)
    if compiled is not None:
        return compiled
    raw = pkgutil.get_data(__package__, f"data/{name}.yaml")
    if raw is None:
        raise FileNotFoundError(f"data/{name}.yaml is not part of this installation")
    loaded: dict[str, Any] = yaml.safe_load(raw)
    return loaded


def literals() -> Mapping[str, Sequence[str]]:
    """Literals by the pattern that needs them; empty where nothing was compiled."""
    return _compiled().get("literals", {})


@cache
def _compiled() -> Mapping[str, Mapping[str, Any]]:
    try:
        raw = pkgutil.get_data(__package__, "data/compiled.json")
    except OSError:
        return {}
    loaded: dict[str, Any] = json.loads(raw) if raw else {}
    return loaded
