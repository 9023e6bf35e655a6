"""``hermes tool-router onboard``: the skill into the profile, and its one offer."""

from __future__ import annotations

import shutil
from pathlib import Path

from ..registry_adapter.resources import ONBOARDING
from ..registry_adapter.settings_source import PLACE
from ..registry_adapter.store import StateStore

__all__ = ["OFFER", "copy_skill", "offer", "remove_skill"]

_MARK = "onboarding.key_offered"

OFFER = """\
Optional, and offered only this once: a small model can route what the rules
leave open.  It gets the first message of a session, secrets removed, at the
provider that you choose.  Write the line
  OPENROUTER_API_KEY=...
into {env}
yourself; never paste a key into this chat.  Then run
  hermes config set {place}.classifier.provider openrouter
  hermes config set {place}.classifier.enabled true
Without it everything works: rules first, the full tool list where unsure."""


def copy_skill(home: Path, *, replace: bool, source: Path = ONBOARDING) -> tuple[Path, str]:
    """Copy the skill into a home's skills, where Hermes' prompt lists it.

    Args:
        home: the Hermes home.
        replace: overwrite a copy that somebody edited.
        source: the shipped skill.

    Returns:
        Where it lies, and ``copied``, ``unchanged``, ``replaced`` or ``kept`` (it was edited).
    """
    target = home / "skills" / source.name
    if target.is_dir():
        same = _contents(target) == _contents(source)
        if same or not replace:
            return target, "unchanged" if same else "kept"
        shutil.rmtree(target)
        shutil.copytree(source, target)
        return target, "replaced"
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(source, target)
    return target, "copied"


def remove_skill(home: Path, *, source: Path = ONBOARDING) -> tuple[Path, str]:
    """Take an unedited copy of the skill out of a home's skills.

    Args:
        home: the Hermes home.
        source: the skill as it was copied.

    Returns:
        Where it lies or lay, and ``removed``, ``kept`` (it was edited) or ``absent``.
    """
    target = home / "skills" / source.name
    if not target.is_dir():
        return target, "absent"
    if _contents(target) != _contents(source):
        return target, "kept"
    shutil.rmtree(target)
    return target, "removed"


def offer(store: StateStore, home: Path) -> str:
    """The text about the optional key the first time, afterwards nothing."""
    return OFFER.format(env=home / ".env", place=f"{PLACE}.global") if store.mark(_MARK) else ""


def _contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
