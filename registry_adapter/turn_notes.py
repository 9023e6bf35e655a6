"""On whose behalf the calls of a session are made, bounded and in memory only."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass

from .events import TurnEvent
from .places import Place

__all__ = ["TurnNote", "TurnNotes"]

_SESSIONS = 1024
_CHARS = 4000


@dataclass(slots=True, kw_only=True)
class TurnNote:
    """The running turn of a session; empty fields where nothing is known."""

    turn_id: str = ""
    platform: str = ""
    message: str = ""
    """The user's words, head and tail of many; never written anywhere."""
    place: Place | None = None
    """Where the turn began."""
    fresh: bool = True
    """None of its requests was sent yet."""


_NOTHING = TurnNote()


class TurnNotes:
    """The latest turn of each session, the session used longest ago forgotten first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._turns: OrderedDict[str, TurnNote] = OrderedDict()
        self.enforcing = False
        """The gate enforced when it last judged a call."""

    def begin(self, event: TurnEvent) -> TurnNote:
        """A turn begins; returns its note."""
        note = TurnNote(
            turn_id=event.turn_id,
            platform=event.platform,
            message=_bounded(event.message.text),
        )
        with self._lock:
            self._turns[event.session_id] = note
            self._turns.move_to_end(event.session_id)
            while len(self._turns) > _SESSIONS:
                self._turns.popitem(last=False)
        return note

    def of(self, session_id: str) -> TurnNote:
        """The note of a session's latest turn."""
        return self._turns.get(session_id, _NOTHING)


def _bounded(text: str) -> str:
    if len(text) <= _CHARS:
        return text
    from ..risk_gate.approval import cut  # noqa: PLC0415 - loads the gate

    return cut(text, _CHARS)
