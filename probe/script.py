"""What a stub model is asked and what it answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from . import wire

__all__ = ["Kind", "Reply", "Request", "Script", "Step", "ToolCall", "call", "say"]

# hermes-agent 0.19.0: agent/background_review.py, the first words of all three review prompts.
_REVIEW_OPENING = "Review the conversation above"
# A title or a summary is asked for with a short system prompt; Hermes' own has some 6,600 bytes.
_AUXILIARY_SYSTEM_CHARS = 2000


class Kind(StrEnum):
    """What a request is for."""

    TURN = "turn"
    """A step of a user's turn; only these consume the script."""
    REVIEW = "review"
    """Hermes' background review of a finished turn, a fork of the same session."""
    AUXILIARY = "auxiliary"
    """A title, a summary: no tools and a short system prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One tool call that the model makes; arguments that are a string go out as they are."""

    name: str
    arguments: Mapping[str, Any] | str

    @property
    def spelled(self) -> str:
        """The arguments as text."""
        if isinstance(self.arguments, str):
            return self.arguments
        return json.dumps(dict(self.arguments))


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One answer of the model.

    Attributes:
        text: the assistant's text; may be empty beside calls.
        calls: tool calls, all in this one message.
        status: HTTP status; anything but 200 answers with an error body.
        delay_s: seconds to wait before answering.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    status: int = 200
    delay_s: float = 0.0


def say(text: str) -> Step:
    """Answer with text."""
    return Step(text=text)


def call(name: str, /, **arguments: Any) -> Step:
    """Answer with a single tool call."""
    return Step(calls=(ToolCall(name=name, arguments=arguments),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request as it arrived.

    Attributes:
        index: place in the order of arrival, from 0.
        raw: the body's bytes.
        body: the same, parsed.
        tools_raw: the bytes of the tools array; empty where there is none.
    """

    index: int
    raw: bytes
    body: Mapping[str, Any]
    tools_raw: bytes

    @property
    def messages(self) -> Sequence[Mapping[str, Any]]:
        """The messages, system prompt first."""
        return [item for item in self.body.get("messages") or () if isinstance(item, Mapping)]

    @property
    def tools(self) -> tuple[str, ...]:
        """Names of the tools offered, in order."""
        return tuple(tool["function"]["name"] for tool in self.body.get("tools") or ())

    @property
    def system(self) -> str:
        """The system prompt, empty where there is none."""
        roles = {"system", "developer"}
        return "\n".join(
            wire.text_of(item.get("content")) for item in self.messages if item.get("role") in roles
        )

    @property
    def user_texts(self) -> tuple[str, ...]:
        """Every user message so far, oldest first."""
        return tuple(
            wire.text_of(item.get("content"))
            for item in self.messages
            if item.get("role") == "user"
        )

    @property
    def opener(self) -> str:
        """The conversation's first user message, which names the conversation."""
        return self.user_texts[0] if self.user_texts else ""

    @property
    def results(self) -> tuple[tuple[str, str], ...]:
        """(tool name, content) of each tool result so far, oldest first."""
        names = {
            item["id"]: item["function"]["name"]
            for message in self.messages
            for item in message.get("tool_calls") or ()
        }
        return tuple(
            (
                names.get(message.get("tool_call_id"), str(message.get("name", ""))),
                wire.text_of(message.get("content")),
            )
            for message in self.messages
            if message.get("role") == "tool"
        )

    @property
    def kind(self) -> Kind:
        """What the request is for."""
        if any(text.startswith(_REVIEW_OPENING) for text in self.user_texts[1:]):
            return Kind.REVIEW
        if not self.tools and len(self.system) < _AUXILIARY_SYSTEM_CHARS:
            return Kind.AUXILIARY
        return Kind.TURN


Reply = Step | Callable[[Request], Step]
Script = Sequence[Reply] | Callable[[Request], Step]
"""A list is consumed in order, separately by each conversation; a function sees every request."""
