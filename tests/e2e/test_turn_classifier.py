"""The turn classifier on real Hermes, with a decision model on loopback that answers or hangs."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from hermes_tool_router.probe import plan
from hermes_tool_router.probe.home import STOCK, Contents
from hermes_tool_router.probe.scene import Scene
from hermes_tool_router.probe.script import say

pytestmark = pytest.mark.hermes

GREETING = "hello there!"
SECOND = "and hello again"
SURE = {
    "intent": {"type": "choice", "choice": "chat", "probabilities": {"chat": 1.0}},
    "complexity": {"type": "choice", "choice": "trivial", "probabilities": {"trivial": 1.0}},
    "side_effects": {"type": "choice", "choice": "none", "probabilities": {"none": 1.0}},
}


class Decisions:
    """A System One server that is certain a message is a greeting."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.status = 200
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                body = json.loads(self.rfile.read(length))
                outer.bodies.append(body)
                nouls = {
                    name: {"type": "noul", "noul": 0.0}
                    for name, question in body["questions"].items()
                    if question["type"] == "noul"
                }
                answer = json.dumps({"model": "stub-1", "answers": {**nouls, **SURE}}).encode()
                self.send_response(outer.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def decisions() -> Iterator[Decisions]:
    """A decision model on loopback."""
    server = Decisions()
    yield server
    server.close()


def _settings(url: str, **more: Any) -> dict[str, Any]:
    block = {
        "enabled": True,
        "mode": "enforce",
        "deterministic_rules_enabled": False,
        "local_classifier": {"enabled": False},
        "turn_classifier": {"enabled": True},
        "system_one": {"backend": "local", "base_url": url, "min_interval_s": 0},
        **more,
    }
    return {"global": block}


def test_one_question_a_turn_shapes_the_first_request_of_a_greeting(
    drive: Scene, decisions: Decisions
) -> None:
    """Without request_toolset nothing is routed, and a greeting alone may still go light."""
    granted = ["clarify", "file", "terminal"]
    drive.fill(STOCK, lambda request: say("Hello!"))
    drive.hermes.drive([plan.agent("s", enabled_toolsets=granted), plan.turn("s", GREETING)])
    (stock,) = drive.model.turns
    shaping = {"tool_shaping": {"enabled": True, "mode": "enforce"}}
    settings = _settings(decisions.url, **shaping)
    drive.fill(Contents(settings=settings), lambda request: say("Hello!"))

    driven = drive.hermes.drive(
        [
            plan.agent("a", enabled_toolsets=granted),
            plan.turn("a", GREETING),
            plan.turn("a", SECOND),
        ]
    )

    assert not driven.fatal
    assert len(decisions.bodies) == 2
    assert set(decisions.bodies[0]["questions"]) >= {"intent", "complexity", "needs_terminal"}
    assert GREETING in json.dumps(decisions.bodies[0]["state"])
    first, second = drive.model.turns
    assert "terminal" in stock.tools
    assert "terminal" not in first.tools
    assert first.tools == ("clarify",)
    assert second.tools == stock.tools


def test_a_model_that_fails_leaves_the_full_surface(drive: Scene, decisions: Decisions) -> None:
    """Asked and failed: nothing is narrowed, and the turn goes on."""
    decisions.status = 500
    drive.fill(Contents(settings=_settings(decisions.url)), lambda request: say("Hello!"))

    driven = drive.hermes.drive([plan.agent("a"), plan.turn("a", "sort the blue ones, please")])

    assert not driven.fatal
    assert decisions.bodies
    (request,) = drive.model.turns
    assert "terminal" in request.tools
    assert driven.turns[0].completed
