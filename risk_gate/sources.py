"""The data files of the gate: compiled where they are, YAML otherwise."""

from __future__ import annotations

import json
import pkgutil
from collections.abc import Mapping
from functools import cache
from typing import Any

import yaml

__all__ = ["DATA_FILES", "RULE_FILES", "load_sources", "read_yaml"]

RULE_FILES = (
    "destroy",
    "secrets",
    "remote",
    "persistence",
    "privilege",
    "config",
    "evasion",
    "disrupt",
    "hidden",
    "network",
    "outward",
    "attack",
)
"""Files of ``data/rules``, without suffix, in the order in which rules are tried."""
DATA_FILES = ("families", "flows", "tools")
"""Other files of ``data``, without suffix."""


@cache
def load_sources() -> Mapping[str, Any]:
    """All data by file name, without suffix.

    ``data/compiled.json`` says the same as the YAML sources (a test proves it)
    and takes a hundredth of the time.
    """
    try:
        compiled = pkgutil.get_data(__package__, "data/compiled.json")
    except OSError:
        compiled = None
    if compiled is None:
        return read_yaml()
    ready: Mapping[str, Any] = json.loads(compiled)
    return ready


def read_yaml() -> dict[str, Any]:
    """The YAML sources; slow."""
    paths = {name: f"data/rules/{name}.yaml" for name in RULE_FILES}
    paths |= {name: f"data/{name}.yaml" for name in DATA_FILES}
    return {
        name: yaml.safe_load(pkgutil.get_data(__package__, path) or b"")
        for name, path in paths.items()
    }
