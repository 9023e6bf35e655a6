"""Put a copy of this plugin into a Hermes profile, or take it out again.

``python console/install.py install|uninstall PROFILE [--hermes COMMAND] [--mode MODE]``;
``make install PROFILE=…`` and ``make uninstall PROFILE=…`` call it.  Everything
that Hermes has a command for is done by that command.
"""

from __future__ import annotations

if __package__ in {None, "", "console"}:  # run by path: get a parent package first (PEP 366)
    import pathlib
    import runpy

    _root = pathlib.Path(__file__).resolve().parents[1]
    __package__ = runpy.run_path(str(_root / "_checkout.py"))["mount"]("console")

import argparse
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..probe.home import PLUGIN, copy_plugin
from ..registry_adapter.resources import ONBOARDING, ROOT
from .onboarding import remove_skill

__all__ = ["InstallError", "Profile", "main"]

_SETTINGS = f"plugins.entries.{PLUGIN}.settings"
_TIMEOUT_S = 300
_USAGE = 2
"""Exit status of argparse for an option that it does not know."""


class InstallError(Exception):
    """A step failed; the message says which, and what Hermes said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A Hermes profile, reached through the ``hermes`` command."""

    name: str
    hermes: str

    def exists(self) -> bool:
        """Whether Hermes knows it."""
        return self.run("config", "path").returncode == 0

    def create(self) -> None:
        """Make it as a copy of the active profile: without a model it could not chat.

        Raises:
            InstallError: Hermes refused.
        """
        command = ("profile", "create", self.name, "--clone", "--no-alias")
        self._check(_call(self.hermes, *command), command)

    def home(self) -> Path:
        """Its folder.

        Raises:
            InstallError: there is no such profile.
        """
        run = self.run("config", "path")
        self._check(run, ("config", "path"))
        return Path(run.stdout.strip().splitlines()[-1]).parent

    def do(self, *command: str) -> None:
        """Run a Hermes command in it.

        Raises:
            InstallError: the command failed.
        """
        self._check(self.run(*command), command)

    def set(self, key: str, value: str) -> None:
        """Write a setting.

        Raises:
            InstallError: Hermes refused.
        """
        forced = self.run("config", "set", "--force", key, value)
        if forced.returncode == _USAGE:  # 0.18 has no --force, and takes any key
            self.do("config", "set", key, value)
        else:
            self._check(forced, ("config", "set", "--force", key, value))

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a Hermes command in it, and return how it ended."""
        return _call(self.hermes, "-p", self.name, *command)

    def _check(self, run: subprocess.CompletedProcess[str], command: Sequence[str]) -> None:
        if run.returncode:
            said = (run.stderr or run.stdout).strip()
            raise InstallError(f"`hermes {' '.join(command)}` failed: {said}")


def _call(*command: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InstallError(f"{command[0]!r} does not run: {error}") from error


def _install(profile: Profile, mode: str) -> list[str]:
    """Install, and return what to tell.

    Raises:
        InstallError: a step failed; the ones before it stay done.
    """
    told = []
    if not profile.exists():
        profile.create()
        told.append(f"created profile {profile.name}, a copy of the active one with its keys")
    home = profile.home()
    target = home / "plugins" / PLUGIN
    if (target / "plugin.yaml").is_file():  # an older version: its skill, if nobody edited it
        remove_skill(home, source=_skill_of(target))
    _replace(target)
    profile.do("plugins", "enable", PLUGIN, "--no-allow-tool-override")
    for key, value in (("enabled", "true"), ("mode", mode)):
        profile.set(f"{_SETTINGS}.global.{key}", value)
    profile.run(PLUGIN, "onboard")  # an edited copy of the skill is kept, and that is no failure
    return [
        *told,
        f"installed {target}",
        f"enabled, mode {mode}",
        "",
        "next:",
        f"  hermes -p {profile.name} chat",
        f"  hermes -p {profile.name} {PLUGIN} status",
        f"undo: make uninstall PROFILE={profile.name}",
    ]


def _replace(target: Path) -> None:
    """Put a fresh copy where an older one may be; the older one stays until the new is whole.

    Raises:
        InstallError: something else has that name.
    """
    if target.exists() and not (target / "plugin.yaml").is_file():
        raise InstallError(f"{target} exists and is not a plugin; move it away first")
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f".{PLUGIN}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    copy_plugin(fresh)
    if target.exists():
        shutil.rmtree(target)
    fresh.rename(target)


def _skill_of(copy: Path) -> Path:
    """The onboarding skill of an installed version, of this one where it has none."""
    skill = copy / ONBOARDING.relative_to(ROOT)
    return skill if skill.is_dir() else ONBOARDING


def _uninstall(profile: Profile) -> list[str]:
    """Take the copy, its settings and its skill out, and return what to tell.

    Raises:
        InstallError: there is no such profile, or a step failed.
    """
    home = profile.home()
    target = home / "plugins" / PLUGIN
    told = []
    skill, left = remove_skill(home, source=_skill_of(target))
    if left == "removed":
        told.append(f"removed {skill}")
    if (target / "plugin.yaml").is_file():
        profile.do("plugins", "disable", PLUGIN)
        shutil.rmtree(target)
        told.append(f"removed {target}")
    else:
        told.append(f"no copy in {target.parent}")
    unset = profile.run("config", "unset", f"plugins.entries.{PLUGIN}").returncode
    if unset == 0:
        told.append(f"removed the settings plugins.entries.{PLUGIN}")
    told += ["", "what stays:", f"  profile {profile.name}: hermes profile delete {profile.name}"]
    if (home / PLUGIN).exists():
        told.append(f"  the router's own state: {home / PLUGIN}")
    if left == "kept":
        told.append(f"  the onboarding skill, which was edited: {skill}")
    if unset == _USAGE:  # 0.18 has no `config unset`
        told.append(f"  the settings plugins.entries.{PLUGIN} in {home / 'config.yaml'}")
    told += _marks(home)
    return told


def _marks(home: Path) -> list[str]:
    """What of ours Hermes itself keeps in its configuration: approvals, known toolsets."""
    try:
        text = (home / "config.yaml").read_text(encoding="utf-8")
    except OSError:
        return []
    found = []
    if "plugin_rule:tool-router" in text:
        found.append("  approvals given for always: plugin_rule:… lines in command_allowlist")
    if "tool_router" in text:
        found.append("  the toolset tool_router in known_plugin_toolsets")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Do it, tell what was done, and return 0; 1 if a step failed."""
    parser = argparse.ArgumentParser(prog="console/install.py", description=__doc__)
    parser.add_argument("action", choices=["install", "uninstall"])
    parser.add_argument("profile", help="the Hermes profile, created if it does not exist")
    parser.add_argument("--hermes", default=_hermes(), help="the command (default: %(default)s)")
    parser.add_argument("--mode", choices=["enforce", "shadow"], default="enforce")
    options = parser.parse_args(arguments)
    profile = Profile(name=options.profile, hermes=options.hermes)
    try:
        if options.action == "install":
            told = _install(profile, options.mode)
        else:
            told = _uninstall(profile)
    except InstallError as error:
        print(f"{options.action}: {error}", file=sys.stderr)
        return 1
    print("\n".join(told))
    return 0


def _hermes() -> str:
    """The user's ``hermes``; else the one beside this Python."""
    return shutil.which("hermes") or str(Path(sys.executable).with_name("hermes"))


if __name__ == "__main__":
    raise SystemExit(main())
