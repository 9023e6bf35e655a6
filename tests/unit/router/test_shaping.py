"""The fresh greeting: what may go, and every reason to leave a request alone."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
import yaml

from hermes_tool_router.registry_adapter.resources import ROOT, phrase_table
from hermes_tool_router.router.questions import Answer, Answers, ChoiceAnswer, NoulAnswer
from hermes_tool_router.router.shaping import Moment, Refusal, Shaping, shape

PHRASES = phrase_table()
REMOVABLE = frozenset(("terminal", "web_search"))
TOOLS = ("clarify", "terminal", "web_search")
GREETINGS = yaml.safe_load(
    (ROOT / "intent" / "data" / "followups" / "greetings.yaml").read_text("utf-8")
)["cases"]


def _choice(name: str, confidence: float = 0.99) -> ChoiceAnswer:
    return ChoiceAnswer(choice=name, probabilities={name: confidence}, confidence=confidence)


AGREED: Mapping[str, Answer] = {
    "intent": _choice("chat"),
    "complexity": _choice("trivial"),
    "side_effects": _choice("none"),
    "needs_web": NoulAnswer(probability=0.01),
    "needs_browser": NoulAnswer(probability=0.01),
    "needs_terminal": NoulAnswer(probability=0.01),
    "needs_files": NoulAnswer(probability=0.01),
    "should_delegate": NoulAnswer(probability=0.01),
}

CHAT: dict[str, Any] = {
    "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "hello"}],
    "tools": [{"type": "function", "function": {"name": name}} for name in TOOLS],
}
RESPONSES: dict[str, Any] = {
    "instructions": "s",
    "input": [{"role": "user", "content": [{"type": "input_text", "text": "hello"}]}],
    "tools": [{"type": "function", "name": name, "parameters": {}} for name in TOOLS],
    "tool_choice": "auto",
}
ANTHROPIC: dict[str, Any] = {
    "system": [{"type": "text", "text": "s"}],
    "messages": [{"role": "user", "content": [{"type": "text", "text": "hello"}]}],
    "tools": [{"name": name, "input_schema": {}} for name in TOOLS],
    "tool_choice": {"type": "auto"},
}
BEDROCK: dict[str, Any] = {
    "system": [{"text": "s"}],
    "messages": [{"role": "user", "content": [{"text": "hello"}]}],
    "toolConfig": {
        "tools": [
            *({"toolSpec": {"name": name, "inputSchema": {}}} for name in TOOLS),
            {"cachePoint": {"type": "default"}},
        ],
        "toolChoice": {"auto": {}},
    },
}
HELLO = Moment(text="hello")


def _shape(
    request: Mapping[str, Any] = CHAT,
    moment: Moment = HELLO,
    by_id: Mapping[str, Answer] | None = AGREED,
    removable: frozenset[str] = REMOVABLE,
) -> Shaping:
    answers = Answers(by_id=by_id) if by_id is not None else None
    return shape(
        request, moment, answers, phrases=PHRASES, removable=removable, min_confidence=0.95
    )


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param(CHAT, id="Chat Completions"),
        pytest.param(RESPONSES, id="Responses"),
        pytest.param({**RESPONSES, "input": "hello"}, id="Responses with a plain string"),
        pytest.param(ANTHROPIC, id="Anthropic Messages"),
        pytest.param(BEDROCK, id="Bedrock Converse"),
    ],
)
def test_a_fresh_greeting_goes_without_the_tools_that_may_go(request_: dict[str, Any]) -> None:
    """In each format what is not removable stays, and the request itself is not touched."""
    before = copy.deepcopy(request_)

    found = _shape(request_)

    assert found == Shaping(keep=("clarify",))
    assert request_ == before


@pytest.mark.parametrize("text", GREETINGS["greeting"])
def test_every_authored_greeting_is_shaped(text: str) -> None:
    """In all their languages."""
    request = {**CHAT, "messages": [{"role": "user", "content": text}]}

    found = _shape(request, replace(HELLO, text=text))

    assert found.keep == ("clarify",)


@pytest.mark.parametrize("text", GREETINGS["not_greeting"])
def test_no_task_that_opens_with_a_greeting_is_shaped(text: str) -> None:
    """Whatever the model says about it."""
    request = {**CHAT, "messages": [{"role": "user", "content": text}]}

    found = _shape(request, replace(HELLO, text=text))

    assert found.refused in {Refusal.NOT_A_GREETING, Refusal.FOLLOW_UP}


@pytest.mark.parametrize(
    ("moment", "refusal"),
    [
        pytest.param(replace(HELLO, others_speak=True), Refusal.OTHERS_SPEAK, id="rules speak"),
        pytest.param(replace(HELLO, api_call_count=2), Refusal.NOT_FIRST_CALL, id="second call"),
        pytest.param(replace(HELLO, api_call_count=0), Refusal.NOT_FIRST_CALL, id="no count"),
        pytest.param(replace(HELLO, is_first_turn=False), Refusal.NOT_FIRST_TURN, id="later turn"),
        pytest.param(replace(HELLO, prior_turn=True), Refusal.PRIOR_TURN, id="remembered turn"),
        pytest.param(replace(HELLO, tool_seen=True), Refusal.TOOL_SEEN, id="tool call seen"),
        pytest.param(replace(HELLO, complete=False), Refusal.INCOMPLETE, id="cut message"),
        pytest.param(replace(HELLO, text="yes, do it"), Refusal.FOLLOW_UP, id="confirmation"),
        pytest.param(replace(HELLO, text="fix that"), Refusal.FOLLOW_UP, id="reference"),
        pytest.param(replace(HELLO, text="hi, list files"), Refusal.NOT_A_GREETING, id="task"),
        pytest.param(replace(HELLO, text=""), Refusal.NOT_A_GREETING, id="nothing"),
        pytest.param(replace(HELLO, text="hi"), Refusal.OTHER_MESSAGE, id="another greeting"),
    ],
)
def test_the_moment_has_to_be_right(moment: Moment, refusal: Refusal) -> None:
    """Only the first request of a first turn that is a greeting and nothing else."""
    assert _shape(moment=moment) == Shaping(refused=refusal)


_USER = {"role": "user", "content": "hello"}


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        pytest.param({"messages": "hello?"}, Refusal.OTHER_MESSAGE, id="other text"),
        pytest.param({"messages": None}, Refusal.UNKNOWN_REQUEST, id="no messages"),
        pytest.param({"messages": {"a": 1}}, Refusal.UNKNOWN_REQUEST, id="messages of no list"),
        pytest.param({"input": []}, Refusal.UNKNOWN_REQUEST, id="two message lists"),
        pytest.param({"functions": []}, Refusal.UNKNOWN_REQUEST, id="functions of old"),
        pytest.param({"tools": {}}, Refusal.UNKNOWN_REQUEST, id="tools of no list"),
        pytest.param({"previous_response_id": "r1"}, Refusal.SERVER_STATE, id="response id"),
        pytest.param({"conversation": {"id": "c"}}, Refusal.SERVER_STATE, id="conversation"),
        pytest.param({"thread_id": "t"}, Refusal.SERVER_STATE, id="thread"),
        pytest.param({"container": "c"}, Refusal.SERVER_STATE, id="container"),
        pytest.param({"messages": [_USER, _USER]}, Refusal.HISTORY, id="two user messages"),
        pytest.param({"messages": []}, Refusal.HISTORY, id="no user message"),
        pytest.param(
            {"messages": [{"role": "assistant", "content": "hi"}, _USER]},
            Refusal.HISTORY,
            id="assistant message",
        ),
        pytest.param(
            {"messages": [_USER, {"role": "tool", "content": "x"}]}, Refusal.HISTORY, id="tool row"
        ),
        pytest.param(
            {"messages": [_USER, {"type": "function_call", "name": "f"}]},
            Refusal.HISTORY,
            id="function call item",
        ),
        pytest.param({"messages": [_USER, "odd"]}, Refusal.HISTORY, id="row of no mapping"),
        pytest.param(
            {"messages": [{"role": "user", "content": [{"type": "image_url"}]}]},
            Refusal.UNKNOWN_CONTENT,
            id="image",
        ),
        pytest.param(
            {"messages": [{"role": "user", "content": [{"type": "tool_result", "text": "x"}]}]},
            Refusal.UNKNOWN_CONTENT,
            id="tool result part",
        ),
        pytest.param(
            {"messages": [{"role": "user", "content": None}]}, Refusal.UNKNOWN_CONTENT, id="none"
        ),
        pytest.param({"tools": None}, Refusal.NO_TOOLS, id="no tools"),
        pytest.param({"tools": []}, Refusal.NO_TOOLS, id="empty tools"),
        pytest.param({"tools": ["terminal"]}, Refusal.UNKNOWN_SCHEMA, id="tool as text"),
        pytest.param({"tools": [{"name": "x"}]}, Refusal.UNKNOWN_SCHEMA, id="bare name"),
        pytest.param({"tools": [{"type": "function"}]}, Refusal.UNKNOWN_SCHEMA, id="no name"),
        pytest.param({"tools": [{"toolSpec": {}}]}, Refusal.UNKNOWN_SCHEMA, id="empty toolSpec"),
        pytest.param(
            {"tools": [{"type": "function", "function": {}}]},
            Refusal.UNKNOWN_SCHEMA,
            id="function without a name",
        ),
        pytest.param(
            {"tools": [{"type": "grammar", "function": {"name": "x"}}]},
            Refusal.UNKNOWN_SCHEMA,
            id="function of another type",
        ),
        pytest.param(
            {"tools": [*CHAT["tools"], *RESPONSES["tools"]]},
            Refusal.MIXED_SCHEMAS,
            id="mixed schemas",
        ),
        pytest.param(
            {"tools": [*CHAT["tools"], {"type": "web_search_preview"}]},
            Refusal.BUILT_IN_TOOL,
            id="provider's own tool",
        ),
        pytest.param(
            {"tools": [*CHAT["tools"], CHAT["tools"][0]]}, Refusal.DUPLICATE_NAMES, id="duplicates"
        ),
        pytest.param({"tool_choice": "required"}, Refusal.FORCED_CHOICE, id="required"),
        pytest.param({"tool_choice": "none"}, Refusal.FORCED_CHOICE, id="none at all"),
        pytest.param(
            {"tool_choice": {"type": "function", "function": {"name": "terminal"}}},
            Refusal.FORCED_CHOICE,
            id="one tool forced",
        ),
        pytest.param({"tools": [CHAT["tools"][0]]}, Refusal.NOTHING_TO_REMOVE, id="all stay"),
        pytest.param({"tools": CHAT["tools"][1:]}, Refusal.NOTHING_LEFT, id="none would stay"),
    ],
)
def test_the_request_has_to_be_an_empty_conversation_with_plain_tools(
    change: dict[str, Any], refusal: Refusal
) -> None:
    """Whatever else is in it, every tool stays."""
    assert _shape({**CHAT, **change}) == Shaping(refused=refusal)


def test_a_forced_choice_of_bedrock_is_seen() -> None:
    """It stands under ``toolConfig``."""
    config = {**BEDROCK["toolConfig"], "toolChoice": {"any": {}}}

    assert _shape({**BEDROCK, "toolConfig": config}).refused == Refusal.FORCED_CHOICE


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        pytest.param({"intent": _choice("coding")}, Refusal.DISAGREES, id="another intent"),
        pytest.param({"complexity": _choice("moderate")}, Refusal.DISAGREES, id="more work"),
        pytest.param({"side_effects": _choice("possible")}, Refusal.DISAGREES, id="side effects"),
        pytest.param({"intent": _choice("chat", 0.94)}, Refusal.LOW_CONFIDENCE, id="unsure"),
        pytest.param({"needs_web": NoulAnswer(probability=0.06)}, Refusal.DISAGREES, id="web"),
        pytest.param(
            {"needs_web": _choice("chat")}, Refusal.NO_ANSWER, id="answer of a wrong kind"
        ),
        pytest.param({"intent": NoulAnswer(probability=1)}, Refusal.NO_ANSWER, id="no choice"),
    ],
)
def test_the_model_has_to_agree(change: dict[str, Answer], refusal: Refusal) -> None:
    """Intent, complexity, side effects and every need, each surely enough."""
    assert _shape(by_id={**AGREED, **change}) == Shaping(refused=refusal)


@pytest.mark.parametrize("missing", sorted(AGREED))
def test_a_missing_answer_is_no_agreement(missing: str) -> None:
    """Missing is never read as probability 0."""
    by_id = {key: answer for key, answer in AGREED.items() if key != missing}

    assert _shape(by_id=by_id).refused == Refusal.NO_ANSWER


def test_without_a_model_nothing_is_shaped() -> None:
    """The model's agreement is required."""
    assert _shape(by_id=None).refused == Refusal.NO_ANSWER
