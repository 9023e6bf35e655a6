"""Reading and writing Hermes' own ``config.yaml``, through Hermes' own functions.

Names and lines are those of hermes-agent 0.19.0 (hermes_cli/config.py).
"""

from __future__ import annotations

import contextlib
import inspect
import io
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from ..router.errors import RouterError
from .settings_source import PLACE

__all__ = ["RefusedError", "config_path", "hermes_config", "own_settings", "write_settings"]


class RefusedError(RouterError):
    """Hermes does not let this configuration be written; the message says who does."""


def hermes_config() -> Mapping[str, Any]:
    """The configuration in force; the host's live cache, never to be changed."""
    from hermes_cli.config import load_config_readonly  # noqa: PLC0415 - host import

    found: Mapping[str, Any] = load_config_readonly()
    return found


def config_path() -> Path:
    """The file of the home in use."""
    from hermes_cli.config import get_config_path  # noqa: PLC0415 - host import

    return Path(get_config_path())


def own_settings() -> object:
    """What stands under our entry; ``None`` if there is none."""
    node: object = hermes_config()
    for key in PLACE.split("."):
        node = node.get(key) if isinstance(node, Mapping) else None
    return node


def write_settings(values: Mapping[str, str]) -> tuple[str, ...]:
    """Set keys of ours, each where the user already has it.

    Args:
        values: our dotted path under ``global`` to the text that Hermes coerces.

    Returns:
        The full dotted keys that were written.

    Raises:
        RefusedError: the configuration is managed, or does not read as YAML, so
            that writing it would lose what is in it.
    """
    keys = {path: f"{PLACE}.{_written(path, own_settings())}" for path in values}
    _check(keys.values())
    setter = _setter()
    for path, key in keys.items():
        with contextlib.redirect_stdout(io.StringIO()) as said:
            try:
                setter(key, values[path])
            except SystemExit as stop:  # a key pinned by a managed file ends so (config.py:8749)
                raise RefusedError(f"Hermes refused to write {key}: {said.getvalue()}") from stop
    return tuple(keys.values())


def _setter() -> Callable[[str, str], object]:
    """Hermes' own setter, told to take keys that its own defaults do not have."""
    from hermes_cli.config import set_config_value  # noqa: PLC0415 - host import

    if "force" in inspect.signature(set_config_value).parameters:
        return partial(set_config_value, force=True)
    setter: Callable[[str, str], object] = set_config_value  # 0.18 takes any key
    return setter


def _written(path: str, settings: object) -> str:
    """Where a key belongs: beside what is there, flat or under ``global``."""
    if isinstance(settings, Mapping) and "global" not in settings:
        flat = [key for key in settings if key not in {"profiles", "platforms"}]
        if flat:
            return path
    first = path.partition(".")[0]
    if isinstance(settings, Mapping) and first in settings:
        return path
    return f"global.{path}"


def _check(keys: Any) -> None:
    from hermes_cli import managed_scope  # noqa: PLC0415 - host import
    from hermes_cli.config import (  # noqa: PLC0415 - host import
        get_managed_system,
        is_managed,
    )

    if is_managed():
        system = get_managed_system() or "a package manager"
        raise RefusedError(f"this Hermes is managed by {system}; change its settings there")
    pinned = [key for key in keys if managed_scope.is_key_managed(key)]
    if pinned:
        folder = managed_scope.get_managed_dir()
        raise RefusedError(f"{pinned[0]} is pinned by the administrator ({folder}/config.yaml)")
    path = config_path()
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise RefusedError(
            f"{path} does not read as YAML ({type(error).__name__}); mend it first, "
            "or Hermes would write it anew without what is in it"
        ) from error
    if content is not None and not isinstance(content, dict):
        raise RefusedError(f"{path} is no mapping at its top; mend it first")
