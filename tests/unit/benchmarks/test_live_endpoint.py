"""The live evaluation's way to an endpoint: answers read, troubles told apart, budgets kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from hermes_tool_router.benchmarks.live_endpoint import Budget, Caller, Endpoint, TroubleError
from hermes_tool_router.probe.model import StubModel
from hermes_tool_router.probe.script import Request, Step, ToolCall, say

KEY = "-".join(("loopback", "only", "key"))
REQUEST = Request(
    index=0,
    raw=b"",
    tools_raw=b"",
    body={
        "messages": [{"role": "user", "content": "Run uptime."}],
        "tools": [{"type": "function", "function": {"name": "terminal", "parameters": {}}}],
        "reasoning_effort": "high",
    },
)
Respond = Callable[[str, Mapping[str, str], bytes], tuple[int, Mapping[str, str], bytes]]
Serve = Callable[[Respond], str]


def caller(
    base_url: str, *, requests: int = 9, timeout_s: float = 20.0
) -> tuple[Caller, list[float]]:
    """A caller, and the seconds that it would have waited."""
    waited: list[float] = []
    endpoint = Endpoint(base_url=base_url, model="m", key=KEY, timeout_s=timeout_s)
    budget = Budget(requests=requests, input_tokens=1_000_000)
    return Caller(endpoint, budget, sleep=waited.append), waited


def refusing(serve: Serve, *answers: tuple[int, Mapping[str, str], str]) -> str:
    """A server that gives these answers, the last one for ever."""
    left = list(answers)

    def respond(_path: str, _headers: Mapping[str, str], _body: bytes) -> tuple[int, Any, bytes]:
        status, headers, text = left.pop(0) if len(left) > 1 else left[0]
        return status, {"Content-Type": "application/json", **headers}, text.encode()

    return serve(respond) + "/v1"


def test_an_answer_is_read_whole() -> None:
    """Text, calls with their arguments as they came, the endpoint's own count; standard fields."""
    step = Step(text="Look.", calls=(ToolCall(name="terminal", arguments='{"command": "upt'),))
    with StubModel([step]) as model:
        asks, _ = caller(model.base_url)
        reply = asks.ask(REQUEST)
        (sent,) = model.requests

    assert (reply.text, reply.calls) == ("Look.", step.calls)
    assert reply.input_tokens == len(sent.raw) // 4
    assert reply.output_tokens == 5
    assert reply.first_s > 0
    assert set(sent.body) == {
        "messages", "tools", "model", "max_tokens", "stream", "stream_options"
    }  # fmt: skip
    assert asks.budget.requests == 8
    assert asks.budget.input_tokens == 1_000_000 - reply.input_tokens


def test_one_json_instead_of_a_stream_is_read(serve_http: Serve) -> None:
    """And what the endpoint had in its cache."""
    whole = {
        "choices": [
            {
                "message": {
                    "content": "Two.",
                    "tool_calls": [
                        {"function": {"name": "a", "arguments": "{}"}},
                        {"function": {"name": "b", "arguments": "{}"}},
                    ],
                }
            }
        ],
        "usage": {"prompt_tokens": 90, "prompt_tokens_details": {"cached_tokens": 64}},
    }
    asks, _ = caller(refusing(serve_http, (200, {}, json.dumps(whole))))

    reply = asks.ask(REQUEST)

    assert [call.name for call in reply.calls] == ["a", "b"]
    assert (reply.text, reply.input_tokens, reply.cached_tokens) == ("Two.", 90, 64)


@pytest.mark.parametrize(
    ("status", "text", "reason", "advice"),
    [
        pytest.param(401, f"bad key {KEY}", "status 401", "--key-env", id="a wrong key"),
        pytest.param(404, "no such model", "status 404", "--model", id="an unknown model"),
        pytest.param(
            400, "gemma does not support tools", "status 400", "takes no tools", id="no tools"
        ),
        pytest.param(
            500, "tools param requires --jinja flag", "status 500", "no tools", id="no template"
        ),
    ],
)
def test_what_no_further_question_can_cure_ends_the_run(
    serve_http: Serve, status: int, text: str, reason: str, advice: str
) -> None:
    """One request, and no word of the endpoint's own text."""
    asks, waited = caller(refusing(serve_http, (status, {}, json.dumps({"error": text}))))

    with pytest.raises(TroubleError, match=advice) as trouble:
        asks.ask(REQUEST)
    with pytest.raises(TroubleError, match=advice):
        asks.ask(REQUEST)

    assert trouble.value.reason == reason
    assert KEY not in str(trouble.value)
    assert asks.budget.requests == 8
    assert waited == []


def test_an_overloaded_endpoint_is_asked_again_when_it_says(serve_http: Serve) -> None:
    """Its own seconds, then twice as many."""
    whole = json.dumps({"choices": [{"message": {"content": "Yes."}}]})
    busy = (429, {"Retry-After": "3"}, "{}")
    asks, waited = caller(refusing(serve_http, busy, busy, (200, {}, whole)))

    reply = asks.ask(REQUEST)

    assert (reply.text, waited, asks.budget.requests) == ("Yes.", [3.0, 6.0], 6)
    assert asks.stopped is None


def test_an_endpoint_that_stays_overloaded_ends_the_run(serve_http: Serve) -> None:
    """After four tries."""
    asks, waited = caller(refusing(serve_http, (429, {"Retry-After": "1000"}, "{}")))

    with pytest.raises(TroubleError, match="go on later"):
        asks.ask(REQUEST)

    assert waited == [60.0, 60.0, 60.0]
    assert asks.stopped is not None


def test_a_question_that_does_not_fit_is_not_the_end(serve_http: Serve) -> None:
    """Others may fit; three in a row that do not are the end."""
    text = json.dumps({"error": "maximum context length is 8192 tokens"})
    asks, _ = caller(refusing(serve_http, (400, {}, text)))
    reasons: list[str] = []
    goes_on: list[bool] = []

    for _ in range(3):
        with pytest.raises(TroubleError) as trouble:
            asks.ask(REQUEST)
        reasons.append(trouble.value.reason)
        goes_on.append(asks.stopped is None)

    assert reasons == ["status 400, too long"] * 3
    assert goes_on == [True, True, False]


def test_nobody_listening_ends_the_run() -> None:
    """Without the address in the words."""
    asks, _ = caller("http://127.0.0.1:9/v1")

    with pytest.raises(TroubleError, match="nobody listens") as trouble:
        asks.ask(REQUEST)

    assert trouble.value.fatal
    assert "127.0.0.1" not in str(trouble.value)


def test_silence_is_a_timeout() -> None:
    """It may be this question's alone."""
    with StubModel([Step(text="late", delay_s=5.0)]) as model:
        asks, _ = caller(model.base_url, timeout_s=0.2)
        with pytest.raises(TroubleError) as trouble:
            asks.ask(REQUEST)

    assert (trouble.value.reason, trouble.value.fatal) == ("timeout", False)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("<html>", id="no JSON"),
        pytest.param('{"choices": 3}', id="another shape"),
        pytest.param('{"error": "overloaded"}', id="an error with status 200"),
    ],
)
def test_what_is_no_answer_is_said_to_be_none(serve_http: Serve, text: str) -> None:
    """An HTML page of a proxy, for instance."""
    asks, _ = caller(refusing(serve_http, (200, {}, text)))

    with pytest.raises(TroubleError, match="unreadable answer"):
        asks.ask(REQUEST)


def test_a_spent_budget_sends_nothing() -> None:
    """Requests and tokens alike; retries count."""
    with StubModel(lambda request: say("Yes.")) as model:
        asks, _ = caller(model.base_url, requests=1)
        asks.ask(REQUEST)
        with pytest.raises(TroubleError, match="budget"):
            asks.ask(REQUEST)
        asks, _ = caller(model.base_url)
        asks.budget.input_tokens = 1
        asks.ask(REQUEST)
        with pytest.raises(TroubleError, match="budget"):
            asks.ask(REQUEST)

        assert len(model.requests) == 2
