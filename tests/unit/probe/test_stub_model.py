"""The scripted model, asked by the client that Hermes uses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import openai
import pytest

from hermes_tool_router.probe.model import MODEL, StubModel
from hermes_tool_router.probe.script import Kind, Step, call, say

TOOLS: list[Any] = [{"type": "function", "function": {"name": "read_file", "parameters": {}}}]


@pytest.fixture
def model() -> Iterator[StubModel]:
    """A running model."""
    with StubModel() as running:
        yield running


@pytest.fixture
def client(model: StubModel) -> Iterator[openai.OpenAI]:
    """The OpenAI client, pointed at it; the environment's proxies are not asked."""
    with (
        httpx.Client(trust_env=False) as transport,
        openai.OpenAI(
            base_url=model.base_url, api_key="none", max_retries=0, http_client=transport
        ) as made,
    ):
        yield made


def ask(client: openai.OpenAI, *texts: str, **more: Any) -> Any:
    """Send a conversation whose messages take turns, the user's first."""
    roles = ("user", "assistant")
    messages: list[Any] = [
        {"role": roles[place % 2], "content": text} for place, text in enumerate(texts)
    ]
    return client.chat.completions.create(model=MODEL, messages=messages, tools=TOOLS, **more)


def test_a_list_is_consumed_in_order_by_each_conversation(
    model: StubModel, client: openai.OpenAI
) -> None:
    """Two conversations do not take each other's steps; a used-up script says "Done."."""
    model.load([say("one"), say("two")])

    answers = [
        ask(client, *texts).choices[0].message.content
        for texts in (["a"], ["b"], ["a", "one", "next"], ["a", "one", "next", "two", "more"])
    ]

    assert answers == ["one", "one", "two", "Done."]


def test_tool_calls_arrive_whole_and_streamed(model: StubModel, client: openai.OpenAI) -> None:
    """Both wire shapes carry name, arguments and finish reason."""
    model.load(lambda request: call("read_file", path="é.txt"))

    whole = ask(client, "go").choices[0]
    chunks = list(ask(client, "go", stream=True))

    assert whole.finish_reason == "tool_calls"
    assert whole.message.tool_calls[0].function.arguments == '{"path": "\\u00e9.txt"}'
    deltas = [part.choices[0].delta.tool_calls for part in chunks if part.choices]
    calls = [item[0].function for item in deltas if item]
    assert calls[0].name == "read_file"
    assert "".join(item.arguments for item in calls) == '{"path": "\\u00e9.txt"}'
    assert chunks[-1].usage.total_tokens > 5


def test_requests_are_kept_byte_for_byte(model: StubModel) -> None:
    """The body and its tools array are what the client wrote, odd spacing included."""
    tools = b'[ {"type":"function", "function":{"name":"x"}} ]'
    raw = b'{"model":"m","tools" : ' + tools + b',"messages":[{"role":"user","content":"hi"}]}'

    with httpx.Client(trust_env=False) as client:
        client.post(f"{model.base_url}/chat/completions", content=raw).raise_for_status()

    assert [(item.raw, item.tools_raw, item.tools) for item in model.requests] == [
        (raw, tools, ("x",))
    ]


def test_titles_and_reviews_leave_the_script_alone(model: StubModel, client: openai.OpenAI) -> None:
    """Only the requests of a user's turn consume steps."""
    model.load([say("one"), say("two")])

    title = client.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": "a"}])
    ask(client, "a", "x", "Review the conversation above and update the skill library.")
    first = ask(client, "a").choices[0].message.content

    assert title.choices[0].message.content == "Untitled session"
    assert first == "one"
    assert [item.kind for item in model.requests] == [Kind.AUXILIARY, Kind.REVIEW, Kind.TURN]
    assert len(model.turns) == 1


def test_a_scripted_status_and_a_faulty_script_are_told_apart(
    model: StubModel, client: openai.OpenAI
) -> None:
    """A status reaches the client as such; a script's own fault is noted."""

    def script(request: Any) -> Step:
        if request.opener == "fail":
            return Step(status=503)
        raise LookupError("no such step")

    model.load(script)

    with pytest.raises(openai.InternalServerError):
        ask(client, "fail")
    ask(client, "raise")

    assert model.errors == ("LookupError('no such step')",)


def test_unknown_paths_and_bodies_are_refused(model: StubModel) -> None:
    """Nothing but completions and the model list is served, and rubbish is no crash."""
    with httpx.Client(trust_env=False, base_url=model.base_url) as client:
        statuses = [
            client.get("/models").status_code,
            client.post("/embeddings", json={}).status_code,
            client.post("/chat/completions", content=b"[").status_code,
            client.post("/messages", content=b"[]").status_code,
        ]

    assert statuses == [200, 404, 400, 400]


def test_closing_cuts_a_slow_answer_short(model: StubModel, client: openai.OpenAI) -> None:
    """A step that would wait for an hour does not hold the server."""
    model.load([Step(text="late", delay_s=3600)])
    model.pause(0)
    model.close()

    with pytest.raises(openai.APIConnectionError):
        ask(client, "a")
