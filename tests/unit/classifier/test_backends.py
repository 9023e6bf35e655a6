"""What each backend is sent, and how its answers are read, on the wire."""

from __future__ import annotations

import json
from collections.abc import Callable

import httpx
import pytest
import respx

from hermes_tool_router.classifier.outcomes import CallRecord
from hermes_tool_router.classifier.presets import Backend
from hermes_tool_router.classifier.system_one import SystemOneClient
from hermes_tool_router.router.questions import (
    ChoiceAnswer,
    NoulAnswer,
    Question,
    QuestionPack,
    ScoreAnswer,
)

PACK = QuestionPack(
    id="probe",
    version="1",
    fingerprint="f",
    questions=(
        Question(
            id="urgent", kind="noul", instructions="Urgent?", criteria={"true": "now", "false": "–"}
        ),
        Question(
            id="kind", kind="choice", instructions="Kind?", criteria={"a": "first", "none": "no"}
        ),
        Question(id="harm", kind="score", instructions="Harm?", criteria={"0": "low", "1": "high"}),
    ),
)
QUESTIONS = {
    "urgent": {
        "type": "noul",
        "instructions": "Urgent?",
        "criteria": {"true": "now", "false": "–"},
    },
    "kind": {
        "type": "choice",
        "instructions": "Kind?",
        "criteria": {"a": "first", "none": "no"},
    },
    "harm": {"type": "score", "instructions": "Harm?", "criteria": ["low", "high"]},
}
ANSWERS = {
    "model": "jev-1.13.0",
    "answers": {
        "urgent": {"type": "noul", "noul": 0.9},
        "kind": {
            "type": "choice",
            "choice": "a",
            "confidence": 0.5,
            "probabilities": {"a": 0.75, "none": 0.25},
        },
        "harm": {
            "type": "score",
            "score": 0.25,
            "confidence": 0.5,
            "legend": {"0": "low", "1": "high"},
            "probabilities": {"0": 0.75, "1": 0.25},
        },
    },
    "usage": {"input_tokens": 120, "output_tokens": 6},
}
Client = Callable[..., SystemOneClient]


def sent(route: respx.Route, call: int = 0) -> httpx.Request:
    """One request that went out."""
    request = route.calls[call].request
    assert isinstance(request, httpx.Request)
    return request


def test_typesafe_is_asked_in_its_own_shape(
    wire: respx.MockRouter, client: Client, records: list[CallRecord]
) -> None:
    """URL, headers and body as the contract describes, and nothing extra."""
    route = wire.post("https://api.typesafe.ai/v1/systemone").respond(json=ANSWERS)

    answers = client({"TYPESAFE_API_KEY": "k-1"}).ask("the state", PACK, deadline_s=2)

    request = sent(route)
    assert request.headers["authorization"] == "Bearer k-1"
    assert request.headers["content-type"] == "application/json"
    body = json.loads(request.content)
    assert body["state"]["value"] == "the state"
    assert body == {"model": "jev-latest", "state": body["state"], "questions": QUESTIONS}
    assert answers.by_id == {
        "urgent": NoulAnswer(probability=0.9),
        "kind": ChoiceAnswer(choice="a", probabilities={"a": 0.75, "none": 0.25}, confidence=0.5),
        "harm": ScoreAnswer(score=0.25, probabilities={"0": 0.75, "1": 0.25}, confidence=0.5),
    }
    assert (answers.model, answers.input_tokens, answers.output_tokens) == ("jev-1.13.0", 120, 6)
    assert [(r.outcome, r.backend, r.host, r.questions, r.status) for r in records] == [
        ("ok", "typesafe", "api.typesafe.ai", 3, 200)
    ]


def test_openrouter_is_asked_at_its_alias_first(wire: respx.MockRouter, client: Client) -> None:
    """The alias takes the same body; the model's leading tilde is literal."""
    route = wire.post("https://openrouter.ai/api/v1/systemone").respond(
        json=ANSWERS | {"usage": {"input_tokens": 5, "output_tokens": 1, "cost": 0.00002}}
    )

    answers = client({"OPENROUTER_API_KEY": "k-2"}).ask("the state", PACK, deadline_s=2)

    assert json.loads(sent(route).content)["model"] == "~typesafe/jev-latest"
    assert sent(route).headers["authorization"] == "Bearer k-2"
    assert answers.cost_usd == 0.00002


def test_openrouter_falls_back_to_the_alpha_path_once(
    wire: respx.MockRouter, client: Client
) -> None:
    """After a 404 the alpha path answers, and from then on it is asked directly."""
    alias = wire.post("https://openrouter.ai/api/v1/systemone").respond(404)
    alpha = wire.post("https://openrouter.ai/api/alpha/decisions").respond(json=ANSWERS)
    asking = client({"OPENROUTER_API_KEY": "k-2"})

    first = asking.ask("one", PACK, deadline_s=2)
    second = asking.ask("two", PACK, deadline_s=2)

    assert (first.outcome, second.outcome) == ("ok", "ok")
    assert (alias.call_count, alpha.call_count) == (1, 2)
    assert json.loads(sent(alpha).content)["questions"] == QUESTIONS


def test_gateway_is_asked_in_typesafe_shape_first(wire: respx.MockRouter, client: Client) -> None:
    """Vercel's compatible route needs no other body."""
    route = wire.post("https://ai-gateway.vercel.sh/typesafe/v1/systemone").respond(json=ANSWERS)

    client({"AI_GATEWAY_API_KEY": "k-3"}).ask("the state", PACK, deadline_s=2)

    assert json.loads(sent(route).content)["model"] == "typesafe-ai/jev"
    assert sent(route).headers["authorization"] == "Bearer k-3"


def test_gateway_speaks_the_older_evaluation_protocol_after_a_404(
    wire: respx.MockRouter, client: Client
) -> None:
    """Model in a header, boolean for noul, camel case usage, cost as a decimal string."""
    wire.post("https://ai-gateway.vercel.sh/typesafe/v1/systemone").respond(404)
    route = wire.post("https://ai-gateway.vercel.sh/v4/ai/evaluation-model").respond(
        json={
            "answers": {
                "urgent": {"type": "boolean", "probability": 0.9},
                "kind": {
                    "type": "choice",
                    "choice": "a",
                    "probabilities": {"a": 0.75, "none": 0.25},
                },
                "harm": {"type": "score", "score": 0.3},
            },
            "usage": {"inputTokens": 7, "outputTokens": 2},
            "providerMetadata": {
                "typesafe": {"confidence": {"kind": 0.1}},
                "gateway": {"cost": "0.0000294"},
            },
        }
    )

    answers = client({"AI_GATEWAY_API_KEY": "k-3"}).ask("the state", PACK, deadline_s=2)

    request = sent(route)
    body = json.loads(request.content)
    assert "model" not in body
    assert [question["type"] for question in body["questions"].values()] == [
        "boolean",
        "choice",
        "score",
    ]
    assert request.headers["ai-model-id"] == "typesafe-ai/jev"
    assert request.headers["ai-gateway-protocol-version"] == "0.0.1"
    assert request.headers["ai-gateway-auth-method"] == "api-key"
    assert request.headers["ai-evaluation-model-specification-version"] == "4"
    assert answers.by_id["urgent"] == NoulAnswer(probability=0.9)
    assert answers.by_id["kind"] == ChoiceAnswer(
        choice="a", probabilities={"a": 0.75, "none": 0.25}, confidence=0.5
    )
    assert (answers.input_tokens, answers.output_tokens, answers.cost_usd) == (7, 2, 0.0000294)


@pytest.mark.parametrize(
    "base",
    [
        "http://127.0.0.1:11434",
        "http://localhost:11434/",
        "http://127.0.0.1:11434/v1",
        "http://127.0.0.1:11434/v1/systemone",
    ],
)
def test_a_local_server_is_asked_without_a_key_however_its_address_is_written(
    wire: respx.MockRouter, client: Client, base: str
) -> None:
    """Trailing slash, ``/v1`` and the whole path mean the same."""
    host = httpx.URL(base).host
    route = wire.post(f"http://{host}:11434/v1/systemone").respond(json=ANSWERS)
    asking = client({}, backend=Backend.LOCAL, base_url=base, model="nimble")

    asking.ask("the state", PACK, deadline_s=2)

    assert "authorization" not in sent(route).headers
    assert json.loads(sent(route).content)["model"] == "nimble"


def test_a_custom_server_gets_the_key_that_was_named_for_it(
    wire: respx.MockRouter, client: Client
) -> None:
    """Any host, over TLS, with a key of its own."""
    route = wire.post("https://decide.example/x/v1/systemone").respond(json=ANSWERS)
    asking = client(
        {"MY_KEY": "k-4"},
        backend=Backend.CUSTOM,
        base_url="https://decide.example/x",
        api_key_env="MY_KEY",
    )

    asking.ask("the state", PACK, deadline_s=2)

    assert sent(route).headers["authorization"] == "Bearer k-4"
