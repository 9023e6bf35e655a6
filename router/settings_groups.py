"""Which settings there are, by group, and what they are when nobody sets them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from pydantic import BaseModel

from .settings_model import PlatformSwitch, Settings

__all__ = ["defaults", "groups"]


@cache
def groups() -> Mapping[str, tuple[str, ...]]:
    """Keys that may stand in each group, by dotted path; ``""`` is ``global`` itself."""
    found = dict(_groups(Settings, ""))
    found["platforms"] = ("<name>",)
    found["platforms.<name>"] = tuple(PlatformSwitch.model_fields)
    return found


def _groups(model: type[BaseModel], path: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield path, tuple(model.model_fields)
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _groups(kind, f"{path}.{name}" if path else name)


@cache
def defaults() -> Mapping[str, object]:
    """The shipped value of every setting, by dotted path."""
    return dict(_leaves(Settings.model_construct(), ""))


def _leaves(group: BaseModel, prefix: str) -> Iterator[tuple[str, object]]:
    for name in type(group).model_fields:
        value = getattr(group, name)
        if isinstance(value, BaseModel):
            yield from _leaves(value, f"{prefix}{name}.")
        elif not isinstance(value, Mapping):
            yield prefix + name, value
