"""What the plugin sends to models from inside Hermes: nothing by default, else what was asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from hermes_tool_router.classifier.hosts import VENDOR_HOSTS
from hermes_tool_router.probe import plan
from hermes_tool_router.probe.home import ENFORCE, Contents
from hermes_tool_router.probe.scene import Scene
from hermes_tool_router.probe.script import Step, call, say

pytestmark = pytest.mark.hermes

PROMPT = "Why is the sky blue in the daytime?"
PLAIN = "Run the command uname -a in the terminal and show me what it prints."
OPEN = "zorple the quibbins for the brindlewick account"
TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3

WATCHER = '''
import os, sys

def _watch(event, arguments):
    """Note every connection that is opened or looked up from inside the plugin."""
    if event not in ("socket.connect", "socket.getaddrinfo"):
        return
    frame = sys._getframe()
    while frame is not None:
        if "/plugins/tool-router/" in frame.f_code.co_filename:
            with open(os.environ["WATCHED"], "a") as out:
                out.write(f"{event} {arguments!r}\\n")
            return
        frame = frame.f_back

sys.addaudithook(_watch)
'''


@pytest.fixture
def watched(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """A file of the plugin's own connections, and the environment that fills it."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(WATCHER, encoding="utf-8")
    found = tmp_path / "connections.txt"
    return found, {"PYTHONPATH": str(site), "WATCHED": str(found)}


def test_every_key_and_default_settings_open_no_connection(
    drive: Scene, watched: tuple[Path, dict[str, str]]
) -> None:
    """A greeting, a question and a tool call, with all keys there are."""
    found, environment = watched
    keys = dict.fromkeys(VENDOR_HOSTS, "key-for-a-test")
    drive.fill(Contents(settings=ENFORCE), [call("todo", todos=[]), say("Done.")])

    run = drive.hermes.chat(PROMPT, env={**environment, **keys})

    assert run.status == 0, run.tail
    assert len(drive.model.turns) == 2
    assert not found.exists(), found.read_text(encoding="utf-8")


def test_the_model_asks_a_decision_model(
    drive: Scene,
    serve_http: Callable[..., str],
    watched: tuple[Path, dict[str, str]],
) -> None:
    """``jev_ask`` goes to the configured server, without the secret, and its answer comes back."""
    sent: list[bytes] = []

    def respond(_path: str, _headers: Mapping[str, str], body: bytes) -> tuple[int, Any, bytes]:
        sent.append(body)
        reply = {"model": "nimble", "answers": {"urgent": {"type": "noul", "noul": 0.9}}}
        return 200, {"Content-Type": "application/json"}, json.dumps(reply).encode()

    found, environment = watched
    url = serve_http(respond)
    settings = {
        "enabled": True,
        "jev_ask": {"enabled": True},
        "system_one": {"backend": "local", "base_url": url, "model": "nimble"},
    }
    asking: Step = call(
        "jev_ask",
        state=f"The server is down, log in with {TOKEN}",
        questions={"urgent": {"type": "boolean", "instructions": "It is urgent."}},
    )
    drive.fill(Contents(settings={"global": settings}), [asking, say("Done.")])

    run = drive.hermes.chat(PROMPT, env=environment)

    assert run.status == 0, run.tail
    (body,) = sent
    assert json.loads(body)["model"] == "nimble"
    assert TOKEN.encode() not in body
    answer = str(drive.model.turns[-1].messages[-1]["content"])
    assert json.loads(answer)["answers"] == {"urgent": {"probability": 0.9}}
    assert found.exists()  # so the watcher of the other test can see


def test_a_network_tier_is_asked_only_about_what_the_rules_leave_open(
    drive: Scene, serve_http: Callable[..., str]
) -> None:
    """Two conversations in one process: a plain task, and words that nobody knows."""
    sent: list[str] = []

    def respond(_path: str, _headers: Mapping[str, str], body: bytes) -> tuple[int, Any, bytes]:
        turn = json.loads(json.loads(body)["messages"][1]["content"])
        sent.append(turn["message"]["value"])
        content = '{"toolsets": ["file"], "confidence": 0.97}'
        reply = {"choices": [{"message": {"content": content}}]}
        return 200, {"Content-Type": "application/json"}, json.dumps(reply).encode()

    url = serve_http(respond)
    chat = {"enabled": True, "provider": "custom", "model": "m", "base_url": f"{url}/v1"}
    settings = {"enabled": True, "local_classifier": {"enabled": False}, "classifier": chat}
    drive.fill(Contents(settings={"global": settings}), lambda request: say("Done."))

    driven = drive.hermes.drive(
        [
            plan.agent("plain"),
            plan.turn("plain", PLAIN),
            plan.agent("open"),
            plan.turn("open", OPEN),
        ]
    )

    assert not driven.fatal
    assert sent == [OPEN]
    (plain,) = drive.model.conversation(PLAIN)
    (opened,) = drive.model.conversation(OPEN)
    assert "terminal" in plain.tools
    assert "read_file" in opened.tools
    assert "terminal" not in opened.tools
