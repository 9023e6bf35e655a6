"""What stands in front of the wire in these tests."""

from __future__ import annotations

import json

import pytest

from hermes_tool_router.classifier.ports import SanitizedText, SanitizedValue, StateSanitizer


class Unchanged:
    """A state as it is, for tests that do not turn on what is removed."""

    def __init__(self, value: object) -> None:
        self.json = json.dumps({"value": value, "input_metadata": {"input_complete": True}})
        self.complete = True


class UnchangedText:
    """The same for a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.complete = True


class KeepsAll:
    """Removes nothing."""

    def text(self, text: str, /) -> SanitizedText:
        """Keep ``text``."""
        return UnchangedText(text)

    def value(self, obj: object, *, max_bytes: int) -> SanitizedValue:
        """Wrap ``obj``."""
        del max_bytes
        return Unchanged(obj)


@pytest.fixture
def sanitizer() -> StateSanitizer:
    """What stands in front of the wire."""
    return KeepsAll()
