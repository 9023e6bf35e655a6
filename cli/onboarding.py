"""``hermes tool-router onboard``: the skill into the profile, and its one offer."""

from __future__ import annotations

import shutil
from pathlib import Path

from ..registry_adapter.resources import ROOT
from ..registry_adapter.store import StateStore

__all__ = ["OFFER", "SKILL", "copy_skill", "offer"]

SKILL = "hermes-tool-router-onboarding"
SOURCE = ROOT / "skills" / SKILL
_MARK = "onboarding.key_offered"

OFFER = """\
Optional, and offered only this once: a small model can route what the rules leave open.
It sends the first message of a session, with secrets removed, to the provider you choose.
Write OPENROUTER_API_KEY=... into {env} yourself; never paste a key into this chat.
Then: hermes config set plugins.entries.tool-router.settings.global.classifier.provider openrouter
      hermes config set plugins.entries.tool-router.settings.global.classifier.enabled true
Without it everything works: rules first, and the full tool list where they are unsure."""


def copy_skill(home: Path, *, replace: bool, source: Path = SOURCE) -> tuple[Path, str]:
    """Copy the skill into a home's skills, where Hermes' prompt lists it.

    Args:
        home: the Hermes home.
        replace: overwrite a copy that somebody edited.
        source: the shipped skill.

    Returns:
        Where it lies, and ``copied``, ``unchanged``, ``replaced`` or ``kept`` (it was edited).
    """
    target = home / "skills" / SKILL
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


def offer(store: StateStore, home: Path) -> str:
    """The text about the optional key the first time, afterwards nothing."""
    return OFFER.format(env=home / ".env") if store.mark(_MARK) else ""


def _contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
