"""Find the JSON object in what a chat model says, and nothing more than that."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..router.values import ToolsetName
from .errors import MalformedError, StatusError

__all__ = ["ChatReply", "Choice", "read_choice", "read_reply"]

_TRIES: Final = 20
_CLOSED = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_TAIL = re.compile(r"</think(?:ing)?>")
_MODEL = re.compile(r"[\w~./:@+-]{1,128}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """A completion, as far as it matters here."""

    content: str
    model: str
    input_tokens: int | None
    output_tokens: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What the model chose."""

    toolsets: tuple[ToolsetName, ...]
    confidence: float


def read_reply(body: bytes) -> ChatReply:
    """Read a completion.

    Raises:
        MalformedError: not a completion, or one without text.
        StatusError: an error under status 200.
    """
    try:
        data: Any = json.loads(body.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise MalformedError("completion is not JSON") from error
    if not isinstance(data, dict):
        raise MalformedError("completion is not a JSON object")
    choices = data.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        if data.get("error"):
            raise StatusError("error under status 200", status=200)
        raise MalformedError("completion has no choices")
    if choices[0].get("finish_reason") == "length":
        raise MalformedError("answer was cut at the token limit")
    message = choices[0].get("message")
    content = _content(message if isinstance(message, dict) else {})
    usage = data.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    model = data.get("model")
    return ChatReply(
        content=content,
        model=model if isinstance(model, str) and _MODEL.fullmatch(model) else "",
        input_tokens=_count(usage.get("prompt_tokens")),
        output_tokens=_count(usage.get("completion_tokens")),
    )


def read_choice(content: str, allowed: frozenset[ToolsetName]) -> Choice:
    """Read the model's choice.

    Args:
        content: what it said; thinking and fences around the object are ignored.
        allowed: names that it was offered.

    Raises:
        MalformedError: no such object, a name that was not offered, or no usable
            confidence.
    """
    found = _first_object(content)
    names = found.get("toolsets")
    confidence = found.get("confidence")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise MalformedError("'toolsets' is not a list of names")
    if not allowed.issuperset(names):
        raise MalformedError("'toolsets' holds a name that was not offered")
    if isinstance(confidence, bool) or not isinstance(confidence, int | float):
        raise MalformedError("no confidence")
    if not math.isfinite(confidence) or not 0 <= confidence <= 1:
        raise MalformedError("confidence is not from 0 to 1")
    chosen = tuple(dict.fromkeys(ToolsetName(name) for name in names))
    return Choice(toolsets=chosen, confidence=float(confidence))


def _content(message: Mapping[str, Any]) -> str:
    """The text of a message; reasoning counts only where there is no other text.

    vLLM puts the JSON there when thinking and a grammar meet (its issues 15618, 19222).
    """
    for key in ("content", "reasoning_content", "reasoning"):
        text = message.get(key)
        if isinstance(text, list):
            parts = [part.get("text") for part in text if isinstance(part, dict)]
            text = "".join(part for part in parts if isinstance(part, str))
        if isinstance(text, str) and text.strip():
            return text
    blank = MalformedError("blank answer")
    blank.retryable = True  # DeepSeek's JSON mode can answer blank once (its JSON mode guide)
    raise blank


def _first_object(content: str) -> Mapping[str, Any]:
    text = _CLOSED.sub("", content)
    text = _TAIL.split(text)[-1]  # thinking whose start was swallowed by the template
    decoder = json.JSONDecoder()
    at = -1
    for _ in range(_TRIES):
        at = text.find("{", at + 1)
        if at < 0:
            break
        try:
            found = decoder.raw_decode(text, at)[0]
        except (ValueError, RecursionError):
            continue
        if "toolsets" in found:
            return dict(found)
    raise MalformedError("no JSON object with 'toolsets' in the answer")


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
