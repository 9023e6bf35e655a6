"""The settings in force, read from Hermes whenever they are asked for.

A gateway serves several homes in one process and people edit ``config.yaml``
while it runs, so nothing is kept from ``register()`` on.  What is kept is
checked against that file at every call, and after :data:`RECHECK_S` seconds
against all that the host's answer comes from: an administrator's file, our own,
and the variables they name (:mod:`.marks`).  The host is asked where one of
them changed, where it keeps settings that no file shows, and after :data:`ASK_S`.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import yaml

from ..router.errors import SettingsError
from ..router.settings import KILL_SWITCH, Layer, Resolved, Settings, resolve, switched_off
from ..router.settings_aliases import FLAT, RETIRED
from ..router.settings_groups import groups
from .guard import Guard
from .marks import Marks, Signature, marks, signature

__all__ = ["PLACE", "Host", "Reading", "SettingsSource", "hermes_host"]

PLUGIN = "tool-router"
PLACE = f"plugins.entries.{PLUGIN}.settings"
SHIPPED = Path(__file__).resolve().parents[1] / "config.yaml"
RECHECK_S = 1.0
"""Age at which more is looked at than the one file that people edit."""
ASK_S = 300.0
"""Age at which the host is asked again although no mark changed."""
MANAGED = "HERMES_MANAGED_DIR"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What holds in one home, on one platform, now."""

    settings: Settings
    """The defaults, with everything off, where :attr:`active` is false for a mistake."""
    active: bool
    """The settings are valid and the environment does not switch the plugin off."""
    profile: str = ""
    """The host's name of the profile, empty if the host could not be asked."""
    problem: str = ""
    """Why nothing is active, empty if nothing is wrong."""
    mistaken: bool = False
    """The problem is a mistake that somebody should mend, not a switch."""
    notices: tuple[str, ...] = ()
    origin: Mapping[str, str] = field(default_factory=dict)
    """Where a value comes from, by dotted path."""

    @property
    def on(self) -> bool:
        """Whether any feature may act."""
        return self.active and self.settings.enabled


class Host(Protocol):
    """What is asked of Hermes."""

    def settings(self) -> object:
        """What stands under :data:`PLACE`: the same object while nothing changed.

        Whoever reads it must not change it.
        """

    def files(self, home: str) -> tuple[str, ...] | None:
        """Files that the settings of a home come from; ``None`` where only asking tells."""

    def profile(self) -> str:
        """Name of the active profile."""

    def has_profile(self, name: str) -> bool:
        """Whether a profile of this name exists."""


@dataclass(slots=True, kw_only=True)
class _Kept:
    """What was read for one home, and the marks by which a change shows."""

    file: str
    """Hermes' configuration file of that home."""
    signature: tuple[Signature, Signature]
    marks: Marks | None
    """Of everything that the host's answer comes from, taken before it was asked."""
    asked: float
    """When the host answered."""
    checked: float
    """When the marks were last found as they were."""
    raw: object
    profile: str
    by_platform: dict[str, Reading] = field(default_factory=dict)


class SettingsSource:
    """Readings by home and platform; safe to call from any thread, never raises."""

    def __init__(
        self,
        host: Host,
        *,
        guard: Guard,
        shipped: Path = SHIPPED,
        environ: Mapping[str, str] = os.environ,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._host = host
        self._guard = guard
        self._shipped = shipped
        self._environ = environ
        self._clock = clock
        self._lock = threading.Lock()
        self._homes: dict[str, _Kept] = {}
        self._shipped_kept: tuple[Signature, object] | None = None
        self._said: set[str] = set()

    def __call__(self, home: Path, platform: str = "") -> Reading:
        """What holds for a turn.

        Args:
            home: the home of the turn that runs now.
            platform: the host's name of the channel; empty means the profile as a whole.
        """
        kept = self._homes.get(str(home))
        if kept is not None:
            reading = kept.by_platform.get(platform)
            if reading is not None and self._holds(kept):
                return reading
        return self._guard.run(
            "settings",
            lambda: self._reading(str(home), platform),
            lambda: Reading(
                settings=Settings.model_construct(),
                active=False,
                mistaken=True,
                problem="Hermes' configuration cannot be read",
            ),
        )

    def _holds(self, kept: _Kept) -> bool:
        """Whether nothing has changed, as far as can be told without the host."""
        now = self._clock()
        if now - kept.checked < RECHECK_S:
            return signature(kept.file) == kept.signature[0]
        seen = kept.marks
        if seen is None or now - kept.asked >= ASK_S or switched_off(self._environ):
            return False
        if not seen.hold():
            return False
        kept.checked = now
        return True

    def _reading(self, home: str, platform: str) -> Reading:
        if switched_off(self._environ):
            return Reading(
                settings=Settings.model_construct(),
                active=False,
                problem=f"switched off by {KILL_SWITCH}",
            )
        with self._lock:
            return self._fresh(home, platform, self._clock())

    def _fresh(self, home: str, platform: str, now: float) -> Reading:
        file = os.path.join(home, "config.yaml")  # noqa: PTH118 - a text, see signature
        found = (signature(file), signature(self._shipped))
        seen = self._marks(home)
        raw = self._host.settings()
        kept = self._homes.get(home)
        if kept is None or kept.signature != found or kept.raw != raw:
            # Asked once a reading: a home keeps its profile, and the host takes a while to say it.
            profile = self._host.profile()
            kept = _Kept(
                file=file, signature=found, marks=seen, asked=now, checked=now, raw=raw,
                profile=profile,
            )  # fmt: skip
            self._homes[home] = kept
        kept.marks, kept.asked, kept.checked = seen, now, now
        reading = kept.by_platform.get(platform)
        if reading is None:
            reading = self._resolved(raw, kept.profile, platform, found[1])
            kept.by_platform[platform] = reading
        return reading

    def _marks(self, home: str) -> Marks | None:
        files = self._host.files(home)
        return None if files is None else marks((*files, str(self._shipped)), (MANAGED,))

    def _resolved(self, raw: object, profile: str, platform: str, shipped: Signature) -> Reading:
        try:
            layers = [
                Layer(name=str(self._shipped), data=self._shipped_data(shipped), shipped=True),
                Layer(name=PLACE, data=raw),
            ]
            resolved: Resolved = resolve(layers, profile=profile, platform=platform or None)
        except SettingsError as error:
            self._say(
                logging.WARNING,
                f"{error}; the plugin is inactive: full tool surface, nothing is gated",
            )
            return Reading(
                settings=Settings.model_construct(),
                active=False,
                mistaken=True,
                profile=profile,
                problem=str(error),
            )
        notices = (*resolved.notices, *self._strangers(raw))
        for notice in notices:
            self._say(logging.INFO, notice)
        return Reading(
            settings=resolved.settings,
            active=True,
            profile=profile,
            notices=notices,
            origin=resolved.origin,
        )

    def _strangers(self, raw: object) -> Iterator[str]:
        """Blocks for profiles that do not exist: they would never hold."""
        blocks = raw.get("profiles") if isinstance(raw, Mapping) else None
        for name in blocks if isinstance(blocks, Mapping) else ():
            if not self._host.has_profile(str(name)):
                yield f"settings profiles.{name}: Hermes has no such profile"

    def _shipped_data(self, version: Signature) -> object:
        """Our own file, parsed once per version of it.

        Raises:
            SettingsError: the file is there and is no YAML, which a local edit can cause.
        """
        if self._shipped_kept is None or self._shipped_kept[0] != version:
            self._shipped_kept = (version, _parsed(self._shipped))
        return self._shipped_kept[1]

    def _say(self, level: int, text: str) -> None:
        """Log a text once per process."""
        if text not in self._said:
            self._said.add(text)
            _log.log(level, "%s: %s", PLUGIN, text)


@dataclass(frozen=True, slots=True)
class _HermesHost:
    """The running Hermes, through a plugin context where one is at hand."""

    context: Any

    def settings(self) -> object:
        """Everything under our entry.

        A context with ``get_config`` (newer than 0.19.0) answers key by key,
        so keys that nobody knows come from the configuration itself.
        """
        whole = self._whole()
        ask = getattr(self.context, "get_config", None)
        if not callable(ask):
            return whole
        found = dict(whole) if isinstance(whole, Mapping) else {}
        for key in ("global", "profiles", *groups()[""], *FLAT, *sorted(RETIRED)):
            value = ask(key, None)
            if value is not None:
                found[key] = value
        return found if isinstance(whole, Mapping) or whole is None else whole

    def files(self, home: str) -> tuple[str, ...] | None:
        """The user's file and the administrator's (hermes_cli/managed_scope.py:55-77).

        A context with ``get_config`` may hold settings that no file shows.
        """
        if callable(getattr(self.context, "get_config", None)):
            return None
        managed = os.environ.get(MANAGED, "").strip() or "/etc/hermes"
        return f"{home}/config.yaml", f"{managed}/config.yaml"

    def profile(self) -> str:
        """The host's own answer: it knows about homes that are no profiles."""
        name = getattr(self.context, "profile_name", None)
        if isinstance(name, str) and name:
            return name
        from hermes_cli.profiles import get_active_profile_name  # noqa: PLC0415 - host import

        return str(get_active_profile_name())

    def has_profile(self, name: str) -> bool:
        """Asked by name; a name that no profile can have does not exist."""
        from hermes_cli.profiles import profile_exists  # noqa: PLC0415 - host import

        try:
            return bool(profile_exists(name)) or name == self.profile()
        except ValueError:
            return False

    @staticmethod
    def _whole() -> object:
        from hermes_cli.config import load_config_readonly  # noqa: PLC0415 - host import

        node: object = load_config_readonly()
        for key in PLACE.split("."):
            node = node.get(key) if isinstance(node, Mapping) else None
        return node


def hermes_host(context: Any = None) -> Host:
    """The running Hermes.

    Args:
        context: the plugin context; ``None`` for a script, such as the doctor.
    """
    return _HermesHost(context)


def _parsed(path: Path) -> object:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return yaml.load(path.read_bytes(), Loader=loader)
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        line = getattr(getattr(error, "problem_mark", None), "line", None)
        where = f", line {line + 1}" if line is not None else ""
        raise SettingsError(
            f"{path} does not read as YAML{where}; restore the shipped file", key=path.name
        ) from error
