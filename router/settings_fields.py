"""The catalogue of settings: what error messages, `status` and the docs list.

The words for people take a while to gather; a start of Hermes without a mistake needs none.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from .settings_aliases import FLAT
from .settings_groups import groups
from .settings_model import PlatformSwitch, Settings

__all__ = ["SettingField", "fields", "nearest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingField:
    """One setting as people see it."""

    path: str
    """Dotted path under ``global``; ``platforms.<name>.enabled`` stands for every platform."""
    default: object
    allowed: str
    """What may be written, in words."""
    unit: str
    description: str
    words: tuple[str, ...] = ()
    """The closed set of words, where there is one."""
    free_text: bool = False
    """Holds what a user may have pasted by mistake, so messages never repeat it."""


@cache
def fields() -> tuple[SettingField, ...]:
    """Every setting in the order of the model."""
    schema = Settings.model_json_schema()
    found = list(_walk(schema, schema.get("$defs", {}), "", Settings().model_dump()))
    switch = PlatformSwitch.model_json_schema()
    found += _walk(switch, {}, "platforms.<name>.", PlatformSwitch().model_dump())
    return tuple(found)


def nearest(key: str, group: str) -> str:
    """The known setting that a misspelt or misplaced key most likely meant.

    Args:
        key: what the user wrote, without its path.
        group: dotted path of the group in which it stood.

    Returns:
        A dotted path under ``global``; empty if nothing comes near.
    """
    by_path = {field.path: field.path for field in fields()}
    elsewhere = {path.rpartition(".")[2]: path for path in reversed(by_path)} | dict(FLAT)
    here = {member: f"{group}.{member}" if group else member for member in groups().get(group, ())}
    for candidates, cutoff in ((here, 0.7), (elsewhere, 0.8), (here, 0.5), (elsewhere, 0.6)):
        close = difflib.get_close_matches(key.lower(), candidates, n=1, cutoff=cutoff)
        if close:
            return candidates[close[0]]
    return ""


def _walk(
    schema: Mapping[str, Any], defs: Mapping[str, Any], prefix: str, defaults: Mapping[str, Any]
) -> Iterator[SettingField]:
    for name, node in schema["properties"].items():
        ref = str(node.get("$ref", "")).rpartition("/")[2]
        if ref:
            yield from _walk(defs[ref], defs, f"{prefix}{name}.", defaults[name])
        elif "additionalProperties" not in node:
            options: Sequence[Mapping[str, Any]] = node.get("anyOf", (node,))
            yield SettingField(
                path=prefix + name,
                default=defaults[name],
                allowed=" or ".join(_allowed(option) for option in options),
                unit=str(node.get("unit", "")),
                description=str(node["description"]),
                words=tuple(word for option in options for word in _words(option)),
                free_text=any("allowed" in option for option in options),
            )


def _words(option: Mapping[str, Any]) -> Iterator[str]:
    """The texts of a closed set."""
    for value in (*option.get("enum", ()), option.get("const")):
        if isinstance(value, str):
            yield value


def _allowed(option: Mapping[str, Any]) -> str:
    """Put one alternative of a JSON schema node into words."""
    if "allowed" in option:
        return str(option["allowed"])
    words = tuple(_words(option))
    if words:
        return " or ".join(words)
    if option.get("const") is True:
        return "true"
    kind = option["type"]
    if kind in {"number", "integer"}:
        noun = "a number" if kind == "number" else "a whole number"
        return f"{noun} from {option['minimum']:g} to {option['maximum']:.10g}"
    return {"boolean": "true or false", "null": "null"}[kind]
