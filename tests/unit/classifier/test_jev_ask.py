"""The jev_ask tool, as the agent's model uses it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import httpx
import pytest
import respx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_tool_router.classifier.jev_ask import JevAskLimits, SessionBudgets, run, schema
from hermes_tool_router.classifier.ports import StateSanitizer
from hermes_tool_router.classifier.system_one import SystemOneClient

URL = "https://api.typesafe.ai/v1/systemone"
URGENT = {"urgent": {"type": "boolean", "instructions": "It is urgent."}}

Tool = Callable[[Mapping[str, object]], dict[str, Any]]


@pytest.fixture
def endpoint() -> Iterator[respx.Route]:
    """The decision model: answers whatever kind is asked."""

    def answer(request: httpx.Request) -> httpx.Response:
        kinds: dict[str, dict[str, Any]] = {
            "noul": {"type": "noul", "noul": 0.9},
            "choice": {
                "type": "choice",
                "choice": "a",
                "probabilities": {"a": 0.75, "b": 0.25},
            },
            "score": {"type": "score", "score": 0.5, "probabilities": {"0": 0.5, "1": 0.5}},
        }
        asked = json.loads(request.content)["questions"]
        return httpx.Response(
            200,
            json={
                "model": "jev-1.14.0",
                "answers": {name: kinds[question["type"]] for name, question in asked.items()},
                "usage": {"input_tokens": 40, "output_tokens": 3},
            },
        )

    with respx.mock(assert_all_called=False) as mock:
        yield mock.post(URL).mock(side_effect=answer)


@pytest.fixture
def tool(client: Callable[..., SystemOneClient], sanitizer: StateSanitizer) -> Tool:
    """The tool in one session with three calls."""
    asking = client({"TYPESAFE_API_KEY": "k"})
    limits = JevAskLimits(SessionBudgets(3), "s-1", state_max_bytes=1000, deadline_s=2)
    return lambda args: run(args, asking, sanitizer, limits)


def test_every_kind_comes_back_in_its_normalised_shape(tool: Tool, endpoint: respx.Route) -> None:
    """The shapes of the reference: boolean, choice and score."""
    questions = {
        **URGENT,
        "kind": {"type": "choice", "instructions": "Which?", "criteria": {"a": "A", "b": None}},
        "harm": {"type": "score", "instructions": "How bad?", "criteria": ["low", "high"]},
    }

    result = tool({"state": "The server is down!", "questions": questions})

    assert result.pop("latency_ms") >= 0
    assert result == {
        "answers": {
            "urgent": {"probability": 0.9},
            "kind": {
                "choice": "a",
                "probabilities": {"a": 0.75, "b": 0.25},
                "confidence": 0.5,
            },
            "harm": {
                "score": 0.5,
                "probabilities": {"0": 0.5, "1": 0.5},
                "confidence": 0.0,
            },
        },
        "confidence": {"urgent": 0.8, "kind": 0.5, "harm": 0.0},
        "usage": {"input_tokens": 40, "output_tokens": 3},
        "cost_usd": None,
        "model": "jev-1.14.0",
    }
    assert endpoint.called


def test_questions_may_come_as_a_json_string(tool: Tool, endpoint: respx.Route) -> None:
    """Models write nested objects as text now and then."""
    result = tool({"state": {"log": ["a", 1]}, "questions": json.dumps(URGENT)})

    assert result["answers"] == {"urgent": {"probability": 0.9}}
    assert endpoint.called


@pytest.mark.parametrize(
    ("args", "says"),
    [
        pytest.param({}, "'state' is empty", id="nothing"),
        pytest.param({"state": "", "questions": URGENT}, "'state' is empty", id="no state"),
        pytest.param({"state": "x" * 1001, "questions": URGENT}, "at most 1000", id="a long state"),
        pytest.param({"state": {1, 2}, "questions": URGENT}, "not text or JSON", id="a set"),
        pytest.param({"state": "x"}, "1 to 20 questions", id="no questions"),
        pytest.param({"state": "x", "questions": {}}, "1 to 20 questions", id="none of them"),
        pytest.param({"state": "x", "questions": "{"}, "not JSON", id="broken JSON"),
        pytest.param({"state": "x", "questions": [URGENT]}, "must be an object", id="a list"),
        pytest.param(
            {"state": "x", "questions": {"a": "Is it?"}}, "question 'a': must be", id="a string"
        ),
        pytest.param(
            {"state": "x", "questions": {"a": {"type": "text", "instructions": "?"}}},
            "question 'a': type must be 'boolean', 'choice' or 'score'",
            id="an unknown type",
        ),
        pytest.param(
            {"state": "x", "questions": {"a": {"type": "boolean"}}},
            "question 'a': instructions must be text",
            id="no instructions",
        ),
        pytest.param(
            {
                "state": "x",
                "questions": {"a": {"type": "choice", "instructions": "?", "criteria": ["one"]}},
            },
            "2 to 26 options",
            id="one option",
        ),
        pytest.param(
            {
                "state": "x",
                "questions": {"a": {"type": "score", "instructions": "?", "criteria": {"0": "l"}}},
            },
            "list of 2 to 10 levels",
            id="levels as an object",
        ),
        pytest.param(
            {
                "state": "x",
                "questions": {
                    "a": {"type": "boolean", "instructions": "?", "criteria": {"yes": "y"}}
                },
            },
            "criteria of a boolean",
            id="other sides",
        ),
    ],
)
def test_a_wrong_call_says_what_to_write(
    tool: Tool, endpoint: respx.Route, args: Mapping[str, object], says: str
) -> None:
    """Nothing is sent, and the model can correct itself."""
    result = tool(args)

    assert result["error"] == "invalid_arguments"
    assert says in result["note"]
    assert not endpoint.called


def test_every_wrong_question_is_named_at_once(tool: Tool) -> None:
    """One round of correction is enough."""
    result = tool({"state": "x", "questions": {"a": {"type": "?"}, "b": 3, **URGENT}})

    assert "question 'a'" in result["note"]
    assert "question 'b'" in result["note"]
    assert "urgent" not in result["note"]


def test_a_session_has_a_budget(tool: Tool, endpoint: respx.Route) -> None:
    """Wrong calls cost nothing; the fourth right one is refused."""
    tool({})

    results = [tool({"state": f"state {n}", "questions": URGENT}) for n in range(4)]

    assert ["error" in result for result in results] == [False, False, False, True]
    assert results[3]["error"] == "budget_spent"
    assert endpoint.call_count == 3


def test_sessions_have_budgets_of_their_own() -> None:
    """And the table of sessions is bounded."""
    budgets = SessionBudgets(1)

    assert [budgets.spend("a"), budgets.spend("a"), budgets.spend("b")] == [True, False, True]
    for number in range(600):
        budgets.spend(str(number))
    assert budgets.spend("599") is False


def test_without_a_key_the_tool_says_so(
    client: Callable[..., SystemOneClient], sanitizer: StateSanitizer, endpoint: respx.Route
) -> None:
    """An error and what to do, no exception."""
    limits = JevAskLimits(SessionBudgets(3), "s", state_max_bytes=1000, deadline_s=2)

    result = run({"state": "x", "questions": URGENT}, client({}), sanitizer, limits)

    assert result["error"] == "no_key"
    assert "TYPESAFE_API_KEY" in result["note"]
    assert not endpoint.called


def test_secrets_in_state_and_questions_stay_here(tool: Tool, endpoint: respx.Route) -> None:
    """Both are sanitized."""
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    questions = {
        "q": {
            "type": "choice",
            "instructions": f"Does it hold {token}?",
            "criteria": {"a": f"holds {token}", "b": "no"},
        }
    }

    tool({"state": f"log in with {token}", "questions": questions})

    assert token not in endpoint.calls.last.request.content.decode()


def test_the_schema_is_a_function_schema() -> None:
    """Name, description and parameters, the same bytes each time."""
    first = json.dumps(schema())

    assert first == json.dumps(schema())
    assert schema()["name"] == "jev_ask"
    assert schema()["parameters"]["required"] == ["state", "questions"]


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "instructions", "criteria", "true", "a", "b"])
            | st.text(max_size=4),
            inner
            | st.sampled_from(["boolean", "choice", "score", "Is it so?"])
            | st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=3),
            max_size=4,
        )
    ),
    max_leaves=10,
)


@given(state=JSON, questions=JSON)
@settings(
    derandomize=True,
    deadline=None,
    max_examples=80,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_any_arguments_give_answers_or_an_error(
    tool: Tool, endpoint: respx.Route, state: object, questions: object
) -> None:
    """Never an exception, and always one of the two shapes."""
    result = tool({"state": state, "questions": questions})

    assert "answers" in result or set(result) == {"error", "note"}
