"""The skill's copy, and the offer that is made once."""

from __future__ import annotations

from pathlib import Path

from hermes_tool_router.console.onboarding import copy_skill, offer, remove_skill
from hermes_tool_router.registry_adapter.store import StateStore


def test_copy_is_made_once_and_an_edited_one_is_kept(tmp_path: Path) -> None:
    """Somebody's words in their own profile are not overwritten unless asked."""
    results = [copy_skill(tmp_path, replace=False)[1] for _ in range(2)]
    target, _ = copy_skill(tmp_path, replace=False)
    (target / "SKILL.md").write_text("mine", encoding="utf-8")
    results += [copy_skill(tmp_path, replace=choice)[1] for choice in (False, True, False)]

    assert results == ["copied", "unchanged", "kept", "replaced", "unchanged"]


def test_an_unedited_copy_is_taken_out_again(tmp_path: Path) -> None:
    """Somebody's words stay; nothing there is no failure."""
    copied, _ = copy_skill(tmp_path, replace=False)
    results = [remove_skill(tmp_path)[1], remove_skill(tmp_path)[1]]
    gone = not copied.exists()
    copy_skill(tmp_path, replace=False)
    (copied / "SKILL.md").write_text("mine", encoding="utf-8")
    results.append(remove_skill(tmp_path)[1])

    assert results == ["removed", "absent", "kept"]
    assert gone
    assert (copied / "SKILL.md").read_text(encoding="utf-8") == "mine"


def test_offer_names_the_file_and_is_made_once(tmp_path: Path) -> None:
    """Also when another process asks."""
    texts = [offer(StateStore(tmp_path), tmp_path) for _ in range(3)]

    assert str(tmp_path / ".env") in texts[0]
    assert texts[1:] == ["", ""]
