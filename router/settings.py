"""Layers of settings to one value (design D9).

A layer is a mapping that was already parsed; nothing is read here.  Later
layers win key by key.  Inside one layer ``profiles.<active>`` wins over
``global``, and keys may also stand flat, without ``global``.  Whatever is
unknown, of a wrong type or out of bounds raises :class:`SettingsError`, in
every profile's block and not only in the active one, so that a typo never
waits for the day on which its profile is used.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from .errors import SettingsError
from .settings_aliases import PLATFORMS
from .settings_blocks import Block, Layer, Leaf, read_layer, validate
from .settings_groups import defaults
from .settings_model import Settings

__all__ = ["KILL_SWITCH", "Layer", "Resolved", "Settings", "resolve", "switched_off"]

KILL_SWITCH = "HERMES_TOOL_ROUTER"
"""Environment variable that switches the plugin off for one process."""

_MODED = ("risk_gate", "verify", "tool_shaping")


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """The settings in force, and how they came about."""

    settings: Settings
    notices: tuple[str, ...] = ()
    """What the user should hear once; empty means nothing."""
    origin: Mapping[str, str] = field(default_factory=dict)
    """Layer and block that set a key, by dotted path; a key left out has its shipped default."""


def resolve(layers: Sequence[Layer], *, profile: str, platform: str | None = None) -> Resolved:
    """Apply layers, lowest first.

    Args:
        layers: lowest first; none at all gives the defaults.
        profile: the host's name of the active profile.
        platform: the host's name of the channel; its switch decides ``enabled``.

    Raises:
        SettingsError: a key is unknown, has a wrong type or is out of bounds.
    """
    blocks = [block for layer in layers for block in read_layer(layer)]
    for block in blocks:
        validate(block.leaves)
    active = [block for block in blocks if block.profile in {"", profile}]
    leaves = {path: leaf for block in active for path, leaf in block.leaves.items()}
    settings = validate(leaves)
    _check_custom_classifier(settings, leaves)
    return Resolved(
        settings=_for_platform(settings, platform),
        notices=tuple(_notices(settings, active)),
        origin=MappingProxyType(_origin(leaves)),
    )


def switched_off(environ: Mapping[str, str]) -> bool:
    """Tell whether the environment switches the plugin off.

    Only unset, empty, ``on``, ``1``, ``true`` and ``yes`` leave it on: whoever
    mistypes ``off`` wanted stock Hermes.
    """
    return environ.get(KILL_SWITCH, "").strip().lower() not in {"", "1", "on", "true", "yes"}


def _origin(leaves: Mapping[str, Leaf]) -> dict[str, str]:
    """Where values come from; the shipped file's own defaults are nobody's choice."""
    shipped = defaults()
    return {
        path: leaf.origin
        for path, leaf in leaves.items()
        if not (leaf.shipped and leaf.says(shipped.get(path)))
    }


def _check_custom_classifier(settings: Settings, leaves: Mapping[str, Leaf]) -> None:
    """A custom provider has no defaults to fall back on."""
    classifier = settings.classifier
    if not classifier.enabled or classifier.provider != "custom":
        return
    for name in ("base_url", "model"):
        if getattr(classifier, name) is None:
            written = leaves["classifier.provider"].written.removesuffix("provider") + name
            raise SettingsError(
                f"settings key {written!r} is missing: provider 'custom' needs base_url and model",
                key=written,
            )


def _for_platform(settings: Settings, platform: str | None) -> Settings:
    switch = settings.platforms.get(platform or "")
    if switch is None or switch.enabled is None:
        return settings
    return settings.model_copy(update={"enabled": switch.enabled})


def _notices(settings: Settings, blocks: Sequence[Block]) -> Iterator[str]:
    """One sentence per kind of thing that the user may not expect."""
    retired = sorted({key for block in blocks for key in block.retired})
    if retired:
        yield (
            f"ignored settings {', '.join(retired)}: first-turn routing, stickiness and growth "
            "are fixed behaviour; remove these keys"
        )
    aliases = {pair for block in blocks for pair in block.aliases}
    if aliases:
        listed = ", ".join(f"{written} as {path}" for written, path in sorted(aliases))
        yield f"settings read under their other names: {listed}"
    yield from _modeless(settings, blocks)
    for name in sorted(set(settings.platforms) - PLATFORMS):
        close = difflib.get_close_matches(name, PLATFORMS, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        yield f"settings platforms.{name}: no platform of Hermes' own{hint}"


def _modeless(settings: Settings, blocks: Sequence[Block]) -> Iterator[str]:
    """Somebody who enforces routing may believe that everything enforces."""
    chosen = {path for block in blocks if not block.shipped for path in block.leaves}
    waiting = [
        name
        for name in _MODED
        if settings.mode == "enforce"
        and getattr(settings, name).enabled
        and f"{name}.enabled" in chosen
        and f"{name}.mode" not in chosen
    ]
    if waiting:
        keys = ", ".join(f"{name}.mode: enforce" for name in waiting)
        yield (
            f"mode enforce governs routing only; {', '.join(waiting)} stay in shadow "
            f"until you set {keys}"
        )
