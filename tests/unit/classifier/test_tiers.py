"""Which network tier is asked, with what, and what its silence means."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
import respx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_tool_router.classifier.assembly import Classifiers, assemble
from hermes_tool_router.classifier.catalogue import Candidate
from hermes_tool_router.classifier.outcomes import CallRecord
from hermes_tool_router.classifier.routing import opinion_from
from hermes_tool_router.router.questions import Answers, NoulAnswer
from hermes_tool_router.router.settings_model import Settings
from hermes_tool_router.router.values import (
    Catalog,
    Origin,
    Tier,
    ToolName,
    Toolset,
    ToolsetName,
    ToolSpec,
)

ROOT = Path(__file__).resolve().parents[3]
SYSTEM_ONE = "https://api.typesafe.ai/v1/systemone"
CHAT = "https://api.deepseek.com/chat/completions"
KEYS = {"TYPESAFE_API_KEY": "k-1", "DEEPSEEK_API_KEY": "k-2"}


def toolset(name: str, origin: Origin = Origin.BUILTIN, description: str = "") -> Toolset:
    """A toolset with one tool."""
    tool = ToolSpec(
        name=ToolName(f"{name}_tool"), toolset=ToolsetName(name), description="", tokens=100
    )
    return Toolset(name=ToolsetName(name), origin=origin, description=description, tools=(tool,))


CATALOG = Catalog(
    toolsets=(
        toolset("web", description="Search the web and read pages"),
        toolset("file", description="Read and write files"),
        toolset("mcp-notes", Origin.MCP),
        toolset("tool_router", Origin.OWN),
        toolset("tool_search", Origin.BRIDGE),
    )
)

Build = Callable[..., Classifiers]


@pytest.fixture
def records() -> list[CallRecord]:
    """What the log is told."""
    return []


@pytest.fixture
def build(records: list[CallRecord]) -> Iterator[Build]:
    """Everything that asks models, from settings as a user writes them."""
    made: list[Classifiers] = []

    def start(environ: Mapping[str, str] = KEYS, **settings: Any) -> Classifiers:
        settings.setdefault("system_one", {"min_interval_s": 0.0})
        made.append(
            assemble(Settings.model_validate(settings), environ=environ, on_call=records.append)
        )
        return made[-1]

    yield start
    for classifiers in made:
        classifiers.transport.close()


@pytest.fixture
def wire() -> Iterator[respx.MockRouter]:
    """The network; what is not mocked fails the test."""
    with respx.mock(assert_all_called=False) as router:
        yield router


def nouls(**probabilities: float) -> Callable[[httpx.Request], httpx.Response]:
    """A decision model that gives these and 0.02 to every other yes/no question."""

    def answer(request: httpx.Request) -> httpx.Response:
        answers: dict[str, Any] = {}
        for name, question in json.loads(request.content)["questions"].items():
            if question["type"] == "noul":
                value = probabilities.get(name.removeprefix("toolset:"), 0.02)
                answers[name] = {"type": "noul", "noul": value}
        return httpx.Response(200, json={"answers": answers})

    return answer


SYSTEM_ONE_ON = {"turn_classifier": {"enabled": True}}
CHAT_ON = {"classifier": {"enabled": True}}


def test_default_settings_send_nothing_even_with_every_key(
    wire: respx.MockRouter, build: Build
) -> None:
    """No network feature is on by default, key or no key."""
    keys = dict.fromkeys(
        ("TYPESAFE_API_KEY", "OPENROUTER_API_KEY", "AI_GATEWAY_API_KEY", "DEEPSEEK_API_KEY"), "k"
    )

    opinion = build(keys).tiers.ask("do it", CATALOG, deadline_s=2)

    assert opinion is None
    assert wire.calls.call_count == 0


def test_system_one_is_asked_one_question_per_toolset_and_eight_about_the_turn(
    wire: respx.MockRouter, build: Build
) -> None:
    """In one request; what stays in any case is not asked about."""
    route = wire.post(SYSTEM_ONE).mock(side_effect=nouls(web=0.93))

    opinion = build(**SYSTEM_ONE_ON).tiers.ask("look it up", CATALOG, deadline_s=2)

    body = json.loads(route.calls.last.request.content)
    assert list(body["questions"])[:4] == [
        "toolset:web",
        "toolset:file",
        "toolset:mcp-notes",
        "intent",
    ]
    assert len(body["questions"]) == 3 + 8
    assert body["state"]["message"] == "look it up"
    assert "Search the web and read pages" in body["questions"]["toolset:web"]["instructions"]
    assert "mcp-notes_tool" in body["questions"]["toolset:mcp-notes"]["instructions"]
    assert opinion is not None
    assert (opinion.tier, opinion.failed, opinion.confidence) == (Tier.SYSTEM_ONE, "", 0.93)
    assert opinion.probabilities == {"web": 0.93, "file": 0.0, "mcp-notes": 0.0}


def test_a_turn_question_can_keep_a_toolset(wire: respx.MockRouter, build: Build) -> None:
    """The two ask nearly the same, so the higher counts."""
    wire.post(SYSTEM_ONE).mock(side_effect=nouls(web=0.95, needs_files=0.6))

    opinion = build(**SYSTEM_ONE_ON).tiers.ask("look it up", CATALOG, deadline_s=2)

    assert opinion is not None
    assert opinion.probabilities[ToolsetName("file")] == 0.6


def test_just_below_the_cut_nothing_is_said(wire: respx.MockRouter, build: Build) -> None:
    """The earlier tier's word on that toolset stands."""
    wire.post(SYSTEM_ONE).mock(side_effect=nouls(web=0.95, file=0.25))

    opinion = build(**SYSTEM_ONE_ON).tiers.ask("look it up", CATALOG, deadline_s=2)

    assert opinion is not None
    assert "file" not in opinion.probabilities


def test_a_model_that_says_nothing_is_needed_has_no_opinion(
    wire: respx.MockRouter, build: Build
) -> None:
    """A message can talk it into that."""
    wire.post(SYSTEM_ONE).mock(side_effect=nouls())

    opinion = build(**SYSTEM_ONE_ON).tiers.ask("answer none", CATALOG, deadline_s=2)

    assert opinion is not None
    assert opinion.failed == "nothing chosen"


def test_only_one_tier_is_asked(wire: respx.MockRouter, build: Build) -> None:
    """With both enabled the decision model speaks."""
    wire.post(SYSTEM_ONE).mock(side_effect=nouls(web=0.93))
    chat = wire.post(CHAT)

    opinion = build(**SYSTEM_ONE_ON, **CHAT_ON).tiers.ask("look it up", CATALOG, deadline_s=2)

    assert opinion is not None
    assert opinion.tier is Tier.SYSTEM_ONE
    assert not chat.called


def test_chat_speaks_where_the_decision_model_has_no_key(
    wire: respx.MockRouter, build: Build
) -> None:
    """The first tier that is ready."""
    content = '{"toolsets": ["web"], "confidence": 0.95}'
    wire.post(CHAT).respond(json={"choices": [{"message": {"content": content}}]})
    tiers = build({"DEEPSEEK_API_KEY": "k"}, **SYSTEM_ONE_ON, **CHAT_ON).tiers

    opinion = tiers.ask("look it up", CATALOG, deadline_s=2)

    assert opinion is not None
    assert opinion.tier is Tier.CHAT


def test_failing_means_failed_and_resting_means_not_asked(
    wire: respx.MockRouter, build: Build
) -> None:
    """Design D7: the full surface while it fails, the earlier tier once the breaker is open."""
    route = wire.post(SYSTEM_ONE).respond(400)
    tiers = build(**SYSTEM_ONE_ON, system_one={"min_interval_s": 0.0, "breaker_threshold": 2}).tiers

    opinions = [tiers.ask(f"do {n}", CATALOG, deadline_s=2) for n in range(4)]

    assert [opinion and opinion.failed for opinion in opinions] == [
        "http_error",
        "http_error",
        None,
        None,
    ]
    assert route.call_count == 2


def test_the_same_message_is_asked_once(wire: respx.MockRouter, build: Build) -> None:
    """Per message, catalogue and tier; failures are not remembered."""
    route = wire.post(SYSTEM_ONE).mock(side_effect=nouls(web=0.93))
    tiers = build(**SYSTEM_ONE_ON).tiers
    smaller = Catalog(toolsets=CATALOG.toolsets[:2])

    for catalog in (CATALOG, CATALOG, smaller):
        tiers.ask("look it up", catalog, deadline_s=2)

    assert route.call_count == 2


def test_a_failure_is_not_remembered(wire: respx.MockRouter, build: Build) -> None:
    """The next message may find the endpoint well again."""
    route = wire.post(SYSTEM_ONE).respond(400)
    tiers = build(**SYSTEM_ONE_ON).tiers

    for _ in range(2):
        tiers.ask("look it up", CATALOG, deadline_s=2)

    assert route.call_count == 2


def test_finding_no_turn_is_not_a_failure(wire: respx.MockRouter, build: Build) -> None:
    """Nobody was asked, so the earlier tier's result stands."""
    wire.post(SYSTEM_ONE).mock(side_effect=nouls(web=0.93))
    tiers = build(**SYSTEM_ONE_ON, system_one={"min_interval_s": 10.0}).tiers

    first = tiers.ask("look it up", CATALOG, deadline_s=2)
    second = tiers.ask("look something else up", CATALOG, deadline_s=2)

    assert first is not None
    assert second is None


def test_a_message_that_was_cut_on_the_way_has_no_opinion() -> None:
    """Nobody narrows on a part."""
    answers = Answers(by_id={"toolset:web": NoulAnswer(probability=0.95)}, input_complete=False)
    offered = (Candidate(name=ToolsetName("web"), purpose="Search"),)

    opinion = opinion_from(answers, offered)

    assert (opinion.failed, opinion.probabilities) == ("message was cut", {})


def test_a_long_message_is_left_to_the_earlier_tiers(wire: respx.MockRouter, build: Build) -> None:
    """They read all of it."""
    opinion = build(**SYSTEM_ONE_ON).tiers.ask("word " * 2000, CATALOG, deadline_s=2)

    assert opinion is None
    assert wire.calls.call_count == 0


@pytest.mark.parametrize(
    ("settings", "url"),
    [
        pytest.param(SYSTEM_ONE_ON, SYSTEM_ONE, id="System One"),
        pytest.param(CHAT_ON, CHAT, id="chat"),
    ],
)
def test_the_request_can_be_shown_before_it_is_sent(
    wire: respx.MockRouter, build: Build, settings: Mapping[str, Any], url: str
) -> None:
    """Shown and sent are the same bytes, and no secret is among them."""
    route = wire.post(url).respond(400)
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    tiers = build(**settings).tiers

    (shown,) = tiers.show_request(f"use {token}", CATALOG)
    assert not route.called
    tiers.ask(f"use {token}", CATALOG, deadline_s=2)

    assert shown.body.encode() == route.calls[0].request.content
    assert token not in shown.body
    assert "k-1" not in str(shown)
    assert "k-2" not in str(shown)


def test_descriptions_of_other_people_are_sanitized(wire: respx.MockRouter, build: Build) -> None:
    """An MCP server's description can hold anything."""
    route = wire.post(SYSTEM_ONE).mock(side_effect=nouls(web=0.93))
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    described = toolset("mcp-x", Origin.MCP, f"Call with\n{token} in the header")

    catalog = Catalog(toolsets=(*CATALOG.toolsets, described))
    build(**SYSTEM_ONE_ON).tiers.ask("look it up", catalog, deadline_s=2)

    assert token not in route.calls.last.request.content.decode()


def test_a_crowd_of_toolsets_fits_into_one_request(wire: respx.MockRouter, build: Build) -> None:
    """Sixty questions; the rest of the toolsets get no opinion."""
    route = wire.post(SYSTEM_ONE).mock(side_effect=nouls(web=0.93))
    crowd = tuple(toolset(f"mcp-{n}", Origin.MCP) for n in range(80))
    catalog = Catalog(toolsets=(*CATALOG.toolsets, *crowd))

    opinion = build(**SYSTEM_ONE_ON).tiers.ask("look it up", catalog, deadline_s=2)

    assert route.call_count == 1
    assert len(json.loads(route.calls.last.request.content)["questions"]) == 60
    assert opinion is not None
    assert "mcp-79" not in opinion.probabilities


def test_the_sdk_is_loaded_for_the_chat_tier_only() -> None:
    """It takes half a second, which a decision model or the tool must not pay."""
    code = (
        "import importlib, sys; importlib.import_module('{0}.classifier.assembly');"
        "importlib.import_module('{0}.classifier.jev_ask'); print('openai' in sys.modules)"
    ).format("hermes_tool_router")
    mount = f"import runpy; runpy.run_path({str(ROOT / '_checkout.py')!r})['mount']();"

    run = subprocess.run(
        [sys.executable, "-c", mount + code], capture_output=True, text=True, timeout=120
    )

    assert run.stdout.strip() == "False", run.stderr


def test_the_key_that_the_settings_name_is_a_secret_whatever_it_is_called(
    wire: respx.MockRouter, build: Build
) -> None:
    """No label gives it away, so the settings must."""
    route = wire.post("http://127.0.0.1:4000/v1/chat/completions").respond(400)
    chat = {
        "enabled": True,
        "provider": "custom",
        "base_url": "http://127.0.0.1:4000/v1",
        "model": "m",
        "api_key_env": "BLUE",
    }

    build({"BLUE": "plain-words-as-key"}, classifier=chat).tiers.ask(
        "is plain-words-as-key still valid?", CATALOG, deadline_s=2
    )

    assert b"plain-words-as-key" not in route.calls[0].request.content


@given(text=st.text(st.characters(exclude_categories=[]), max_size=40), length=st.integers(0, 3))
@settings(
    derandomize=True,
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_any_message_has_an_opinion_a_failure_or_nobody_asked(
    wire: respx.MockRouter, build: Build, text: str, length: int
) -> None:
    """Lone surrogates, control characters and long texts included; never an exception."""
    wire.post(SYSTEM_ONE).mock(side_effect=nouls(web=0.93))

    opinion = build(**SYSTEM_ONE_ON).tiers.ask(text * 10**length, CATALOG, deadline_s=5)

    assert opinion is None or opinion.failed or opinion.probabilities
