"""A setting that nothing reads makes people believe in something that is not there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from hermes_tool_router.router.settings_fields import fields

ROOT = Path(__file__).resolve().parents[2]
# What shows or checks settings does not use them.
NOT_USE = {"tests", ".cache", "benchmarks", "probe", "reports", ".venv", "build"}

WAITING = frozenset(
    {
        # Written with the feature that they belong to; this list may only shrink.
        "local_classifier.enabled",
    }
)

MEANS_ITSELF = frozenset({"fail_open"})
"""Has one value, which is how the code behaves; the model refuses any other."""


def modules() -> Iterator[Path]:
    """Source files in which a setting may be used."""
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT).parts
        shows = parts[:2] in {("console", "status.py")} or path.name.startswith("settings_")
        if not (NOT_USE & set(parts)) and not shows:
            yield path


def attributes() -> set[str]:
    """Names of every attribute that is read somewhere, and ``section.name`` chains."""
    found: set[str] = set()
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute):
                found.add(node.attr)
                if isinstance(node.value, ast.Attribute | ast.Name):
                    owner = node.value
                    name = owner.attr if isinstance(owner, ast.Attribute) else owner.id
                    found.add(f"{name}.{node.attr}")
    return found


def is_read(path: str, found: set[str]) -> bool:
    """Whether code reads a setting: by its name, or for common names with its section."""
    section, _, name = path.rpartition(".")
    if name not in {"enabled", "mode", "rows", "days"} or not section:
        return name in found
    group = section.rpartition(".")[2]
    aliases = {group, "platforms", "switch"} if section.startswith("platforms.") else {group}
    aliases |= {"gate", "ask", "options"} if group in {"risk_gate", "jev_ask"} else set()
    return any(f"{alias}.{name}" in found for alias in aliases)


def test_every_setting_is_read_by_code() -> None:
    """All but the ones that wait for their feature."""
    found = attributes()

    unread = {field.path for field in fields() if not is_read(field.path, found)}

    assert unread - WAITING - MEANS_ITSELF == set()


def test_waiting_settings_exist() -> None:
    """The list names settings, not memories of them."""
    known = {field.path for field in fields()}

    assert known >= WAITING
