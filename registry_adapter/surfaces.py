"""One surface per session, from the first request to the last.

``pre_llm_call`` announces a turn; the turn's first request is the moment of
decision, because only the request says what the host granted.  Whatever goes
wrong on the way leaves the request as the host built it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from ..recovery.expansion import recover
from ..recovery.request import answer, menu
from ..router import session as sessions
from ..router.floor import pinned_tools
from ..router.session import DEARER, UNNARROWED, Phase, SessionState
from ..router.values import Catalog, Decision, ToolName
from .catalog import CatalogReader
from .events import RequestEvent, ToolCallEvent, TurnEvent
from .host import is_review_thread
from .live import Live, LiveSessions
from .places import Place
from .sending import can_recover, filtered, with_history, without_own_tool
from .wire import WireTools, read_tools, system_text

__all__ = ["UNROUTED_PLATFORMS", "Decider", "Record", "Surfaces"]

UNROUTED_PLATFORMS = frozenset({"subagent", "curator"})
"""Agents that Hermes starts with a grant of their own (tools/delegate_tool.py:1382,
agent/curator.py:1931)."""


class Decider(Protocol):
    """Chooses the toolsets for one message."""

    def decide(
        self, turn: TurnEvent, catalog: Catalog, place: Place, *, later_turn: bool
    ) -> Decision:
        """A decision; an error inside is a full one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What happened to one session.

    Attributes:
        kind: ``decision``, ``expansion``, ``recovery``, ``request``, ``inherit`` or ``pass``.
        shadow: the record says what would have happened.
        message: what was decided on; only its keyed digest is ever kept.
        micros: time that the decision took, in microseconds.
        names: toolsets or tools that the event added.
        tokens_full: cost of all granted schemas, in tokens.
        tokens_sent: cost of the schemas that go out, in tokens.
    """

    kind: str
    session_id: str
    platform: str
    shadow: bool
    state: SessionState
    message: str = ""
    micros: int = 0
    names: tuple[str, ...] = ()
    decision: Decision | None = None
    tokens_full: int = 0
    tokens_sent: int = 0


class Surfaces:
    """Keeps every session's surface.

    Args:
        places: home, settings and store of the turn that runs now, for the commands.
        decider: chooses toolsets.
        reader: turns a request's tools into a catalog.
        is_registered: whether the host knows a bare tool name.
        parent_of: id of the session that another one continues, empty where there is none.
        record: told of every change, in the caller's thread, before the state is kept.
        clock: seconds, for the time that a decision takes.
    """

    def __init__(
        self,
        *,
        places: Callable[[str], Place],
        decider: Decider,
        reader: CatalogReader,
        is_registered: Callable[[str], bool],
        parent_of: Callable[[Place, str], str],
        record: Callable[[Place, Record], None],
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._places = places
        self._decider = decider
        self._reader = reader
        self._is_registered = is_registered
        self._parent_of = parent_of
        self._record = record
        self._clock = clock
        self._live = LiveSessions()

    # -- what the host calls ------------------------------------------------

    def begin_turn(self, event: TurnEvent, place: Place) -> None:
        """Remember a turn until its first request.

        Background-review forks share their parent's session id and are no turn of it (D4).
        """
        if not event.session_id or is_review_thread():
            return
        if (place.routes and event.platform not in UNROUTED_PLATFORMS) or (
            place.routes and place.settings.route_subagents
        ):
            self._live.entry(place, event.session_id).turn = event

    def narrow(
        self, event: RequestEvent, request: Mapping[str, Any], place: Place
    ) -> Mapping[str, Any]:
        """The request to send: a new one, or ``request`` itself where nothing changes."""
        if not event.session_id:
            return request
        if not place.routes:
            tools = read_tools(request, event.api_mode, self._is_registered)
            return request if tools is None else without_own_tool(request, tools)
        live = self._live.entry(place, event.session_id)
        with live.lock:
            tools = read_tools(request, event.api_mode, self._is_registered, before=live.tools)
            if tools is None:
                return request
            catalog = self._catalog(live, tools)
            turn = _announced(live.turn, event)
            fresh = turn is not None and _begins(turn)
            # What a first turn decides rests on nothing that was kept.
            state = before = None if fresh else self._state(place, live, event.session_id)
            if turn is not None:
                live.turn = None
                if before is None:
                    if place.settings.refrain_where_dearer:
                        turn = turn.sent_with(event, system_text(request))
                    state = self._first(place, turn, tools, catalog, fresh=fresh)
                else:
                    state = self._later(place, turn, before, catalog)
            if state is None:
                return request
            state = with_history(state, request, catalog)
            state = sessions.settle(state, tools.named)
            self._keep(place, live, before, state)
            if place.shadow or state.why == DEARER:  # stock's own bytes: a cache may hold them
                return without_own_tool(request, tools)
            return filtered(request, tools, state, live.sent(state, tools))

    def called(self, event: ToolCallEvent, place: Place) -> None:
        """Let a called tool's toolset join the surface."""
        if not event.session_id or is_review_thread():
            return
        live, state = self._known(event.session_id, place)
        if live is None or state is None or live.catalog is None:
            return
        with live.lock:
            grown = recover(state, ToolName(event.tool), live.catalog)
            if grown is state:
                return
            self._tell(place, "recovery", grown, live.catalog, before=state)
            self._keep(place, live, state, grown)

    def asked(self, session_id: str, args: Mapping[str, object]) -> Mapping[str, object]:
        """Handle one call of ``request_toolset``."""
        place = self._places("")
        live, state = self._known(session_id, place)
        if live is None or live.catalog is None or state is None:
            return {
                "success": True,
                "note": "nothing is held back here: every granted tool can be called by name",
            }
        with live.lock:
            reply = answer(state, args, live.catalog)
            if reply.state is not state:
                self._tell(place, "request", reply.state, live.catalog, before=state)
                self._keep(place, live, state, reply.state)
        return reply.payload

    # -- what the commands call ----------------------------------------------

    def state(self, session_id: str) -> SessionState | None:
        """The session's state, ``None`` where it is not known."""
        return self._known(session_id, self._places(""))[1]

    def only_session(self) -> str:
        """The session that this process routes, empty if there are several or none."""
        return self._live.only()

    def open(self, session_id: str) -> SessionState | None:
        """Send everything for the rest of the session."""
        place = self._places("")
        live, state = self._known(session_id, place)
        if live is None or state is None:
            return None
        with live.lock:
            opened = sessions.open_up(state)
            self._keep(place, live, state, opened)
        return opened

    # -- steps ----------------------------------------------------------------

    def _later(
        self, place: Place, turn: TurnEvent, state: SessionState, catalog: Catalog
    ) -> SessionState:
        """The state once a later turn is decided."""
        nothing_held_back = (
            state.phase is not Phase.WAITING
            and len(catalog.order) <= len(state.order)
            and set(catalog.order) <= set(state.order)
        )
        if (
            state.phase in UNNARROWED
            or nothing_held_back
            or not place.settings.expand_on_later_turns
        ):
            return state
        started = self._clock()
        decision = self._decider.decide(turn, catalog, place, later_turn=True)
        grown = sessions.expand(state, decision, catalog)
        if grown is not state:
            self._tell(
                place,
                "expansion",
                grown,
                catalog,
                before=state,
                turn=turn,
                decision=decision,
                started=started,
            )
        return grown

    def _first(
        self, place: Place, turn: TurnEvent, tools: WireTools, catalog: Catalog, *, fresh: bool
    ) -> SessionState:
        if not (place.shadow or can_recover(tools)):
            state = sessions.pass_through(turn.session_id, why="host.no_request_toolset")
            self._tell(place, "pass", state, catalog, turn=turn)
            return state
        if not fresh:
            return self._inherited(place, turn, catalog)
        started = self._clock()
        decision = self._decider.decide(turn, catalog, place, later_turn=False)
        state = sessions.start(turn.session_id, decision, catalog, menu=menu(catalog))
        state = sessions.append(state, pinned_tools(catalog, place.settings.floor_tools))
        self._tell(place, "decision", state, catalog, turn=turn, decision=decision, started=started)
        return state

    def _inherited(self, place: Place, turn: TurnEvent, catalog: Catalog) -> SessionState:
        """A session with a past that we have not seen: its parent's surface, or none of ours."""
        candidates = [turn.origin_session, self._parent_of(place, turn.session_id)]
        for parent_id in candidates:
            if parent_id and parent_id != turn.session_id:
                parent = place.store.get(parent_id)
                if parent is not None:
                    state = sessions.inherit(parent, turn.session_id)
                    self._tell(place, "inherit", state, catalog, turn=turn)
                    return state
        state = sessions.pass_through(turn.session_id, why="host.unknown_history")
        self._tell(place, "pass", state, catalog, turn=turn)
        return state

    # -- bookkeeping ------------------------------------------------------------

    def _known(self, session_id: str, place: Place) -> tuple[Live | None, SessionState | None]:
        live = self._live.find(place, session_id)
        if live is None:
            return None, place.store.get(session_id) if session_id else None
        return live, self._state(place, live, session_id)

    def _state(self, place: Place, live: Live, session_id: str) -> SessionState | None:
        return live.shadow_state if place.shadow else place.store.get(session_id)

    def _keep(
        self, place: Place, live: Live, before: SessionState | None, state: SessionState
    ) -> None:
        if state is before:
            return
        if place.shadow:
            live.shadow_state = state  # shadow leaves no trace that enforce could act on
        elif state == before:
            place.store.flush()  # nothing new but what was told of it
        else:
            place.store.put(state)

    def _catalog(self, live: Live, tools: WireTools) -> Catalog:
        known = live.tools
        if known is not tools:
            if live.catalog is None or known is None or known.named != tools.named:
                live.catalog = self._reader.read(tools)
            live.tools = tools
        assert live.catalog is not None  # read with the first tools
        return live.catalog

    def _tell(
        self,
        place: Place,
        kind: str,
        state: SessionState,
        catalog: Catalog,
        *,
        before: SessionState | None = None,
        turn: TurnEvent | None = None,
        decision: Decision | None = None,
        started: float | None = None,
    ) -> None:
        sent = _cost(state, catalog)
        known = len(before.added) if before else 0
        self._record(
            place,
            Record(
                kind=kind,
                session_id=state.session_id,
                platform=turn.platform if turn else "",
                shadow=place.shadow,
                state=state,
                message=turn.message.text if turn else "",
                micros=0 if started is None else round((self._clock() - started) * 1e6),
                names=tuple(str(name) for name in state.added[known:]),
                decision=decision,
                tokens_full=catalog.tokens,
                tokens_sent=sent,
            ),
        )


def _cost(state: SessionState, catalog: Catalog) -> int:
    """Tokens of what the state sends."""
    names = sessions.sent_names(state, catalog.order)
    if names is None:
        return catalog.tokens
    costs = {spec.name: spec.tokens for ts in catalog.toolsets for spec in ts.tools}
    return sum(costs[name] for name in names)


def _announced(turn: TurnEvent | None, event: RequestEvent) -> TurnEvent | None:
    """The turn whose first request this is, background reviews aside; ``None``: a later one."""
    if turn is None or turn.turn_id != event.turn_id or is_review_thread():
        return None
    return turn


def _begins(turn: TurnEvent) -> bool:
    """Whether a turn is the first of its session."""
    return turn.is_first_turn and turn.origin_session in {"", turn.session_id}
