"""docs/privacy.md names every setting that lets something leave the machine."""

from __future__ import annotations

import re
from pathlib import Path

from hermes_tool_router.classifier.tiers import MESSAGE_MAX_BYTES
from hermes_tool_router.classifier.transport import PAYLOAD_CAP_BYTES
from hermes_tool_router.router.settings_fields import fields

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "privacy.md").read_text(encoding="utf-8")
NETWORK = {
    "classifier.enabled",
    "turn_classifier.enabled",
    "risk_gate.use_model",
    "verify.use_model",
    "jev_ask.enabled",
}


def test_every_network_feature_is_listed_and_off() -> None:
    """The table, the settings and their defaults agree."""
    listed = set(re.findall(r"^\| `([a-z_.]+)` \|", TEXT, re.MULTILINE))
    defaults = {field.path: field.default for field in fields()}

    assert listed & set(defaults) == NETWORK
    assert {path: defaults[path] for path in NETWORK} == dict.fromkeys(NETWORK, False)


def test_the_bounds_are_those_of_the_code() -> None:
    """Numbers in prose drift."""
    assert f"more than {MESSAGE_MAX_BYTES:,} bytes" in TEXT
    assert f"above {PAYLOAD_CAP_BYTES:,} bytes" in TEXT
