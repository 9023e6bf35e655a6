"""The verifier as Hermes sees it: evidence after each call, a word before a turn ends."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..router.questions import Answers
from ..verifier.judge import Ask, Attempt, Nudge, annotation, judge, unsupported
from ..verifier.ledger import Ledger, ToolResult, observe
from .events import TurnEvent
from .features import Silent
from .guard import Guard
from .places import Place, Places
from .verify_resources import claim_table, file_table, verify_tables

__all__ = ["Asker", "VerifyFeature"]

_log = logging.getLogger(__name__)

Asker = Callable[[Place, str, object], Answers | None]
"""``ask(place, pack, state)``: a decision model's answers, ``None`` where none may be asked."""


@dataclass(slots=True)
class _Session:
    """What is known of a session while the process runs."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    ledger: Ledger = field(default_factory=Ledger)
    turn: str = ""
    platform: str = ""
    open_turns: int = 0
    """Turns that have begun and not ended; with two, who knows only the session abstains."""
    nudges: int = 0
    """Continuations of the running turn."""
    changed: tuple[str, ...] = ()
    """Files that landed writes changed in this turn, as ``pre_verify`` named them last."""


class VerifyFeature(Silent):
    """Compares completion claims with what the session's calls showed.

    Args:
        guard: turns faults into "nothing to say".
        places: settings and store of the running turn.
        ask: asks a decision model.
    """

    name = "verify"

    def __init__(self, guard: Guard, places: Places, ask: Asker) -> None:
        self._guard = guard
        self._places = places
        self._ask = ask
        self._tables = verify_tables()
        self._files = file_table()
        self._claims = claim_table()
        self._lock = threading.Lock()
        self._sessions: OrderedDict[str, _Session] = OrderedDict()

    @property
    def hooks(self) -> Mapping[str, Callable[..., Any]]:
        """Evidence, the word before a turn ends, the line under an answer, the end of a turn."""
        return {
            "post_tool_call": self._post_tool_call,
            "pre_verify": self._pre_verify,
            "transform_llm_output": self._transform_llm_output,
            "on_session_end": self._on_session_end,
        }

    def turn(self, event: TurnEvent, place: Place) -> None:
        """A turn begins: its continuations are counted from zero."""
        if not _is_on(place) or not event.session_id:
            return
        session = self._session(event.session_id, place)
        with session.lock:
            session.turn, session.platform = event.turn_id, event.platform
            session.nudges, session.changed = 0, ()
            session.open_turns += 1

    # -- hooks ----------------------------------------------------------------

    def _post_tool_call(self, **kwargs: Any) -> None:
        self._guard.run("verify.observe", lambda: self._observe(kwargs), lambda: None)

    def _pre_verify(self, **kwargs: Any) -> dict[str, str] | None:
        return self._guard.run("verify.judge", lambda: self._judge(kwargs), lambda: None)

    def _transform_llm_output(self, **kwargs: Any) -> str | None:
        return self._guard.run("verify.claims", lambda: self._claimed(kwargs), lambda: None)

    def _on_session_end(self, **kwargs: Any) -> None:
        """The end of a turn, not of the session (hermes-agent 0.19.0 turn_finalizer.py:615)."""
        session = self._sessions.get(_text(kwargs.get("session_id")))
        if session is not None:
            with session.lock:
                session.open_turns = max(0, session.open_turns - 1)

    # -- steps ----------------------------------------------------------------

    def _observe(self, kwargs: Mapping[str, Any]) -> None:
        session_id = _text(kwargs.get("session_id"))
        session = self._sessions.get(session_id)
        if session is None:
            return
        result = ToolResult(
            tool=_text(kwargs.get("tool_name")),
            args=kwargs.get("args"),
            result=_text(kwargs.get("result")),
            status=_text(kwargs.get("status")) or "ok",
            turn=_text(kwargs.get("turn_id")),
        )
        with session.lock:
            session.ledger = observe(session.ledger, result, self._tables, self._files)

    def _judge(self, kwargs: Mapping[str, Any]) -> dict[str, str] | None:
        session, place = self._found(kwargs)
        if session is None or session.open_turns > 1:
            return None
        settings = place.settings.verify
        attempt = Attempt(
            answer=_text(kwargs.get("final_response")),
            changed_paths=_paths(kwargs.get("changed_paths")),
            number=session.nudges,
            max_nudges=settings.max_nudges,
            threshold=settings.continue_threshold,
            use_model=settings.use_model,
        )
        ledger, turn, session.changed = session.ledger, session.turn, attempt.changed_paths
        found = judge(ledger, attempt, self._files, self._claims)
        if isinstance(found, Ask):
            answers = self._ask(place, found.pack, found.state)
            if answers is None or session.turn != turn:
                return None  # nobody was asked, or the turn has ended meanwhile
            found = judge(ledger, attempt, self._files, self._claims, answers)
        if not isinstance(found, Nudge):
            return None
        with session.lock:
            session.nudges += 1
        acts = place.settings.verify.mode == "enforce"
        self._note(place, "nudge" if acts else "would_nudge", found.reason)
        return {"action": "continue", "message": found.message} if acts else None

    def _claimed(self, kwargs: Mapping[str, Any]) -> str | None:
        """Claims that no call bears out: logged, and said under the answer where that is wanted."""
        session, place = self._found(kwargs)
        answer = _text(kwargs.get("response_text"))
        if session is None or not answer or session.open_turns > 1:
            return None
        for gap in unsupported(session.ledger, answer, self._claims, session.turn):
            self._note(place, "would_nudge", gap.reason)
        settings = place.settings.verify
        if not (settings.annotate and place.settings.verify.mode == "enforce"):
            return None
        attempt = Attempt(answer=answer, changed_paths=session.changed)
        line = annotation(session.ledger, attempt, self._files, self._claims, session.turn)
        return f"{answer}\n\n{line}" if line else None

    # -- bookkeeping ------------------------------------------------------------

    def _found(self, kwargs: Mapping[str, Any]) -> tuple[_Session | None, Place]:
        session = self._sessions.get(_text(kwargs.get("session_id")))
        place = self._places(session.platform if session else "")
        return (session if _is_on(place) else None), place

    def _session(self, session_id: str, place: Place) -> _Session:
        with self._lock:
            session = self._sessions.setdefault(session_id, _Session())
            self._sessions.move_to_end(session_id)
            while len(self._sessions) > place.settings.cache.max_turns:
                self._sessions.popitem(last=False)
        return session

    def _note(self, place: Place, outcome: str, reason: str) -> None:
        _log.debug("tool-router: verify outcome=%s reason=%s", outcome, reason)
        if place.settings.telemetry.enabled:
            place.store.count(f"verify_{outcome}")
            place.store.count(f"verify_{outcome}.{reason}")


def _is_on(place: Place) -> bool:
    return place.routes and place.settings.verify.enabled


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _paths(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple | set | frozenset):
        return ()
    return tuple(sorted(item for item in value if isinstance(item, str)))
