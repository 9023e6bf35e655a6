"""Quirks of OpenAI-compatible servers: what is sent first, and what after a refusal.

Every server takes a slightly different request.  A :class:`Shape` says what one
request carries; :func:`next_shape` reads a refusal and gives the shape to try
next.  The shape that worked is remembered per endpoint and model, so a refusal
is met once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, Final, Literal

__all__ = ["Level", "Provider", "Shape", "first_shape", "next_shape", "request_body"]

Provider = Literal["deepseek", "openrouter", "custom"]


class Level(IntEnum):
    """How strictly the form of the answer is asked for."""

    SCHEMA = 0
    OBJECT = 1
    PROMPT = 2
    """By words alone; every level carries these words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What a request carries besides model and messages.

    Attributes:
        level: how the form of the answer is asked for.
        token_field: the server's name for the limit of the answer.
        temperature: 0 is sent; some models take their default only.
        extras: switches that turn thinking off, and OpenRouter's preferences.
        swapped: the token field was renamed once already.
    """

    level: Level = Level.SCHEMA
    token_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True
    extras: Mapping[str, Any]
    swapped: bool = False


_ANSWER_TOKENS: Final = 512
"""Enough for a list of names, and for some thinking where it cannot be turned off."""

# Turning thinking off, as each documents it: DeepSeek's API reference; OpenRouter's
# reasoning parameter; Ollama takes reasoning_effort, llama.cpp and vLLM template arguments.
_DEEPSEEK = {"thinking": {"type": "disabled"}}
_OPENROUTER = {"provider": {"require_parameters": True}, "reasoning": {"enabled": False}}
_LOCAL = {"reasoning_effort": "none", "chat_template_kwargs": {"enable_thinking": False}}
_WORDS_OF = {
    "provider": ("no endpoints", "require_parameters", "provider"),
    "thinking": ("thinking",),
    "reasoning": ("reasoning",),
    "reasoning_effort": ("reasoning_effort", "reasoning effort", "think", "effort"),
    "chat_template_kwargs": ("chat_template_kwargs", "enable_thinking", "template"),
}
_FORM_WORDS = ("response_format", "json_schema", "json_object", "schema", "grammar", "structured")


def first_shape(provider: Provider, host: str, *, on_this_machine: bool) -> Shape:
    """What to send to an endpoint that nothing is known about yet."""
    if provider == "deepseek":
        return Shape(level=Level.OBJECT, extras=_DEEPSEEK)  # it knows no schema
    if provider == "openrouter":
        return Shape(extras=_OPENROUTER)
    if host == "api.openai.com":
        # Its present models refuse max_tokens and any temperature but the default.
        return Shape(token_field="max_completion_tokens", temperature=False, extras={})
    return Shape(extras=_LOCAL if on_this_machine else {})


def next_shape(shape: Shape, refusal: str) -> Shape | None:
    """What to send after a refusal.

    Args:
        shape: what was refused.
        refusal: body of the refusal, any case; read for the name of a parameter.

    Returns:
        The next shape; ``None`` if nothing is left to change.  Each change is
        made once, so a chain of refusals ends.
    """
    said = refusal.lower()
    token_words = ("max_tokens", "max_completion_tokens")
    if not shape.swapped and any(word in said for word in token_words):
        other: Literal["max_tokens", "max_completion_tokens"] = (
            "max_completion_tokens" if shape.token_field == "max_tokens" else "max_tokens"
        )
        return replace(shape, token_field=other, swapped=True)
    if shape.temperature and "temperature" in said:
        return replace(shape, temperature=False)
    if any(word in said for word in _FORM_WORDS) and shape.level is not Level.PROMPT:
        return _looser(shape, said)
    for name in shape.extras:
        if any(word in said for word in _WORDS_OF[name]):
            left = {key: value for key, value in shape.extras.items() if key != name}
            return replace(shape, extras=left)
    # Nothing is named: the form is what servers refuse most often.
    return None if shape.level is Level.PROMPT else _looser(shape, said)


def request_body(
    shape: Shape, *, model: str, messages: list[dict[str, str]], schema: Mapping[str, Any]
) -> dict[str, Any]:
    """The request as a JSON object."""
    body: dict[str, Any] = {"model": model, "messages": messages}
    body[shape.token_field] = _ANSWER_TOKENS
    if shape.temperature:
        body["temperature"] = 0
    if shape.level is Level.SCHEMA:
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "route", "strict": True, "schema": schema},
        }
    elif shape.level is Level.OBJECT:
        body["response_format"] = {"type": "json_object"}
    return {**body, **shape.extras}


def _looser(shape: Shape, said: str) -> Shape:
    """One level down; two where the server says that it knows no JSON mode but the schema."""
    skip = shape.level is Level.SCHEMA and "must be 'text'" in said
    return replace(shape, level=Level.PROMPT if skip else Level(shape.level + 1))
