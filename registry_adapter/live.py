"""What is known of the sessions of this process while it runs."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field

from ..router.session import SessionState, sent_names
from ..router.values import Catalog, ToolName
from .events import TurnEvent
from .places import Place
from .wire import WireTools

__all__ = ["Live", "LiveSessions"]

_SESSIONS = 1024
"""Sessions whose catalog is kept in memory; an evicted one is read again from its next request."""


@dataclass(slots=True)
class Live:
    """One session.  Everything but ``turn`` is read and written under its lock."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    turn: TurnEvent | None = None
    """Announced, and not decided yet."""
    tools: WireTools | None = None
    """The tools of its last request."""
    catalog: Catalog | None = None
    """Those tools as a catalog."""
    shadow_state: SessionState | None = None
    _sent: tuple[SessionState, WireTools, tuple[ToolName, ...] | None] | None = None

    def sent(self, state: SessionState, tools: WireTools) -> tuple[ToolName, ...] | None:
        """Names to send; worked out once for as long as neither state nor tools change."""
        known = self._sent
        if known is None or known[0] is not state or known[1] is not tools:
            known = self._sent = state, tools, sent_names(state, tools.named)
        return known[2]


class LiveSessions:
    """The sessions used last, by home and session id."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sessions: OrderedDict[tuple[str, str], Live] = OrderedDict()

    def entry(self, place: Place, session_id: str) -> Live:
        """The session, made where it is not there."""
        key = (str(place.home), session_id)
        with self._lock:
            live = self._sessions.get(key)
            if live is None:
                live = self._sessions[key] = Live()
                while len(self._sessions) > _SESSIONS:
                    self._sessions.popitem(last=False)
            else:
                self._sessions.move_to_end(key)
            return live

    def find(self, place: Place, session_id: str) -> Live | None:
        """The session, ``None`` where it is not there."""
        with self._lock:
            return self._sessions.get((str(place.home), session_id))

    def only(self) -> str:
        """The id of the one session that is there, empty if there are several or none."""
        with self._lock:
            ids = {session_id for _home, session_id in self._sessions}
        return ids.pop() if len(ids) == 1 else ""
