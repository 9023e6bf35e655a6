"""The wire formats of providers: their requests read as Chat Completions, and answers written.

Only as much of each format as Hermes sends and reads (hermes-agent 0.19.0
agent/transports/).  The bytes of a request are kept elsewhere, as they came.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from . import wire
from .script import Request, Step

__all__ = ["MODEL", "Dialect", "call_id", "of_path"]

MODEL = "stub-model"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One wire format.

    Attributes:
        path: how the path of its endpoint ends.
        read: a request body in the shape of Chat Completions.
        answer: the whole answer to a request.
        events: the same answer as server-sent events.
    """

    path: str
    read: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    answer: Callable[[Request, Step], dict[str, Any]]
    events: Callable[[Mapping[str, Any]], bytes]


def of_path(path: str) -> Dialect | None:
    """The format that is spoken at a path, ``None`` where none is."""
    plain = path.partition("?")[0]
    return next((dialect for dialect in _DIALECTS if plain.endswith(dialect.path)), None)


def call_id(request: Request, place: int) -> str:
    """The id of a call, the ``place``-th from 0, in the answer to ``request``."""
    return f"call_{request.index}_{place}"


def _prompt_tokens(request: Request) -> int:
    return max(1, len(request.raw) // 4)


def _stream(events: Iterable[Mapping[str, Any]]) -> bytes:
    """Events that carry their name in ``type``."""
    return "".join(
        f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events
    ).encode()


def _chat_answer(request: Request, step: Step) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": step.text or None}
    if step.calls:
        message["tool_calls"] = [
            {
                "id": call_id(request, place),
                "type": "function",
                "function": {"name": item.name, "arguments": item.spelled},
            }
            for place, item in enumerate(step.calls)
        ]
    prompt = _prompt_tokens(request)
    end = "tool_calls" if step.calls else "stop"
    return {
        "id": f"chatcmpl-{request.index}",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": end}],
        "usage": {"prompt_tokens": prompt, "completion_tokens": 5, "total_tokens": prompt + 5},
    }


def _chat_events(whole: Mapping[str, Any]) -> bytes:
    head = {key: whole[key] for key in ("id", "created", "model")}
    head["object"] = "chat.completion.chunk"
    choice = whole["choices"][0]
    message = choice["message"]
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": message["content"] or ""}]
    for place, item in enumerate(message.get("tool_calls") or ()):
        named = {**item, "index": place, "function": {**item["function"], "arguments": ""}}
        arguments = {"index": place, "function": {"arguments": item["function"]["arguments"]}}
        deltas += [{"tool_calls": [named]}, {"tool_calls": [arguments]}]
    chunks: list[dict[str, Any]] = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        for delta in deltas
    ]
    end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    chunks += [{**head, "choices": [end]}, {**head, "choices": [], "usage": whole["usage"]}]
    lines = [json.dumps(chunk) for chunk in chunks] + ["[DONE]"]
    return "".join(f"data: {line}\n\n" for line in lines).encode()


def _function(tool: Mapping[str, Any], parameters: str) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": tool["name"],
            "description": tool.get("description", ""),
            "parameters": tool.get(parameters, {}),
        },
    }


def _asked(calls: Iterable[tuple[str, str, str]]) -> dict[str, Any]:
    """An assistant's message with (id, name, arguments) calls."""
    return {
        "role": "assistant",
        "tool_calls": [
            {"id": key, "type": "function", "function": {"name": name, "arguments": arguments}}
            for key, name, arguments in calls
        ],
    }


def _messages_read(body: Mapping[str, Any]) -> dict[str, Any]:
    messages = [{"role": "system", "content": wire.text_of(body.get("system"))}]
    for item in body.get("messages") or ():
        messages += _blocks_read(item["role"], item.get("content"))
    tools = [_function(tool, "input_schema") for tool in body.get("tools") or ()]
    return {**body, "messages": messages, "tools": tools}


def _blocks_read(role: str, content: Any) -> Iterator[dict[str, Any]]:
    """Tool results travel in user messages, tool calls in the assistant's."""
    blocks = [block for block in content or () if isinstance(block, Mapping)]
    for block in blocks:
        if block.get("type") == "tool_result":
            text = wire.text_of(block.get("content"))
            yield {"role": "tool", "tool_call_id": block["tool_use_id"], "content": text}
    calls = [
        (block["id"], block["name"], json.dumps(block["input"]))
        for block in blocks
        if block.get("type") == "tool_use"
    ]
    if calls:
        yield _asked(calls)
    texts = [block for block in blocks if block.get("type") == "text"]
    if text := wire.text_of(texts or content).strip():
        yield {"role": role, "content": text}


def _messages_answer(request: Request, step: Step) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": step.text}] if step.text else []
    blocks += [
        {
            "type": "tool_use",
            "id": call_id(request, place),
            "name": item.name,
            "input": json.loads(item.spelled),
        }
        for place, item in enumerate(step.calls)
    ]
    return {
        "id": f"msg_{request.index}",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": blocks,
        "stop_reason": "tool_use" if step.calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": _prompt_tokens(request), "output_tokens": 5},
    }


def _messages_events(whole: Mapping[str, Any]) -> bytes:
    return _stream(_messages_stream(whole))


def _messages_stream(whole: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    for place, block in enumerate(whole["content"]):
        if block["type"] == "text":
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": place, "content_block": empty}
        yield {"type": "content_block_delta", "index": place, "delta": delta}
        yield {"type": "content_block_stop", "index": place}
    end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": {"output_tokens": 5}}
    yield {"type": "message_stop"}


def _responses_read(body: Mapping[str, Any]) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": wire.text_of(body.get("instructions"))}
    ]
    for item in body.get("input") or ():
        kind = item.get("type", "message")
        if kind == "function_call":
            messages.append(_asked([(item["call_id"], item["name"], item["arguments"])]))
        elif kind == "function_call_output":
            output = wire.text_of(item["output"])
            messages.append({"role": "tool", "tool_call_id": item["call_id"], "content": output})
        elif kind == "message":
            messages.append({"role": item["role"], "content": wire.text_of(item.get("content"))})
    functions = [tool for tool in body.get("tools") or () if tool.get("name")]
    return {
        **body,
        "messages": messages,
        "tools": [_function(tool, "parameters") for tool in functions],
    }


def _responses_answer(request: Request, step: Step) -> dict[str, Any]:
    output: list[dict[str, Any]] = []
    if step.text:
        part = {"type": "output_text", "text": step.text, "annotations": []}
        output.append(
            {
                "type": "message",
                "id": f"msg_{request.index}",
                "role": "assistant",
                "status": "completed",
                "content": [part],
            }
        )
    output += [
        {
            "type": "function_call",
            "id": f"fc_{request.index}_{place}",
            "call_id": call_id(request, place),
            "name": item.name,
            "arguments": item.spelled,
            "status": "completed",
        }
        for place, item in enumerate(step.calls)
    ]
    prompt = _prompt_tokens(request)
    return {
        "id": f"resp_{request.index}",
        "object": "response",
        "created_at": 1_700_000_000,
        "model": MODEL,
        "status": "completed",
        "output": output,
        "usage": {"input_tokens": prompt, "output_tokens": 5, "total_tokens": prompt + 5},
    }


def _responses_events(whole: Mapping[str, Any]) -> bytes:
    return _stream(_responses_stream(whole))


def _responses_stream(whole: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    begun = {**whole, "status": "in_progress", "output": []}
    yield {"type": "response.created", "response": begun}
    for place, item in enumerate(whole["output"]):
        yield {"type": "response.output_item.added", "output_index": place, "item": item}
        if item["type"] == "message":
            yield {
                "type": "response.output_text.delta",
                "output_index": place,
                "content_index": 0,
                "item_id": item["id"],
                "delta": item["content"][0]["text"],
            }
        yield {"type": "response.output_item.done", "output_index": place, "item": item}
    yield {"type": "response.completed", "response": whole}


_DIALECTS = (
    Dialect(path="/chat/completions", read=dict, answer=_chat_answer, events=_chat_events),
    Dialect(
        path="/messages", read=_messages_read, answer=_messages_answer, events=_messages_events
    ),
    Dialect(
        path="/responses", read=_responses_read, answer=_responses_answer, events=_responses_events
    ),
)
