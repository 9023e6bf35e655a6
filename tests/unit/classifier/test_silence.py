"""Wire logs: ours are silent whatever the switches, everybody else's are intact."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

import httpx
import openai
import pytest

from hermes_tool_router.classifier.catalogue import Candidate
from hermes_tool_router.classifier.chat import ChatConfig, ChatRouter
from hermes_tool_router.classifier.ports import StateSanitizer
from hermes_tool_router.classifier.presets import Backend
from hermes_tool_router.classifier.system_one import SystemOneClient
from hermes_tool_router.classifier.transport import LanePolicy, Transport
from hermes_tool_router.router.questions import Question, QuestionPack
from hermes_tool_router.router.values import ToolsetName

LIBRARIES = ("httpx", "httpcore", "openai")
PACK = QuestionPack(
    id="p",
    version="1",
    fingerprint="f",
    questions=(Question(id="q", kind="noul", instructions="?", criteria={}),),
)
MESSAGE = "a message nobody else may read"
OFFERED = (Candidate(name=ToolsetName("web"), purpose="Search"),)


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """The libraries with their debug switches on."""
    for library in LIBRARIES:
        caplog.set_level(logging.DEBUG, logger=library)
    return caplog


def wire_lines(lines: pytest.LogCaptureFixture) -> list[str]:
    """What the libraries logged."""
    return [
        record.getMessage()
        for record in lines.records
        if record.name.partition(".")[0] in LIBRARIES
    ]


@pytest.fixture
def url(serve_http: Callable[..., str]) -> str:
    """A server that speaks both protocols."""

    def respond(path: str, _headers: Mapping[str, str], _body: bytes) -> tuple[int, Any, bytes]:
        content = '{"toolsets": ["web"], "confidence": 1}'
        reply: dict[str, Any] = {"answers": {"q": {"noul": 0.5}}}
        if path.endswith("completions"):
            reply = {"choices": [{"message": {"content": content}}]}
        return 200, {"Content-Type": "application/json"}, json.dumps(reply).encode()

    return serve_http(respond)


def test_our_calls_leave_no_line(
    lines: pytest.LogCaptureFixture,
    url: str,
    client: Callable[..., SystemOneClient],
    sanitizer: StateSanitizer,
) -> None:
    """Neither through httpx nor through the SDK, which logs whole prompts."""
    transport = Transport()
    config = ChatConfig(
        provider="custom", base_url=f"{url}/v1", model="m", policy=LanePolicy(min_interval_s=0)
    )
    chat = ChatRouter(config, transport, {}, sanitizer)

    answers = client({}, backend=Backend.LOCAL, base_url=url).ask(MESSAGE, PACK, deadline_s=5)
    opinion = chat.route(MESSAGE, OFFERED, deadline_s=5)
    transport.close()

    assert (answers.outcome, opinion.failed) == ("ok", "")
    assert wire_lines(lines) == []
    assert MESSAGE not in lines.text


def test_calls_of_others_are_logged_as_before(
    lines: pytest.LogCaptureFixture, url: str, client: Callable[..., SystemOneClient]
) -> None:
    """Before and after ours, in the same process."""
    client({}, backend=Backend.LOCAL, base_url=url).ask(MESSAGE, PACK, deadline_s=5)

    with httpx.Client(trust_env=False) as plain:
        plain.post(f"{url}/theirs", json={})
        sdk = openai.OpenAI(api_key="k", base_url=f"{url}/v1", http_client=plain)
        sdk.chat.completions.create(model="m", messages=[{"role": "user", "content": "theirs"}])

    logged = wire_lines(lines)
    assert any("HTTP Request: POST" in line for line in logged)
    assert any("send_request_headers" in line for line in logged)
    assert any("theirs" in line for line in logged)
