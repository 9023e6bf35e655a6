"""What each backend is sent, and how its answers are read, on the wire."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import httpx
import pytest
import respx

from hermes_tool_router.classifier.outcomes import CallRecord
from hermes_tool_router.classifier.ports import StateSanitizer
from hermes_tool_router.classifier.presets import Backend, SystemOneConfig
from hermes_tool_router.classifier.system_one import SystemOneClient
from hermes_tool_router.classifier.transport import Transport
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
STATE = {"value": "the state", "input_metadata": {"input_complete": True}}

Client = Callable[..., SystemOneClient]


@pytest.fixture
def records() -> list[CallRecord]:
    """What the log is told."""
    return []


@pytest.fixture
def client(sanitizer: StateSanitizer, records: list[CallRecord]) -> Iterator[Client]:
    """Build clients from settings and an environment."""
    transport = Transport()

    def build(environ: Mapping[str, str], **settings: Any) -> SystemOneClient:
        config = SystemOneConfig(min_interval_s=0, **settings)
        return SystemOneClient(config, transport, environ, sanitizer, records.append)

    yield build
    transport.close()


@pytest.fixture
def wire() -> Iterator[respx.MockRouter]:
    """The network; every route must be called, and nothing else may be."""
    with respx.mock(assert_all_called=True) as router:
        yield router


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
    assert json.loads(request.content) == {
        "model": "jev-latest",
        "state": STATE,
        "questions": QUESTIONS,
    }
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


@pytest.mark.parametrize(
    ("environ", "host"),
    [
        pytest.param(
            {"TYPESAFE_API_KEY": "a", "OPENROUTER_API_KEY": "b", "AI_GATEWAY_API_KEY": "c"},
            "api.typesafe.ai",
            id="TypeSafe wins",
        ),
        pytest.param(
            {"OPENROUTER_API_KEY": "b", "AI_GATEWAY_API_KEY": "c"},
            "openrouter.ai",
            id="then OpenRouter",
        ),
        pytest.param({"AI_GATEWAY_API_KEY": "c"}, "ai-gateway.vercel.sh", id="then the gateway"),
    ],
)
def test_auto_takes_the_first_key(
    wire: respx.MockRouter, client: Client, environ: Mapping[str, str], host: str
) -> None:
    """In the order of the reference."""
    route = wire.post(url__regex=rf"https://{host}/.*").respond(json=ANSWERS)

    client(environ).ask("the state", PACK, deadline_s=2)

    assert sent(route).url.host == host


def test_a_key_that_is_set_later_is_found(wire: respx.MockRouter, client: Client) -> None:
    """The environment is read at each call."""
    wire.post("https://api.typesafe.ai/v1/systemone").respond(json=ANSWERS)
    environ: dict[str, str] = {}
    asking = client(environ)

    before = asking.ask("the state", PACK, deadline_s=2)
    environ["TYPESAFE_API_KEY"] = "k-1"
    after = asking.ask("the state", PACK, deadline_s=2)

    assert (before.outcome, after.outcome) == ("no_key", "ok")
    assert "TYPESAFE_API_KEY" in before.note


@pytest.mark.parametrize(
    ("environ", "settings", "outcome"),
    [
        pytest.param({}, {"backend": Backend.TYPESAFE}, "no_key", id="no key at all"),
        pytest.param(
            {"TYPESAFE_API_KEY": "k"},
            {"backend": Backend.TYPESAFE, "typesafe_base_url": "https://proxy.example"},
            "no_key",
            id="a vendor's key for another host",
        ),
        pytest.param(
            {"OPENROUTER_API_KEY": "k", "MY_KEY": "k"},
            {
                "backend": Backend.CUSTOM,
                "base_url": "https://proxy.example",
                "api_key_env": "MY_KEY",
            },
            "no_key",
            id="the same key under another name",
        ),
        pytest.param(
            {"TYPESAFE_API_KEY": "k"},
            {"backend": Backend.TYPESAFE, "typesafe_base_url": "https://typesafe.ai.example"},
            "no_key",
            id="a host that looks like the vendor's",
        ),
        pytest.param(
            {"TYPESAFE_API_KEY": "k\nX-Evil: 1"}, {"backend": Backend.TYPESAFE}, "no_key", id="CRLF"
        ),
        pytest.param(
            {"TYPESAFE_API_KEY": "k"},
            {"backend": Backend.TYPESAFE, "typesafe_base_url": "http://api.typesafe.ai"},
            "refused",
            id="plain http",
        ),
        pytest.param(
            {},
            {"backend": Backend.LOCAL, "base_url": "http://192.168.1.5:11434"},
            "refused",
            id="plain http in the local network",
        ),
        pytest.param(
            {},
            {"backend": Backend.LOCAL, "base_url": "https://user:pw@host.example"},
            "refused",
            id="credentials in the address",
        ),
        pytest.param(
            {}, {"backend": Backend.LOCAL, "base_url": "ftp://host.example"}, "refused", id="ftp"
        ),
        pytest.param(
            {}, {"backend": Backend.LOCAL, "base_url": "http://[::1"}, "refused", id="no address"
        ),
    ],
)
def test_nothing_is_sent_where_it_must_not_go(
    client: Client,
    records: list[CallRecord],
    environ: Mapping[str, str],
    settings: Mapping[str, Any],
    outcome: str,
) -> None:
    """No route is mocked, so any request would fail the test."""
    with respx.mock(assert_all_called=False) as router:
        answers = client(environ, **settings).ask("the state", PACK, deadline_s=2)

        assert router.calls.call_count == 0
    assert answers.outcome == outcome
    assert answers.missing == ("urgent", "kind", "harm")
    assert [record.outcome for record in records] == [outcome]


def test_a_local_server_never_gets_a_vendor_key(wire: respx.MockRouter, client: Client) -> None:
    """TypeSafe's preset pointed at this machine works, keyless."""
    route = wire.post("http://127.0.0.1:8080/v1/systemone").respond(json=ANSWERS)
    asking = client(
        {"TYPESAFE_API_KEY": "k-1"},
        backend=Backend.TYPESAFE,
        typesafe_base_url="http://127.0.0.1:8080",
    )

    answers = asking.ask("the state", PACK, deadline_s=2)

    assert answers.outcome == "ok"
    assert "authorization" not in sent(route).headers


@pytest.mark.parametrize(
    ("status", "body", "outcome"),
    [
        pytest.param(403, {"error": {"code": 403, "message": "flagged"}}, "http_error", id="403"),
        pytest.param(402, {"error": {"code": 402, "message": "credits"}}, "credit", id="402"),
        pytest.param(401, {"error": {"code": 401, "message": "no"}}, "auth", id="401"),
        pytest.param(
            400, {"detail": {"error_type": "insufficient_credits"}}, "credit", id="400 credits"
        ),
        pytest.param(404, {"error": {"code": 404}}, "http_error", id="404 on both paths"),
    ],
)
def test_errors_of_openrouter_have_a_meaning(
    client: Client, status: int, body: Mapping[str, Any], outcome: str
) -> None:
    """A 403 there is moderation, not a bad key."""
    with respx.mock() as router:
        router.post(url__startswith="https://openrouter.ai/").respond(status, json=body)

        answers = client({"OPENROUTER_API_KEY": "k"}).ask("the state", PACK, deadline_s=2)

    assert answers.outcome == outcome


def test_a_body_that_echoes_the_request_is_not_repeated(
    wire: respx.MockRouter, client: Client, records: list[CallRecord]
) -> None:
    """422 quotes what was sent; neither note nor record may."""
    wire.post("https://api.typesafe.ai/v1/systemone").respond(
        422, json={"detail": [{"loc": ["body"], "msg": "bad", "input": "the state"}]}
    )

    answers = client({"TYPESAFE_API_KEY": "k"}).ask("the state", PACK, deadline_s=2)

    assert "the state" not in answers.note
    assert "the state" not in str(records)


def test_equal_states_share_one_answer_for_a_while(wire: respx.MockRouter, client: Client) -> None:
    """The second call sends nothing and says so in the log."""
    route = wire.post("https://api.typesafe.ai/v1/systemone").respond(json=ANSWERS)
    asking = client({"TYPESAFE_API_KEY": "k"})

    first = asking.ask({"a": 1}, PACK, deadline_s=2)
    second = asking.ask({"a": 1}, PACK, deadline_s=2)

    assert route.call_count == 1
    assert first.by_id == second.by_id


def test_large_packs_go_out_in_several_requests(wire: respx.MockRouter, client: Client) -> None:
    """Each within the limit of questions, the answers together."""

    def answer(request: httpx.Request) -> httpx.Response:
        asked = json.loads(request.content)["questions"]
        return httpx.Response(200, json={"answers": {q: {"noul": 0.5} for q in asked}})

    route = wire.post("https://api.typesafe.ai/v1/systemone").mock(side_effect=answer)
    questions = tuple(
        Question(id=str(n), kind="noul", instructions=f"Is it {n}?", criteria={}) for n in range(7)
    )
    pack = QuestionPack(id="p", version="1", questions=questions, fingerprint="g")

    answers = client({"TYPESAFE_API_KEY": "k"}, max_questions=3).ask("s", pack, deadline_s=2)

    assert [len(json.loads(call.request.content)["questions"]) for call in route.calls] == [3, 3, 1]
    assert len(answers.by_id) == 7


def test_a_preview_is_what_is_sent(wire: respx.MockRouter, client: Client) -> None:
    """Byte for byte, with the key masked."""
    route = wire.post("https://api.typesafe.ai/v1/systemone").respond(json=ANSWERS)
    asking = client({"TYPESAFE_API_KEY": "k-1"})

    (preview,) = asking.preview("the state", PACK)
    asking.ask("the state", PACK, deadline_s=2)

    assert preview.body.encode() == sent(route).content
    assert preview.url == str(sent(route).url)
    assert preview.headers["Authorization"] == "Bearer ***"


@pytest.mark.parametrize(
    "state",
    [
        pytest.param(None, id="null"),
        pytest.param(float("nan"), id="NaN"),
        pytest.param({"a": "\ud800"}, id="a lone surrogate"),
    ],
)
def test_a_state_that_is_not_json_is_an_outcome(client: Client, state: object) -> None:
    """The stand-in sanitizer passes these on; the client still does not raise."""
    with respx.mock(assert_all_called=False) as router:
        router.post("https://api.typesafe.ai/v1/systemone").respond(json=ANSWERS)

        answers = client({"TYPESAFE_API_KEY": "k"}).ask(state, PACK, deadline_s=2)

    assert answers.outcome in {"ok", "incomplete"}
