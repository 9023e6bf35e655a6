"""A session's surface as a value, and the only ways in which it may change.

The surface is kept as the ordered names of the tools that were sent, because
that is what the provider's prompt cache sees.

INVARIANT: within a session the names sent only grow, by appending (D4).
INVARIANT: what the host withdraws is absent while it is withdrawn, and back
in its old place afterwards.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from .errors import StateError
from .values import Catalog, Decision, Outcome, ToolName, ToolsetName

__all__ = [
    "DEARER",
    "UNNARROWED",
    "Phase",
    "SessionState",
    "append",
    "expand",
    "from_json",
    "grow",
    "inherit",
    "open_up",
    "pass_through",
    "sent_names",
    "settle",
    "start",
    "to_json",
]

VERSION = 1
DEARER = "cost.dearer"
"""Why a session is left whole: narrowing it would cost more (:mod:`.thrift`)."""


class Phase(StrEnum):
    """How far the session has come."""

    WAITING = "waiting"
    """Only greetings so far: the floor is sent, the first turn is still to come."""
    NARROWED = "narrowed"
    """Decided; only the names in ``order`` are sent."""
    OPEN = "open"
    """Everything is sent, the names in ``order`` first."""
    PASS = "pass"
    """Requests are not touched at all."""


UNNARROWED = (Phase.PASS, Phase.OPEN)
"""Phases in which nothing is held back and nothing joins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionState:
    """What one session sends.

    Attributes:
        session_id: the host's id.
        phase: see :class:`Phase`.
        order: names sent, in the order in which they joined; empty for ``pass``.
        toolsets: toolsets that were kept or added whole, in the order in which they joined.
        added: what joined after the first decision, oldest first.
        menu: description of ``request_toolset``, frozen so that its bytes never change.
        why: id of the reason for the phase, such as ``engine.tight`` or ``host.no_recovery``.
    """

    session_id: str
    phase: Phase
    order: tuple[ToolName, ...] = ()
    toolsets: tuple[ToolsetName, ...] = ()
    added: tuple[str, ...] = ()
    menu: str = ""
    why: str = ""


def pass_through(session_id: str, *, why: str) -> SessionState:
    """A session whose requests are never touched."""
    return SessionState(session_id=session_id, phase=Phase.PASS, why=why)


def start(session_id: str, decision: Decision, catalog: Catalog, *, menu: str) -> SessionState:
    """The state after a session's first message.

    A message that is no task yet (a greeting) leaves the session waiting on
    the floor; a full decision leaves the request alone.
    """
    if decision.outcome is Outcome.FULL:
        return pass_through(session_id, why=_why(decision))
    return SessionState(
        session_id=session_id,
        phase=Phase.NARROWED if decision.substantive else Phase.WAITING,
        order=_tools_of(decision.toolsets, catalog),
        toolsets=decision.toolsets,
        menu=menu,
        why=_why(decision),
    )


def expand(state: SessionState, decision: Decision, catalog: Catalog) -> SessionState:
    """The state after a later message: what it needs is appended, nothing leaves.

    For a waiting session the message is its first: the whole decision joins.
    Otherwise only strongly evident toolsets do.
    """
    if state.phase is Phase.WAITING and decision.substantive:
        if decision.outcome is Outcome.FULL:
            return replace(open_up(state), why=_why(decision))
        grown = _join(state, decision.toolsets, catalog, counts_as_added=False)
        return replace(grown, phase=Phase.NARROWED, why=_why(decision))
    if state.phase is not Phase.NARROWED:
        return state
    wanted = tuple([name for name in catalog.names if name in decision.evident])
    return _join(state, wanted, catalog, counts_as_added=True)


def grow(state: SessionState, toolsets: Iterable[ToolsetName], catalog: Catalog) -> SessionState:
    """Append whole toolsets; what is visible already stays where it is."""
    return _join(state, tuple(toolsets), catalog, counts_as_added=True)


def append(state: SessionState, tools: Iterable[ToolName]) -> SessionState:
    """Append single tools."""
    if state.phase in UNNARROWED:
        return state
    seen = set(state.order)
    fresh = tuple([name for name in dict.fromkeys(tools) if name not in seen])
    if not fresh:
        return state
    return replace(state, order=state.order + fresh, added=state.added + fresh)


def open_up(state: SessionState) -> SessionState:
    """Send everything from now on; the names sent so far keep their places."""
    if state.phase is Phase.PASS:
        return state
    return replace(state, phase=Phase.OPEN)


def settle(state: SessionState, granted: tuple[ToolName, ...]) -> SessionState:
    """Fix the places of tools that an open session sends for the first time."""
    if state.phase is not Phase.OPEN:
        return state
    known = set(state.order)
    fresh = tuple([name for name in granted if name not in known])
    return replace(state, order=state.order + fresh) if fresh else state


def inherit(parent: SessionState, session_id: str) -> SessionState:
    """The surface of a child session: its parent's, byte for byte."""
    return replace(parent, session_id=session_id)


def sent_names(state: SessionState, granted: tuple[ToolName, ...]) -> tuple[ToolName, ...] | None:
    """Names to send, in order, out of the names that the host granted.

    Args:
        state: the session.
        granted: names in the host's own request, in its order.

    Returns:
        ``None`` where the request is to be left alone.
    """
    if state.phase is Phase.PASS:
        return None
    available = set(granted)
    return tuple([name for name in settle(state, granted).order if name in available])


def to_json(state: SessionState) -> str:
    """One line of JSON that :func:`from_json` reads back."""
    return json.dumps(
        {
            "version": VERSION,
            "session_id": state.session_id,
            "phase": state.phase.value,
            "order": state.order,
            "toolsets": state.toolsets,
            "added": state.added,
            "menu": state.menu,
            "why": state.why,
        },
        ensure_ascii=True,
        separators=(",", ":"),
    )


def from_json(text: str) -> SessionState:
    """Read a state back.

    Raises:
        StateError: not JSON, of another version, or a field has a wrong type.
    """
    try:
        data: Any = json.loads(text)
        if not isinstance(data, Mapping) or data["version"] != VERSION:
            raise StateError("session state has another version; a new one is started")
        return SessionState(
            session_id=_text(data["session_id"]),
            phase=Phase(data["phase"]),
            order=tuple(ToolName(name) for name in _texts(data["order"])),
            toolsets=tuple(ToolsetName(name) for name in _texts(data["toolsets"])),
            added=_texts(data["added"]),
            menu=_text(data["menu"]),
            why=_text(data["why"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise StateError(f"session state does not read: {error}") from error


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected text, got {type(value).__name__}")
    return value


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise TypeError(f"expected a list, got {type(value).__name__}")
    return tuple(_text(item) for item in value)


def _why(decision: Decision) -> str:
    first = decision.reasons[0].rule if decision.reasons else ""
    return first if first == DEARER else f"engine.{decision.grade.value}"


def _tools_of(toolsets: Collection[ToolsetName], catalog: Catalog) -> tuple[ToolName, ...]:
    """Tools of the given toolsets in the host's own order, so that a route has one spelling."""
    names = {tool.name for ts in catalog.toolsets if ts.name in toolsets for tool in ts.tools}
    return tuple([name for name in catalog.order if name in names])


def _join(
    state: SessionState,
    toolsets: tuple[ToolsetName, ...],
    catalog: Catalog,
    *,
    counts_as_added: bool,
) -> SessionState:
    if not toolsets or state.phase in UNNARROWED:
        return state
    seen = set(state.order)
    fresh = tuple([name for name in _tools_of(toolsets, catalog) if name not in seen])
    named = tuple([name for name in toolsets if name not in state.toolsets])
    if not fresh:
        return state
    return replace(
        state,
        order=state.order + fresh,
        toolsets=state.toolsets + named,
        added=state.added + named if counts_as_added else state.added,
    )
