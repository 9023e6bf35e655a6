"""From what the user wrote to leaves under our own paths.

A *block* is one mapping of settings: ``global`` or the flat keys of a layer,
or one profile.  Reading it checks every key; :func:`validate` checks values.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from .errors import SettingsError
from .settings_aliases import FLAT, MODE_TARGETS, RETIRED, THRESHOLDS
from .settings_groups import defaults, groups
from .settings_model import Common, PlatformSwitch, Settings

if TYPE_CHECKING:
    from .settings_fields import SettingField

__all__ = ["Block", "Layer", "Leaf", "read_layer", "validate"]

_THRESHOLDS = "risk_gate.thresholds"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One source of settings, parsed."""

    name: str
    """How people find it: ``config.yaml``, or the path inside Hermes' configuration."""
    data: object
    """Normally a mapping; ``None`` counts as empty, anything else is an error."""
    shipped: bool = False
    """Our own ``config.yaml``, whose values nobody chose on purpose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One value and where it stands."""

    value: object
    written: str
    """Dotted path as the user wrote it."""
    layer: str
    shipped: bool = False

    def says(self, value: object) -> bool:
        """Whether it holds exactly this value; a list counts as the tuple that it becomes."""
        held = tuple(self.value) if isinstance(self.value, list) else self.value
        return type(held) is type(value) and held == value

    @property
    def origin(self) -> str:
        """Layer and path, for people."""
        return f"{self.layer}: {self.written}" if self.layer else self.written


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The leaves of one mapping, by our dotted path."""

    profile: str = ""
    """Profile that it is for; empty means all."""
    shipped: bool = False
    leaves: Mapping[str, Leaf] = field(default_factory=dict)
    retired: tuple[str, ...] = ()
    """Keys that are known and do nothing any more, as written."""
    aliases: tuple[tuple[str, str], ...] = ()
    """Pairs of a key as written and our path."""


def read_layer(layer: Layer) -> tuple[Block, ...]:
    """Split a layer into blocks: the common one, then one per profile in order.

    Raises:
        SettingsError: a key is unknown or stands where no value can.
    """
    data = dict(_mapping(layer.data, "", "settings"))
    profiles = _mapping(data.pop("profiles", None), "profiles", "profiles")
    grouped = _mapping(data.pop("global", None), "global", "global")
    common = _Reader(layer)
    common.read(grouped, "global.")
    common.read(data, "", mode_taken="mode" in grouped)
    blocks = [common.block()]
    for name, raw in profiles.items():
        written = f"profiles.{name}"
        reader = _Reader(layer, profile=_text_key(name, "profiles."))
        reader.read(_mapping(raw, written, written), f"{written}.")
        blocks.append(reader.block())
    return tuple(blocks)


def validate(leaves: Mapping[str, Leaf]) -> Settings:
    """Check values; keys that are left out get their defaults.

    Raises:
        SettingsError: for the first value that is of a wrong type or out of bounds.
    """
    shipped = defaults()
    tree: dict[str, object] = {}
    for path, leaf in leaves.items():
        if leaf.shipped and leaf.says(shipped.get(path)):
            continue  # our own file says what holds without it
        *parents, last = _split(path)
        node = tree
        for parent in parents:
            child = node.setdefault(parent, {})
            assert isinstance(child, dict)  # groups and leaves never share a path
            node = child
        node[last] = leaf.value
    parts: dict[str, object] = dict(_groups(Settings, tree, "", leaves))
    platforms = _branch(tree, "platforms")
    parts["platforms"] = {
        name: _checked(PlatformSwitch, _branch(platforms, name), f"platforms.{name}.", leaves)
        for name in tuple(platforms)
    }
    parts |= dict(_checked(Common, tree, "", leaves))
    return Settings.model_construct(None, **parts)


_Model = TypeVar("_Model", bound=BaseModel)


def _groups(
    model: type[BaseModel], tree: dict[str, object], prefix: str, leaves: Mapping[str, Leaf]
) -> dict[str, BaseModel]:
    """Take the groups of a model out of ``tree`` and check those in which something is set.

    The others are the models' own defaults, and their schemas are never built.
    """
    found: dict[str, BaseModel] = {}
    for name, declared in model.model_fields.items():
        kind = declared.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel) and name in tree:
            found[name] = _checked(kind, _branch(tree, name), f"{prefix}{name}.", leaves)
    return found


def _branch(tree: dict[str, object], name: str) -> dict[str, object]:
    branch = tree.pop(name, {})
    assert isinstance(branch, dict)  # groups and leaves never share a path
    return branch


def _checked(
    model: type[_Model], values: dict[str, object], prefix: str, leaves: Mapping[str, Leaf]
) -> _Model:
    groups = _groups(model, values, prefix, leaves)
    try:
        return model.model_validate({**values, **groups})
    except ValidationError as error:
        raise _refused(leaves, error, prefix) from None


class _Reader:
    """Collects the leaves of one block, which may come from two mappings."""

    def __init__(self, layer: Layer, profile: str = "") -> None:
        self._layer = layer
        self._profile = profile
        self._leaves: dict[str, Leaf] = {}
        self._retired: list[str] = []
        self._aliases: list[tuple[str, str]] = []

    def block(self) -> Block:
        return Block(
            profile=self._profile,
            shipped=self._layer.shipped,
            leaves=MappingProxyType(self._leaves),
            retired=tuple(self._retired),
            aliases=tuple(self._aliases),
        )

    def read(self, raw: Mapping[object, object], prefix: str, *, mode_taken: bool = False) -> None:
        """Read one mapping.

        Args:
            raw: keys as written.
            prefix: dotted path before them, ending in a dot unless empty.
            mode_taken: another mapping of the block sets ``mode``, so that one
                which came with somebody else's keys does not speak for routing.
        """
        seeds = [key for key in raw if isinstance(key, str) and key in FLAT]
        for key, value in raw.items():
            name, written = _text_key(key, prefix), f"{prefix}{key}"
            if name in RETIRED:
                self._retired.append(written)
            elif name in FLAT:
                self._alias(FLAT[name], written, value)
            elif name == "mode" and seeds:
                continue
            elif name == "platforms":
                for platform, switch in _mapping(value, written, written).items():
                    self._group(
                        _mapping(switch, f"{written}.{platform}", "platforms.<name>"),
                        "platforms.<name>",
                        f"platforms.{_text_key(platform, written + '.')}",
                        f"{written}.{platform}",
                    )
            else:
                self._member(name, value, "", "", written)
        if seeds and "mode" in raw:
            self._seed_mode(f"{prefix}mode", raw["mode"], seeds, speaks_for_routing=not mode_taken)

    def _member(self, name: str, value: object, group: str, path: str, written: str) -> None:
        """Take one native key of a group; ``path`` is the group's real path."""
        if group == _THRESHOLDS and name in THRESHOLDS:
            self._alias(f"{path}.{THRESHOLDS[name]}", written, value)
            return
        if name not in groups()[group]:
            raise _unknown(name, group, written, self._layer.name)
        inner, real = (f"{group}.{name}", f"{path}.{name}") if group else (name, name)
        if inner in groups():
            self._group(_mapping(value, written, inner), inner, real, written)
        else:
            self._put(real, written, value)

    def _group(self, raw: Mapping[object, object], group: str, path: str, written: str) -> None:
        for key, value in raw.items():
            name = _text_key(key, f"{written}.")
            self._member(name, value, group, path, f"{written}.{name}")

    def _alias(self, path: str, written: str, value: object) -> None:
        self._aliases.append((written, path))
        self._put(path, written, value)

    def _seed_mode(
        self, written: str, value: object, seeds: list[str], *, speaks_for_routing: bool
    ) -> None:
        """Spread the one mode of a pasted jev-router or jev-judge snippet.

        A feature's own mode, where it stands beside it, is the more exact word.
        """
        for target in sorted({target for seed in seeds for target in MODE_TARGETS[seed]}):
            if target not in self._leaves:
                self._alias(target, written, value)
        if speaks_for_routing:
            self._put("mode", written, value)

    def _put(self, path: str, written: str, value: object) -> None:
        known = self._leaves.get(path)
        if known is not None and known.value != value:
            raise SettingsError(
                f"settings keys {known.written!r} and {written!r} set the same thing "
                f"({path}) to different values; keep one",
                key=written,
            )
        self._leaves[path] = Leaf(
            value=value,
            written=written,
            layer=self._layer.name,
            shipped=self._layer.shipped,
        )


def _mapping(value: object, written: str, group: str) -> Mapping[object, object]:
    """A heading with nothing under it is an empty group, as people leave it in YAML."""
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return value
    members = groups().get("" if group in {"settings", "global"} else group, ())
    inside = f" with any of: {', '.join(members)}" if members else ""
    shown = repr(written) if written else "'settings'"
    raise SettingsError(
        f"settings key {shown} is {_kind(value)}; allowed is a group of keys{inside}",
        key=written or "settings",
    )


def _kind(value: object) -> str:
    """What a value is, in the words of YAML."""
    if isinstance(value, bool):
        return "true or false"
    kinds = {str: "a text", int: "a number", float: "a number", list: "a list"}
    return kinds.get(type(value), f"a {type(value).__name__}")


_HEADINGS = ("global", "profiles")
"""What may stand around the keys."""


def _text_key(key: object, prefix: str) -> str:
    if isinstance(key, str) and key:
        return key
    if key == "":
        place = prefix.removesuffix(".") or "settings"
        raise SettingsError(f"a settings key '' under {place!r} is empty", key="''")
    raise SettingsError(
        f"settings key '{prefix}{key}' is no text ({type(key).__name__}); "
        "put it in quotes if it is a name",
        key=f"{prefix}{key}",
    )


def _unknown(name: str, group: str, written: str, layer: str) -> SettingsError:
    from .settings_fields import nearest  # noqa: PLC0415 - only for a mistake

    outer = _HEADINGS if written == name else ()  # not inside one of them
    close = next(iter(difflib.get_close_matches(name, outer, n=1)), "") or nearest(name, group)
    hint = f"; nearest known key: {close}" if close else ""
    members = ", ".join((*outer, *groups()[group]))
    where = f" in {layer}" if layer else ""
    return SettingsError(
        f"settings key {written!r}{where} is unknown{hint}; allowed here: {members}", key=written
    )


def _refused(leaves: Mapping[str, Leaf], error: ValidationError, prefix: str) -> SettingsError:
    """Name the first refused value the way the user wrote it; ``prefix`` is its group's path."""
    from .settings_fields import fields  # noqa: PLC0415 - only for a mistake

    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    # In unions pydantic's location goes on past the leaf.
    location = [str(part) for part in first["loc"]]
    ends = (prefix + ".".join(location[:end]) for end in range(len(location), 0, -1))
    path = next(path for path in ends if path in leaves)
    leaf = leaves[path]
    known = {setting.path: setting for setting in fields()}
    setting = known.get(path) or known["platforms.<name>." + path.rpartition(".")[2]]
    where = f" in {leaf.layer}" if leaf.layer else ""
    shown = "" if setting.free_text or len(repr(leaf.value)) > 24 else f" to be {leaf.value!r}"
    return SettingsError(
        f"settings key {leaf.written!r}{where} is not allowed{shown}: "
        f"{_expected(setting, leaf.value, first)}",
        key=leaf.written,
    )


def _expected(setting: SettingField, value: object, first: ErrorDetails) -> str:
    """What may be written, and the slip that the value looks like."""
    if first["type"] == "value_error":
        return first["msg"].removeprefix("Value error, ")
    unit = f" ({setting.unit})" if setting.unit else ""
    hint = ""
    if setting.words and isinstance(value, bool):
        hint = "; YAML reads on, off, yes and no as true and false"
    elif setting.words and isinstance(value, str):
        close = difflib.get_close_matches(value.lower(), setting.words, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
    return f"allowed: {setting.allowed}{unit}{hint}"


def _split(path: str) -> list[str]:
    """Split a dotted path; a platform's name may hold dots itself."""
    if path.startswith("platforms."):
        name, _, last = path.removeprefix("platforms.").rpartition(".")
        return ["platforms", name, last]
    return path.split(".")
