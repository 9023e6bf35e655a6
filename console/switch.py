"""``enable``, ``shadow`` and ``disable``: one write, then a look at what holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..registry_adapter.hermes_config import write_settings
from ..registry_adapter.settings_source import Reading
from .output import Output

__all__ = ["STATES", "switch"]

STATES: Mapping[str, Mapping[str, str]] = {
    "enable": {"enabled": "true", "mode": "enforce"},
    "shadow": {"enabled": "true", "mode": "shadow"},
    "disable": {"enabled": "false"},
}


def switch(command: str, reading: Callable[[], Reading], out: Output) -> int:
    """Write a state and say what holds then.

    Args:
        command: a key of :data:`STATES`.
        reading: the settings in force, read anew.
        out: where the answer goes.

    Returns:
        0 if the state holds, 1 if something else wins over what was written.

    Raises:
        RefusedError: Hermes' configuration cannot be written.
    """
    wanted = STATES[command]
    written = write_settings(wanted)
    now = reading()
    holds = _holds(wanted, now)
    if out.as_json:
        out.value(
            {
                "written": list(written),
                "holds": holds,
                "enabled": now.settings.enabled,
                "mode": now.settings.mode,
                "problem": now.problem,
            }
        )
        return 0 if holds else 1
    for key in written:
        out.verbatim(f"set {key}")
    if holds:
        out.line(_words(now))
        return 0
    out.line(f"written, but it does not hold: {now.problem or _winner(wanted, now)}")
    return 1


def _holds(wanted: Mapping[str, str], now: Reading) -> bool:
    if wanted["enabled"] == "false":
        return not now.on
    return now.on and now.settings.mode == wanted["mode"]


def _winner(wanted: Mapping[str, str], now: Reading) -> str:
    """What says otherwise: a block of the profile, usually."""
    return "; ".join(
        f"{path} is {getattr(now.settings, path)} by {now.origin.get(path, 'the shipped default')}"
        for path in wanted
    )


def _words(now: Reading) -> str:
    if not now.on:
        return "the router is off; new sessions send every tool"
    if now.settings.mode == "shadow":
        return "shadow: decides and logs, every request stays as it is"
    return "enforce: sessions send what they need, once Hermes is restarted"
