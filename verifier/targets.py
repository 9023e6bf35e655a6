"""What the name of a target or of a script says about it."""

from __future__ import annotations

import re

from .tables import Runners
from .values import Kind

__all__ = ["script_checks", "target_kind"]

_CUT = re.compile(r"[:\-._/@#+ ]+|(?<=[a-z0-9])(?=[A-Z])")


def target_kind(name: str, runners: Runners) -> Kind | None:
    """The kind of check that a target's name promises, ``None`` for no check.

    Its parts are looked up; one part that means something else ("lint:fix")
    decides against.
    """
    parts = [part.lower() for part in _CUT.split(name) if part]
    whole = name.lower()
    if any(part in runners.words["other"] for part in parts) and whole not in runners.words["lint"]:
        return None
    hits = {
        kind
        for kind in (Kind.LINT, Kind.TEST, Kind.BUILD)
        if whole in runners.words[kind] or any(part in runners.words[kind] for part in parts)
    }
    return next((kind for kind in (Kind.LINT, Kind.TEST, Kind.BUILD) if kind in hits), None)


def script_checks(path: str, runners: Runners) -> bool:
    """Whether a script's own name, folders aside, says that it checks something."""
    base = path.replace("\\", "/").rsplit("/", 1)[-1]
    parts = [part.lower() for part in _CUT.split(base) if part]
    if any(part in {"server", "data", "install", "fixtures", "setup", "gen"} for part in parts):
        return False
    return any(part in runners.scripts for part in parts)
