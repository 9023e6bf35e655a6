"""Host kwargs to frozen events.

Hermes adds keyword arguments between versions, so every reader takes what it
knows and tolerates the rest.  Nothing here raises on an odd value: it becomes
the empty value of its type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..router.values import Message

__all__ = ["RequestEvent", "Sending", "ToolCallEvent", "TurnEvent", "message_from"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """What the price of a session rests on, as its first request shows it.

    Attributes:
        model: the host's name of it.
        base_url: where it is asked; empty where that is not known.
        system: the system prompt.
        begins: a session begins; false for a question what would happen if one did.
    """

    model: str
    base_url: str
    system: str
    begins: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEvent:
    """``pre_llm_call``: a user turn begins (hermes-agent 0.19.0 agent/turn_context.py:692)."""

    session_id: str
    turn_id: str
    platform: str
    message: Message
    is_first_turn: bool
    """No history was given to this run; also true after a rotating compression."""
    model: str = ""
    """The agent's own model."""
    sending: Sending | None = None
    """Added with the first request, where the settings need it."""

    @property
    def origin_session(self) -> str:
        """Session that the turn id was made for: another one after a rotation."""
        return self.turn_id.split(":", 1)[0] if ":" in self.turn_id else ""

    def sent_with(self, event: RequestEvent, system: str) -> TurnEvent:
        """The turn with what the price of its request rests on."""
        return replace(
            self, sending=Sending(model=event.model, base_url=event.base_url, system=system)
        )

    @classmethod
    def read(cls, kwargs: Mapping[str, object]) -> TurnEvent:
        """Read the hook's keyword arguments."""
        session, turn, platform, model = _texts(
            kwargs, ("session_id", "turn_id", "platform", "model")
        )
        return cls(
            session_id=session,
            turn_id=turn,
            platform=platform.lower(),
            message=message_from(kwargs.get("user_message")),
            is_first_turn=kwargs.get("is_first_turn") is True,
            model=model,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestEvent:
    """``llm_execution``: one provider request is about to be sent."""

    session_id: str
    turn_id: str
    platform: str
    api_mode: str
    model: str
    base_url: str = ""
    api_call_count: int = 0
    """Which request of the turn this is, from 1; 0 where the host does not say."""

    @classmethod
    def read(cls, kwargs: Mapping[str, object]) -> RequestEvent:
        """Read the middleware's keyword arguments."""
        session, turn, platform, api_mode, model, base_url = _texts(
            kwargs, ("session_id", "turn_id", "platform", "api_mode", "model", "base_url")
        )
        return cls(
            session_id=session,
            turn_id=turn,
            platform=platform.lower(),
            api_mode=api_mode,
            model=model,
            base_url=base_url,
            api_call_count=_count(kwargs.get("api_call_count")),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallEvent:
    """``tool_request`` or ``pre_tool_call``: the model called a tool.

    Calls nested in ``execute_code`` carry neither session nor turn.
    """

    session_id: str
    turn_id: str
    call_id: str
    tool: str
    args: object

    @classmethod
    def read(cls, kwargs: Mapping[str, object]) -> ToolCallEvent:
        """Read the middleware's or the hook's keyword arguments."""
        session, turn, call, tool = _texts(
            kwargs, ("session_id", "turn_id", "tool_call_id", "tool_name")
        )
        return cls(
            session_id=session, turn_id=turn, call_id=call, tool=tool, args=kwargs.get("args")
        )


def message_from(content: object) -> Message:
    """A user message from the host's content: text, or a list of typed parts.

    Text parts are joined by newlines.  A shape that nobody here knows makes
    the message unreadable, which keeps every tool.
    """
    if isinstance(content, str):
        return Message(text=content)
    if not isinstance(content, Sequence):
        return Message(text="", unreadable=content is not None)
    texts: list[str] = []
    kinds: set[str] = set()
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping):
            text, kind = _part(part)
            texts.extend(text)
            kinds.add(kind)
        else:
            kinds.add("unknown")
    return Message(
        text="\n".join(texts),
        has_image="image" in kinds,
        has_audio="audio" in kinds,
        has_file="file" in kinds,
        unreadable="unknown" in kinds,
    )


def _part(part: Mapping[object, object]) -> tuple[list[str], str]:
    kind = str(part.get("type", "")).lower()
    text = part.get("text")
    if kind in {"text", "input_text"} or (not kind and isinstance(text, str)):
        return ([text] if isinstance(text, str) else []), "text"
    for known in ("image", "audio", "file", "document"):
        if known in kind:
            return [], "file" if known == "document" else known
    return [], "unknown"


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _texts(kwargs: Mapping[str, object], names: tuple[str, ...]) -> list[str]:
    """The values of some keywords; empty for what is no text."""
    return [value if isinstance(value, str) else "" for value in map(kwargs.get, names)]
