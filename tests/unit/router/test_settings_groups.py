"""The groups of settings, as the reader of a layer needs them."""

from __future__ import annotations

from hermes_tool_router.router.settings_fields import fields
from hermes_tool_router.router.settings_groups import defaults, groups


def test_the_groups_hold_the_fields_that_people_are_told_of() -> None:
    """Two views of one model: every field lies in its group, and no group has more."""
    told: dict[str, set[str]] = {}
    for field in fields():
        parts = field.path.split(".")
        for depth, part in enumerate(parts):
            told.setdefault(".".join(parts[:depth]), set()).add(part)

    assert {path: set(members) for path, members in groups().items()} == told


def test_the_defaults_are_those_that_people_are_told_of() -> None:
    """Every field with a fixed path has its default, and nothing else has one."""
    told = {field.path: field.default for field in fields() if "<name>" not in field.path}

    assert dict(defaults()) == told
