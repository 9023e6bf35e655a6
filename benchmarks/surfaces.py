"""Requests that a real Hermes sent, as sizes."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..probe import wire
from ..probe.home import Contents
from ..probe.scene import Scene
from ..probe.script import Request, say
from ..probe.turns import Driven
from .openers import Opener
from .options import UsageError
from .vocabulary import Counter

__all__ = ["Size", "Surface", "drive_openers", "estimates", "minified", "require_hermes", "surface"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """Bytes as sent; tokens of the text, or of the minified JSON."""

    bytes: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """One request.

    Attributes:
        names: tools offered, in order.
        tools: the tools array.
        system: the system prompt.
        request: the whole body; its tokens are those of the array and of every message's text.
    """

    names: tuple[str, ...]
    tools: Size
    system: Size
    request: Size

    def as_json(self) -> dict[str, Any]:
        """The same as JSON values."""
        return asdict(self)


def require_hermes() -> None:
    """Make sure that this Python can run Hermes.

    Raises:
        UsageError: it cannot.
    """
    if importlib.util.find_spec("hermes_cli") is None:
        raise UsageError(
            "hermes-agent is not installed in this Python; "
            "run `make dev` and use .venv/bin/python, or use Hermes' own Python"
        )


def minified(value: object) -> str:
    """JSON without a needless byte, as tokens are counted on it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def surface(request: Request, counter: Counter) -> Surface:
    """Measure one request."""
    tools = request.body.get("tools") or []
    tool_tokens = counter.count(minified(tools)) if tools else 0
    system = Size(bytes=len(request.system.encode()), tokens=counter.count(request.system))
    messages = sum(counter.count(wire.text_of(item.get("content"))) for item in request.messages)
    return Surface(
        names=request.tools,
        tools=Size(bytes=len(request.tools_raw), tokens=tool_tokens),
        system=system,
        request=Size(bytes=len(request.raw), tokens=tool_tokens + messages),
    )


def drive_openers(
    scene: Scene, contents: Contents, openers: Sequence[Opener]
) -> tuple[tuple[Request, ...], Driven]:
    """Send each opener as a session of its own, all in one start of Hermes.

    Returns:
        The first request of each opener, in their order; and what the drive reported,
        fact ``registry`` included.

    Raises:
        RuntimeError: Hermes did not send them; the message has its output's end.
    """
    scene.fill(contents, [say("Done.")])
    plan: list[Mapping[str, Any]] = []
    for opener in openers:
        plan += [
            {"do": "agent", "agent": opener.id},
            {"do": "turn", "agent": opener.id, "say": opener.text},
        ]
    driven = scene.hermes.drive([*plan, {"do": "registry"}])
    first = {request.opener: request for request in reversed(scene.model.turns)}
    missing = [opener.id for opener in openers if opener.text not in first]
    if driven.fatal or missing:
        raise RuntimeError(
            f"Hermes sent no request for {missing}: {driven.fatal or driven.run.tail}"
        )
    return tuple(first[opener.text] for opener in openers), driven


def estimates(scene: Scene, items: Sequence[Mapping[str, Any]]) -> tuple[int, ...]:
    """Price ``{"messages": …, "tools": …}`` items with Hermes' own estimator.

    Raises:
        RuntimeError: Hermes has no such estimator.
    """
    file = scene.home.root / "estimate.json"
    file.write_text(json.dumps(list(items)), encoding="utf-8")
    driven = scene.hermes.drive([{"do": "estimate", "file": str(file)}])
    if driven.fatal:
        raise RuntimeError(f"Hermes' estimator is not there: {driven.fatal}")
    return tuple(driven.facts["estimates"])
