"""Which copy of the plugin a Hermes home uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from .findings import Finding, note, ok
from .home import PLUGIN

__all__ = ["Installed", "describe", "look"]

_GROUP = "hermes_agent.plugins"


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """The copies that Hermes can find.

    Attributes:
        folder: the copy in the home's plugin folder, ``None`` if there is none.
        wheel: where pip put its copy, ``None`` if there is none.
        enabled: Hermes is told to load the plugin.
    """

    folder: Path | None
    wheel: Path | None
    enabled: bool

    @property
    def live(self) -> Path | None:
        """The copy that Hermes loads: with both, the wheel's wins (hermes-agent 0.19.0)."""
        return (self.wheel or self.folder) if self.enabled else None


def look(home: Path, config: Mapping[str, Any]) -> Installed:
    """Find the copies.

    Args:
        home: the Hermes home.
        config: Hermes' configuration.
    """
    folder = home / "plugins" / PLUGIN
    block = config.get("plugins")
    plugins = block if isinstance(block, Mapping) else {}
    enabled = PLUGIN in _names(plugins, "enabled") and PLUGIN not in _names(plugins, "disabled")
    return Installed(
        folder=folder if (folder / "plugin.yaml").is_file() else None,
        wheel=_wheel(),
        enabled=enabled,
    )


def describe(installed: Installed, source: Path) -> Finding:
    """Say which copy is live, and whether it is the one that is examined.

    Args:
        installed: what was found.
        source: the files that this diagnosis belongs to.
    """
    folder, wheel, live = installed.folder, installed.wheel, installed.live
    data = {
        "folder": str(folder) if folder else None,
        "pip": str(wheel) if wheel else None,
        "enabled": installed.enabled,
        "live": str(live) if live else None,
        "examined": str(source),
    }
    if folder is None and wheel is None:
        return note(
            "copy.live", "not installed in this home; what follows is about these files", **data
        )
    if live is None:
        return note(
            "copy.live",
            f"installed but not enabled: hermes plugins enable {PLUGIN} --no-allow-tool-override",
            **data,
        )
    if folder and wheel:
        return note(
            "copy.live",
            f"two copies: Hermes loads pip's at {wheel}, the folder {folder} is not used; "
            "remove one of them",
            **data,
        )
    if live.resolve() != source.resolve():
        return note("copy.live", f"Hermes loads {live}; these files are another copy of it", **data)
    return ok("copy.live", f"Hermes loads {live}", **data)


def _names(plugins: Mapping[str, Any], key: str) -> frozenset[str]:
    listed = plugins.get(key)
    return frozenset(map(str, listed)) if isinstance(listed, (list, tuple)) else frozenset()


def _wheel() -> Path | None:
    for entry in metadata.entry_points(group=_GROUP, name=PLUGIN):
        if entry.dist is not None:
            return Path(str(entry.dist.locate_file(entry.module.replace(".", "/"))))
    return None
