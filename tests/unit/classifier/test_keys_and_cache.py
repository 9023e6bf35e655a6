"""Which key may go where, what is remembered, and what a person or a log is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import httpx
import pytest
import respx

from hermes_tool_router.classifier.hosts import key_for
from hermes_tool_router.classifier.outcomes import CallRecord
from hermes_tool_router.classifier.presets import Backend
from hermes_tool_router.classifier.system_one import SystemOneClient
from hermes_tool_router.router.questions import Question, QuestionPack

PACK = QuestionPack(
    id="probe",
    version="1",
    fingerprint="f",
    questions=(Question(id="urgent", kind="noul", instructions="Urgent?", criteria={}),),
)
ANSWERS = {"answers": {"urgent": {"type": "noul", "noul": 0.9}}}

Client = Callable[..., SystemOneClient]


def sent(route: respx.Route, call: int = 0) -> httpx.Request:
    """One request that went out."""
    request = route.calls[call].request
    assert isinstance(request, httpx.Request)
    return request


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
    assert answers.missing == ("urgent",)
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


def test_equal_states_share_one_answer_for_a_while(
    wire: respx.MockRouter, client: Client, records: list[CallRecord]
) -> None:
    """The second call sends nothing, costs nothing, and says so in the log."""
    usage = {"usage": {"input_tokens": 7, "output_tokens": 1}}
    route = wire.post("https://api.typesafe.ai/v1/systemone").respond(json=ANSWERS | usage)
    asking = client({"TYPESAFE_API_KEY": "k"})

    first = asking.ask({"a": 1}, PACK, deadline_s=2)
    second = asking.ask({"a": 1}, PACK, deadline_s=2)

    assert route.call_count == 1
    assert first.by_id == second.by_id
    assert [(r.cached, r.input_tokens, r.sent_bytes > 0, r.attempts) for r in records] == [
        (False, 7, True, 1),
        (True, None, False, 0),
    ]


def test_what_was_sent_in_vain_is_counted(
    wire: respx.MockRouter, client: Client, records: list[CallRecord]
) -> None:
    """A failed request left the machine all the same, and so did its retry."""
    route = wire.post("https://api.typesafe.ai/v1/systemone").respond(
        503, headers={"Retry-After": "0"}
    )

    client({"TYPESAFE_API_KEY": "k"}).ask("s", PACK, deadline_s=5)

    assert [(r.outcome, r.status, r.attempts) for r in records] == [("http_error", 503, 2)]
    assert records[0].sent_bytes == sum(len(call.request.content) for call in route.calls)


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
def test_a_state_that_is_not_json_is_asked_about_all_the_same(
    client: Client, state: object
) -> None:
    """The sanitizer makes JSON of it, and says that something was lost."""
    with respx.mock() as router:
        router.post("https://api.typesafe.ai/v1/systemone").respond(json=ANSWERS)

        answers = client({"TYPESAFE_API_KEY": "k"}).ask(state, PACK, deadline_s=2)

    assert answers.outcome == "ok"


def test_secrets_of_the_state_stay_here(wire: respx.MockRouter, client: Client) -> None:
    """The client itself sanitizes, whoever calls it."""
    route = wire.post("https://api.typesafe.ai/v1/systemone").respond(json=ANSWERS)
    token = "ghp_" + "a1B2c3D4e5F6" * 3

    client({"TYPESAFE_API_KEY": "k"}).ask({"command": f"git push {token}"}, PACK, deadline_s=2)

    assert token not in sent(route).content.decode()


def test_states_that_look_alike_once_redacted_are_asked_apart(
    wire: respx.MockRouter, client: Client
) -> None:
    """The cache sees the raw state, so one call's verdict never stands for another's."""
    route = wire.post("https://api.typesafe.ai/v1/systemone").respond(json=ANSWERS)
    asking = client({"TYPESAFE_API_KEY": "k"})
    first, second = ("ghp_" + letters * 3 for letters in ("a1B2c3D4e5F6", "z9Y8x7W6v5U4"))

    asking.ask({"command": first}, PACK, deadline_s=2)
    asking.ask({"command": second}, PACK, deadline_s=2)

    assert sent(route, 0).content == sent(route, 1).content


def test_a_request_above_the_cap_is_refused_not_cut(client: Client) -> None:
    """Nothing is sent, and the note says how much is allowed."""
    question = Question(id="q", kind="noul", instructions="x" * 70_000, criteria={})
    pack = QuestionPack(id="p", version="1", questions=(question,), fingerprint="big")

    with respx.mock(assert_all_called=False) as router:
        answers = client({"TYPESAFE_API_KEY": "k"}).ask("s", pack, deadline_s=2)

        assert router.calls.call_count == 0
    assert answers.outcome == "payload_too_large"
    assert "65536" in answers.note


@pytest.mark.parametrize(
    ("url", "key"),
    [
        pytest.param("https://api.typesafe.ai", "k", id="the vendor's own host"),
        pytest.param("https://typesafe.ai", "k", id="the vendor's domain"),
        pytest.param("https://eviltypesafe.ai", "", id="a domain that ends alike"),
        pytest.param("https://typesafe.ai.example", "", id="a domain that begins alike"),
        pytest.param("http://api.typesafe.ai", "", id="without TLS"),
        pytest.param("http://127.0.0.1:8080", "", id="this machine"),
    ],
)
def test_a_vendor_key_reaches(url: str, key: str) -> None:
    """Its own hosts over TLS, and nobody else."""
    assert key_for(httpx.URL(url), "TYPESAFE_API_KEY", {"TYPESAFE_API_KEY": "k"}) == key


def test_an_answer_with_gaps_is_asked_for_again(wire: respx.MockRouter, client: Client) -> None:
    """What is remembered is whole."""
    route = wire.post("https://api.typesafe.ai/v1/systemone").respond(json=ANSWERS)
    missing = Question(id="other", kind="noul", instructions="Other?", criteria={})
    pack = QuestionPack(
        id="p", version="1", questions=(*PACK.questions, missing), fingerprint="gaps"
    )
    asking = client({"TYPESAFE_API_KEY": "k"})

    answers = [asking.ask("s", pack, deadline_s=5) for _ in range(2)]

    assert [(a.outcome, a.missing) for a in answers] == [("ok", ("other",))] * 2
    assert route.call_count == 2
