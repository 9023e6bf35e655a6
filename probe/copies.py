"""Which copy of the plugin a Hermes home uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from .findings import Finding, note, ok
from .home import PLUGIN

__all__ = ["Installed", "describe", "look", "stranded", "stranded_text"]

_GROUP = "hermes_agent.plugins"
_INSTALL = "install it: make install PROFILE=NAME in a checkout, or hermes plugins install"


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
    if folder is None and wheel is None and installed.enabled:
        return note(
            "copy.live",
            "enabled here, but not installed here, so Hermes loads nothing; "
            f"`hermes profile create --clone` copies settings without plugins; {_INSTALL}",
            **data,
        )
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


def stranded(home: Path) -> tuple[str, ...]:
    """Return the other profiles that enable the plugin and do not have it, sorted.

    ``hermes profile create --clone`` copies ``config.yaml`` and no plugins
    (hermes_cli/profiles.py of hermes-agent 0.19.0).  With a copy from pip there
    are none: its entry point is found from every home.

    Args:
        home: the Hermes home to look from; the one outside ``profiles/`` is "default".
    """
    root = home.parent.parent if home.parent.name == "profiles" else home
    homes = {"default": root, **{path.name: path for path in root.glob("profiles/*")}}
    found = []
    for name, other in homes.items():
        if other != home:
            there = look(other, _configuration(other))
            if there.enabled and there.folder is None and there.wheel is None:
                found.append(name)
    return tuple(sorted(found))


def stranded_text(names: tuple[str, ...]) -> str:
    """Say what these profiles lack and how they get it; empty where there are none."""
    if not names:
        return ""
    which = "profile" if len(names) == 1 else "profiles"
    return (
        f"enabled but not installed in {which} {', '.join(names)}, so nothing is routed there "
        f"(a clone has the settings without the plugin); {_INSTALL}"
    )


def _configuration(home: Path) -> Mapping[str, Any]:
    """Another home's configuration; what cannot be read enables nothing."""
    import yaml  # noqa: PLC0415 - the doctor must start where no package is

    try:
        found = yaml.safe_load((home / "config.yaml").read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError):
        return {}
    return found if isinstance(found, Mapping) else {}


def _names(plugins: Mapping[str, Any], key: str) -> frozenset[str]:
    listed = plugins.get(key)
    return frozenset(map(str, listed)) if isinstance(listed, (list, tuple)) else frozenset()


def _wheel() -> Path | None:
    for entry in metadata.entry_points(group=_GROUP, name=PLUGIN):
        if entry.dist is not None:
            return Path(str(entry.dist.locate_file(entry.module.replace(".", "/"))))
    return None
