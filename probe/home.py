"""A scratch home for Hermes: configuration, the plugin's copy, a work folder, an environment.

Everything lies in one folder that the caller owns and removes.  The home's
path stays the same however often it is filled, so that a run without the
plugin can be compared byte for byte with one that has it: some tool schemas
name the home.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from .model import MODEL

__all__ = [
    "ENFORCE",
    "PLUGIN",
    "SOURCE",
    "STOCK",
    "Contents",
    "PluginCopy",
    "ScratchHome",
    "config_of",
    "copy_plugin",
]

PLUGIN = "tool-router"
SOURCE = Path(__file__).resolve().parents[1]
"""The plugin's files: the checkout, a folder copy, or the installed package."""

# What a plugin folder does not need: history, environments, caches, build results, our own tests.
_LEFT_OUT = (
    ".git",
    ".ci",
    ".venv",
    ".cache",
    ".*_cache",
    ".hypothesis",
    ".coverage*",
    "__pycache__",
    "*.egg-info",
    "build",
    "dist",
    "tests",
)


class PluginCopy(StrEnum):
    """How Hermes gets the plugin."""

    NONE = "none"
    """Not at all: stock Hermes."""
    FOLDER = "folder"
    """As a folder under ``<home>/plugins``."""
    PIP = "pip"
    """By the entry point of an installed wheel; only enabled in the configuration."""


def copy_plugin(target: Path, source: Path = SOURCE) -> None:
    """Copy the plugin's files to ``target``, which must not exist."""
    shutil.copytree(source, target, ignore=shutil.ignore_patterns(*_LEFT_OUT))


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What a scratch home holds.

    Attributes:
        settings: the plugin's settings; empty means as shipped, which is off.
        copy: how Hermes gets the plugin.
        source: the files of a folder copy.
        config: further top-level blocks of Hermes' ``config.yaml``, merged one level deep.
        others: folders of other plugins, copied and enabled; they load in the
            order of their folder names, as ours does.
        raw_config: the whole text of ``config.yaml`` instead of all of the above.
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    copy: PluginCopy = PluginCopy.FOLDER
    source: Path = SOURCE
    config: Mapping[str, Any] = field(default_factory=dict)
    others: tuple[Path, ...] = ()
    raw_config: str | None = None


STOCK = Contents(copy=PluginCopy.NONE)
ENFORCE: Mapping[str, Any] = {
    "global": {
        "enabled": True,
        "mode": "enforce",
        # It warms in the background: whether it answers a first turn depends on the machine.
        "local_classifier": {"enabled": False},
    }
}


class ScratchHome:
    """One folder with a Hermes home, a work folder and a user's home inside."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.work = root / "work"
        self.user = root / "user"
        for folder in (self.home, self.work, self.user):
            folder.mkdir(parents=True, exist_ok=True)

    @property
    def state(self) -> Path:
        """Where the router keeps its own state."""
        return self.home / PLUGIN

    def fill(self, base_url: str, contents: Contents = STOCK) -> None:
        """Make the home afresh; whatever it held is gone, the work folder stays.

        Args:
            base_url: the model's, such as :attr:`StubModel.base_url`.
            contents: what to put there.
        """
        shutil.rmtree(self.home)
        self.home.mkdir()
        plugins = self.home / "plugins"
        for other in contents.others:
            shutil.copytree(other, plugins / other.name)
        if contents.copy is PluginCopy.FOLDER:
            copy_plugin(plugins / PLUGIN, contents.source)
        self.configure(base_url, contents)

    def configure(self, base_url: str, contents: Contents) -> None:
        """Write ``config.yaml`` anew and leave sessions, state and plugins as they are."""
        text = contents.raw_config
        if text is None:
            text = json.dumps(config_of(base_url, contents), indent=1)  # JSON is YAML
        (self.home / "config.yaml").write_text(text, encoding="utf-8")

    def environment(self, python: Path, **extra: str | None) -> dict[str, str]:
        """Return the environment for a Hermes process: nothing of the caller's but ``PATH``.

        Args:
            python: Hermes' interpreter.
            extra: further variables; ``None`` takes one away.
        """
        loopback = "127.0.0.1,localhost"
        base: dict[str, str | None] = {
            "PATH": f"{python.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "HOME": str(self.user),
            "TMPDIR": str(self.user),
            "HERMES_HOME": str(self.home),
            # Without this the first look at the tools installs a package into Hermes' environment.
            "HERMES_DISABLE_LAZY_INSTALLS": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "TERM": "dumb",
            "COLUMNS": "200",
            "NO_PROXY": loopback,
            "no_proxy": loopback,
        }
        return {key: value for key, value in (base | extra).items() if value is not None}


def config_of(base_url: str, contents: Contents) -> dict[str, Any]:
    """Return Hermes' configuration as a mapping."""
    config: dict[str, Any] = {
        "model": {
            "default": MODEL,
            "provider": "custom",
            "base_url": base_url,
            "api_key": "stub",  # not a key: the loopback model asks for none
            "context_length": 200_000,
        },
        "approvals": {"timeout": 5},
        "security": {"allow_lazy_installs": False, "tirith_enabled": False},
        "auxiliary": {"title_generation": {"enabled": False}},
    }
    for key, value in contents.config.items():
        known = config.get(key)
        if isinstance(known, dict) and isinstance(value, Mapping):
            value = {**known, **value}
        config[key] = value
    enabled = [other.name for other in contents.others]
    if contents.copy is not PluginCopy.NONE:
        enabled.append(PLUGIN)
        config["plugins"] = {
            "enabled": enabled,
            "entries": {PLUGIN: {"settings": dict(contents.settings)}},
        }
    elif enabled:
        config["plugins"] = {"enabled": enabled}
    return config
