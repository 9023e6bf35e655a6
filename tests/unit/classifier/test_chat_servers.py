"""Servers that call themselves OpenAI-compatible, each with its documented quirks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import httpx
import pytest
import respx

from hermes_tool_router.classifier.catalogue import Candidate
from hermes_tool_router.classifier.chat import ChatConfig, ChatRouter
from hermes_tool_router.classifier.outcomes import CallRecord
from hermes_tool_router.classifier.ports import StateSanitizer
from hermes_tool_router.classifier.transport import LanePolicy, Transport
from hermes_tool_router.router.values import ToolsetName

Body = dict[str, Any]
Reply = tuple[int, Mapping[str, Any]]
Server = Callable[[Body], Reply]

OFFERED = (
    Candidate(name=ToolsetName("web"), purpose="Search the web"),
    Candidate(name=ToolsetName("file"), purpose="Read and write files"),
)
CHOSEN = '{"toolsets": ["web"], "confidence": 0.95}'


def says(content: object, **message: object) -> Reply:
    """A completion with that text."""
    return 200, {
        "model": "m-1",
        "choices": [{"message": {"content": content, **message}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 90, "completion_tokens": 12},
    }


def refuses(message: str, status: int = 400, **fields: object) -> Reply:
    """An error as OpenAI shapes it."""
    return status, {"error": {"message": message, "type": "invalid_request_error", **fields}}


def openai_like(body: Body) -> Reply:
    """GPT-5 and later: another name for the limit, no temperature, no unknown argument."""
    for name in ("chat_template_kwargs", "thinking", "provider"):
        if name in body:
            return refuses(f"Unrecognized request argument supplied: {name}")
    if "max_tokens" in body:
        return refuses(
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.",
            param="max_tokens",
        )
    if body.get("temperature", 1) != 1:
        return refuses("Unsupported value: 'temperature' does not support 0 with this model.")
    if body.get("reasoning_effort") not in {None, "none", "low"}:
        return refuses("Unsupported value: 'reasoning_effort'")
    return says(CHOSEN)


def ollama(body: Body) -> Reply:
    """Ignores what it does not know; some models refuse a thinking value."""
    if "reasoning_effort" in body:
        return refuses('think value "none" is not supported for this model')
    return says(CHOSEN)


def lm_studio(body: Body) -> Reply:
    """Knows the schema, and no JSON mode."""
    if body.get("response_format", {}).get("type") == "json_object":
        return 400, {"error": "'response_format.type' must be 'json_schema' or 'text'"}
    return says(f"```json\n{CHOSEN}\n```")


def llama_cpp(body: Body) -> Reply:
    """Cannot compile some schemas; thinks aloud where the template says so."""
    if body.get("response_format", {}).get("type") == "json_schema":
        return refuses("failed to parse grammar")
    return says(f"<think>They ask for {{the web}}.</think>\n{CHOSEN}")


def vllm(body: Body) -> Reply:
    """With thinking and a grammar the JSON lands in the reasoning."""
    assert body["chat_template_kwargs"] == {"enable_thinking": False}
    return says(None, reasoning_content=CHOSEN)


def bare(body: Body) -> Reply:
    """Knows nothing but messages."""
    if "response_format" in body:
        return refuses("response_format is not supported")
    return says(f"Sure! Here is the answer: {CHOSEN} Let me know if you need more.")


def swallowed_start(body: Body) -> Reply:
    """A template that opens the thinking itself, so only its end is seen."""
    del body
    return says(f'Maybe {{"toolsets": []}} or so.</think>{CHOSEN}')


def parts(body: Body) -> Reply:
    """Content as a list of parts."""
    del body
    return says([{"type": "text", "text": CHOSEN}])


@pytest.fixture
def transport() -> Iterator[Transport]:
    """Connections that are closed afterwards."""
    made = Transport()
    yield made
    made.close()


@pytest.fixture
def router(
    transport: Transport, sanitizer: StateSanitizer, records: list[CallRecord]
) -> Callable[..., ChatRouter]:
    """Build chat tiers."""

    def build(environ: Mapping[str, str] | None = None, **settings: Any) -> ChatRouter:
        config = ChatConfig(policy=LanePolicy(min_interval_s=0), **settings)
        return ChatRouter(config, transport, environ or {}, sanitizer, records.append)

    return build


@pytest.mark.parametrize(
    ("server", "refusals"),
    [
        pytest.param(openai_like, 3, id="OpenAI behind a local proxy"),
        pytest.param(ollama, 1, id="Ollama"),
        pytest.param(lm_studio, 0, id="LM Studio"),
        pytest.param(llama_cpp, 1, id="llama.cpp"),
        pytest.param(vllm, 0, id="vLLM"),
        pytest.param(bare, 2, id="a server that knows messages only"),
        pytest.param(swallowed_start, 0, id="a template that swallows the start of thinking"),
        pytest.param(parts, 0, id="content in parts"),
    ],
)
def test_a_server_is_learnt_once(
    serve_http: Callable[..., str],
    router: Callable[..., ChatRouter],
    server: Server,
    refusals: int,
) -> None:
    """The first message may meet refusals, each of them once; the second meets none."""
    statuses: list[int] = []

    def respond(_path: str, _headers: Mapping[str, str], raw: bytes) -> tuple[int, Any, bytes]:
        status, reply = server(json.loads(raw))
        statuses.append(status)
        return status, {"Content-Type": "application/json"}, json.dumps(reply).encode()

    url = serve_http(respond)
    chat = router(provider="custom", base_url=f"{url}/v1", model="m")

    first = chat.route("look it up", OFFERED, deadline_s=5)
    after_first = list(statuses)
    second = chat.route("look something else up", OFFERED, deadline_s=5)

    assert (first.failed, second.failed) == ("", "")
    assert first.probabilities == {"web": 0.95, "file": 0.0}
    assert after_first == [400] * refusals + [200]
    assert statuses[len(after_first) :] == [200]


@pytest.fixture
def hosted() -> Iterator[respx.MockRouter]:
    """The hosted endpoints."""
    with respx.mock(assert_all_called=True) as mock:
        yield mock


def answering(server: Server) -> Callable[[httpx.Request], httpx.Response]:
    """Let respx answer as ``server`` does."""

    def answer(request: httpx.Request) -> httpx.Response:
        status, reply = server(json.loads(request.content))
        return httpx.Response(status, json=reply)

    return answer


def test_openai_itself_takes_the_first_request(
    hosted: respx.MockRouter,
    router: Callable[..., ChatRouter],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its rules are known, so nothing is refused; the SDK adds nothing of its environment."""
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-1")
    route = hosted.post("https://api.openai.com/v1/chat/completions").mock(
        side_effect=answering(openai_like)
    )
    chat = router(
        {"OPENAI_API_KEY": "k"},
        provider="custom",
        base_url="https://api.openai.com/v1",
        model="gpt-6-luna",
        api_key_env="OPENAI_API_KEY",
    )

    opinion = chat.route("look it up", OFFERED, deadline_s=5)

    request = route.calls.last.request
    assert (opinion.failed, route.call_count) == ("", 1)
    assert request.headers["authorization"] == "Bearer k"
    assert not [name for name in request.headers if name.startswith(("openai-", "x-stainless-"))]
    assert json.loads(request.content)["response_format"]["json_schema"]["strict"] is True


def test_deepseek_is_asked_without_thinking_in_its_json_mode(
    hosted: respx.MockRouter, router: Callable[..., ChatRouter], records: list[CallRecord]
) -> None:
    """Default provider and model; a blank answer is asked for once more."""
    answers = iter([says("   "), says(CHOSEN)])
    route = hosted.post("https://api.deepseek.com/chat/completions").mock(
        side_effect=answering(lambda _: next(answers))
    )

    opinion = router({"DEEPSEEK_API_KEY": "k"}).route("look it up", OFFERED, deadline_s=5)

    body = json.loads(route.calls.last.request.content)
    assert (opinion.failed, route.call_count) == ("", 2)
    assert body["model"] == "deepseek-flash"
    assert body["thinking"] == {"type": "disabled"}
    assert body["response_format"] == {"type": "json_object"}
    assert "JSON" in body["messages"][0]["content"]
    assert [(r.outcome, r.attempts, r.input_tokens, r.model) for r in records] == [
        ("ok", 2, 90, "m-1")
    ]


def test_openrouter_loses_its_preferences_when_nobody_meets_them(
    hosted: respx.MockRouter, router: Callable[..., ChatRouter]
) -> None:
    """404 with "No endpoints found" is about parameters, not about the model."""

    def openrouter(body: Body) -> Reply:
        if "provider" in body:
            return 404, {"error": {"code": 404, "message": "No endpoints found that can handle"}}
        return says(CHOSEN)

    route = hosted.post("https://openrouter.ai/api/v1/chat/completions").mock(
        side_effect=answering(openrouter)
    )
    chat = router({"OPENROUTER_API_KEY": "k"}, provider="openrouter")

    opinion = chat.route("look it up", OFFERED, deadline_s=5)

    first = json.loads(route.calls[0].request.content)
    assert (opinion.failed, route.call_count) == ("", 2)
    assert first["model"] == "google/gemini-3.5-flash-lite"
    assert first["provider"] == {"require_parameters": True}
    assert first["reasoning"] == {"enabled": False}


def test_a_preview_of_the_chat_tier_is_what_is_sent(
    hosted: respx.MockRouter, router: Callable[..., ChatRouter]
) -> None:
    """Byte for byte, with the key masked."""
    route = hosted.post("https://api.deepseek.com/chat/completions").mock(
        side_effect=answering(lambda _: says(CHOSEN))
    )
    chat = router({"DEEPSEEK_API_KEY": "k"})

    (preview,) = chat.preview("look it up", OFFERED)
    chat.route("look it up", OFFERED, deadline_s=5)

    assert preview.body.encode() == route.calls.last.request.content
    assert preview.url == str(route.calls.last.request.url)
    assert preview.headers["Authorization"] == "Bearer ***"


def test_refused_in_every_form_nothing_is_learnt(
    hosted: respx.MockRouter, router: Callable[..., ChatRouter]
) -> None:
    """A wrong model name must not cost the schema for good."""
    replies = iter([refuses("no such model")] * 2 + [says(CHOSEN)])
    route = hosted.post("https://api.deepseek.com/chat/completions").mock(
        side_effect=answering(lambda _: next(replies))
    )
    chat = router({"DEEPSEEK_API_KEY": "k"})

    first = chat.route("look it up", OFFERED, deadline_s=5)
    second = chat.route("look it up", OFFERED, deadline_s=5)

    assert (first.failed, second.failed) == ("http_error", "")
    assert "response_format" not in json.loads(route.calls[1].request.content)
    assert "response_format" in json.loads(route.calls[2].request.content)
