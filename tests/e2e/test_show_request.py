"""``explain --show-request`` against what is really sent."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from hermes_tool_router.probe.home import Contents
from hermes_tool_router.probe.scene import Scene
from hermes_tool_router.probe.turns import Run

pytestmark = pytest.mark.hermes

PROMPT = "zorple the quibbins again"
CHOSEN = '{"toolsets": ["web"], "confidence": 0.95}'


def explain(drive: Scene, *arguments: str) -> Run:
    """One explanation of the prompt."""
    return drive.hermes.command("tool-router", "explain", PROMPT, *arguments)


def with_classifier(url: str) -> Contents:
    """A home where only the chat tier speaks, so that it decides everything."""
    chat = {"enabled": True, "provider": "custom", "model": "m", "base_url": f"{url}/v1"}
    settings = {
        "enabled": True,
        "deterministic_rules_enabled": False,
        "local_classifier": {"enabled": False},
        "classifier": chat,
    }
    return Contents(settings={"global": settings})


def test_what_is_shown_is_what_is_sent(drive: Scene, serve_http: Callable[..., str]) -> None:
    """Showing sends nothing; explaining sends the same bytes to the same place."""
    sent: list[tuple[str, bytes]] = []

    def respond(path: str, _headers: Mapping[str, str], body: bytes) -> tuple[int, Any, bytes]:
        sent.append((path, body))
        reply = {"choices": [{"message": {"content": CHOSEN}}]}
        return 200, {"Content-Type": "application/json"}, json.dumps(reply).encode()

    url = serve_http(respond)
    drive.fill(with_classifier(url))

    shown = json.loads(explain(drive, "--show-request", "--json").stdout)
    before = len(sent)
    people = explain(drive, "--show-request")
    decided = json.loads(explain(drive, "--json").stdout)

    assert (before, len(sent)) == (0, 1)
    assert (shown["enabled"], shown["asked"]) == (True, True)
    (request,) = shown["requests"]
    assert request["url"] == url + sent[0][0]
    assert request["body"].encode() == sent[0][1]
    assert "would be sent" in people.stdout
    assert PROMPT in people.stdout
    assert (decided["tier"], "web" in decided["toolsets"]) == ("chat", True)


def test_nothing_would_be_sent_by_default(drive: Scene) -> None:
    """No network tier is on."""
    drive.fill(Contents(settings={"global": {"enabled": True}}))

    run = explain(drive, "--show-request")

    assert run.status == 0
    assert "nothing is sent" in run.stdout
