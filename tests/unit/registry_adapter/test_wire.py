"""registry_adapter.wire: the four formats in which Hermes sends tools."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from hermes_tool_router.registry_adapter.wire import (
    forced_tool,
    read_tools,
    system_text,
    used_names,
    with_tools,
)
from hermes_tool_router.router.values import ToolName

REGISTERED = frozenset({"read_file", "terminal", "mcp_linear_get", "web_search"})


def _known(name: str) -> bool:
    return name in REGISTERED


def _chat(name: str) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "description": "d", "parameters": {}}}


def _responses(name: str) -> dict[str, Any]:
    return {"type": "function", "name": name, "description": "d", "parameters": {}}


def _anthropic(name: str) -> dict[str, Any]:
    return {"name": name, "description": "d", "input_schema": {}}


def _bedrock(name: str) -> dict[str, Any]:
    return {"toolSpec": {"name": name, "description": "d", "inputSchema": {"json": {}}}}


FORMATS = [
    pytest.param("chat_completions", _chat, id="chat completions"),
    pytest.param("codex_responses", _responses, id="responses"),
    pytest.param("anthropic_messages", _anthropic, id="anthropic messages"),
    pytest.param("bedrock_converse", _bedrock, id="bedrock converse"),
]


def _request(mode: str, items: list[dict[str, Any]]) -> dict[str, Any]:
    if mode == "bedrock_converse":
        return {"modelId": "m", "toolConfig": {"tools": items, "toolChoice": {"auto": {}}}}
    return {"model": "m", "tools": items}


def _sent(request: dict[str, Any]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = request.get("toolConfig", request)["tools"]
    return items


@pytest.mark.parametrize(("mode", "make"), FORMATS)
def test_a_request_is_narrowed_without_touching_the_live_one(mode: str, make: Any) -> None:
    """With llm_execution the request is the agent's own: a new one is built."""
    live = _request(mode, [make("read_file"), make("terminal"), make("web_search")])
    before = copy.deepcopy(live)

    tools = read_tools(live, mode, _known)
    assert tools is not None
    sent = with_tools(live, tools, [ToolName("web_search"), ToolName("read_file")], descriptions={})

    assert live == before
    assert _sent(sent) == [make("web_search"), make("read_file")]
    assert {key: value for key, value in sent.items() if key not in {"tools", "toolConfig"}} == {
        key: value for key, value in before.items() if key not in {"tools", "toolConfig"}
    }


@pytest.mark.parametrize(("mode", "make"), FORMATS)
def test_a_description_is_replaced_where_the_format_keeps_it(mode: str, make: Any) -> None:
    """The menu of request_toolset reaches the model in every format."""
    live = _request(mode, [make("terminal")])
    tools = read_tools(live, mode, _known)
    assert tools is not None

    sent = with_tools(
        live, tools, [ToolName("terminal")], descriptions={ToolName("terminal"): "menu"}
    )

    item = _sent(sent)[0]
    assert item.get("function", item.get("toolSpec", item))["description"] == "menu"


def test_the_oauth_prefix_is_seen_through() -> None:
    """Anthropic with OAuth renames native and MCP tools alike."""
    live = _request(
        "anthropic_messages", [_anthropic("mcp__read_file"), _anthropic("mcp__linear_get")]
    )

    tools = read_tools(live, "anthropic_messages", _known)

    assert tools is not None
    assert tools.named == ("read_file", "mcp_linear_get")


def test_a_providers_built_in_tools_stay() -> None:
    """A hosted tool may share a name with one of the host's; it is not ours to prune."""
    hosted = {"type": "web_search_20250305", "name": "web_search"}
    live = _request(
        "anthropic_messages", [_anthropic("web_search"), _anthropic("terminal"), hosted]
    )
    tools = read_tools(live, "anthropic_messages", _known)
    assert tools is not None

    sent = with_tools(live, tools, [ToolName("terminal")], descriptions={})

    assert _sent(sent) == [hosted, _anthropic("terminal")]


def test_a_bedrock_cache_point_stays_last() -> None:
    """The marker says that everything before it may be cached."""
    point = {"cachePoint": {"type": "default"}}
    live = _request("bedrock_converse", [_bedrock("read_file"), _bedrock("terminal"), point])
    tools = read_tools(live, "bedrock_converse", _known)
    assert tools is not None

    sent = with_tools(live, tools, [ToolName("terminal")], descriptions={})

    assert _sent(sent) == [_bedrock("terminal"), point]


def test_a_cache_marker_of_a_dropped_tool_moves_to_the_last_kept() -> None:
    """Pruning the marked tool must not switch the provider's cache off."""
    marked = {**_anthropic("web_search"), "cache_control": {"type": "ephemeral"}}
    live = _request("anthropic_messages", [_anthropic("terminal"), marked])
    tools = read_tools(live, "anthropic_messages", _known)
    assert tools is not None

    sent = with_tools(live, tools, [ToolName("terminal")], descriptions={})

    assert _sent(sent) == [{**_anthropic("terminal"), "cache_control": {"type": "ephemeral"}}]


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param({}, id="no tools"),
        pytest.param({"tools": []}, id="an empty list"),
        pytest.param({"tools": "all"}, id="text"),
        pytest.param({"tools": ["read_file"]}, id="names instead of schemas"),
        pytest.param({"tools": [_chat("a"), _chat("a")]}, id="one name twice"),
        pytest.param({"toolConfig": None}, id="no tool configuration"),
    ],
)
def test_an_unknown_shape_is_left_alone(request_: dict[str, Any]) -> None:
    """What cannot be read is not narrowed."""
    assert read_tools(request_, "chat_completions", _known) is None


@pytest.mark.parametrize(
    ("request_", "name"),
    [
        pytest.param({"tool_choice": "auto"}, "", id="free choice"),
        pytest.param(
            {"tool_choice": {"type": "function", "function": {"name": "terminal"}}},
            "terminal",
            id="chat completions",
        ),
        pytest.param(
            {"tool_choice": {"type": "tool", "name": "terminal"}}, "terminal", id="anthropic"
        ),
        pytest.param(
            {"toolConfig": {"toolChoice": {"tool": {"name": "terminal"}}}}, "terminal", id="bedrock"
        ),
    ],
)
def test_a_forced_tool_is_found(request_: dict[str, Any], name: str) -> None:
    """A request that forces a tool must still carry it."""
    assert forced_tool(request_) == name


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param(
            {"messages": [{"role": "assistant", "tool_calls": [{"function": {"name": "a"}}]}]},
            id="chat completions",
        ),
        pytest.param({"input": [{"type": "function_call", "name": "a"}]}, id="responses"),
        pytest.param(
            {"messages": [{"role": "assistant", "content": [{"type": "tool_use", "name": "a"}]}]},
            id="anthropic",
        ),
        pytest.param(
            {"messages": [{"role": "assistant", "content": [{"toolUse": {"name": "a"}}]}]},
            id="bedrock",
        ),
    ],
)
def test_names_in_the_history_are_found(request_: dict[str, Any]) -> None:
    """A call that the model can see in its history must have its schema."""
    assert list(used_names(request_)) == ["a"]


def test_odd_history_is_read_past() -> None:
    """Rows of any shape yield nothing, and no error."""
    rows = [None, "x", {"tool_calls": [None, {"function": 3}]}, {"role": "assistant"}, {"type": 1}]

    assert list(used_names({"messages": rows})) == []


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        pytest.param(
            {"messages": [{"role": "system", "content": "be brief"}]}, "be brief", id="chat"
        ),
        pytest.param(
            {"messages": [{"role": "developer", "content": [{"type": "text", "text": "a"}, "b"]}]},
            "a\nb",
            id="chat, in parts",
        ),
        pytest.param({"instructions": "be brief", "input": []}, "be brief", id="responses"),
        pytest.param({"system": [{"text": "a"}, {"cachePoint": {}}]}, "a", id="bedrock"),
        pytest.param({"system": "be brief", "messages": []}, "be brief", id="anthropic"),
        pytest.param({"messages": [{"role": "user", "content": "hi"}]}, "", id="none"),
        pytest.param({"messages": "odd", "tools": []}, "", id="an unknown shape"),
        pytest.param({"system": 3}, "", id="an odd one"),
    ],
)
def test_the_system_prompt_is_found_in_every_format(request_: dict[str, Any], text: str) -> None:
    """Its digest and its length decide what the provider's cache holds."""
    assert system_text(request_) == text
