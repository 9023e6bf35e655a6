"""The turn classifier and the greeting case that it may narrow, as Hermes sees them."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..intent.followup_table import FollowupTable
from ..router.questions import Answers, ChoiceAnswer, NoulAnswer
from ..router.shaping import Moment, shape
from ..router.values import Opinion, Tier, ToolsetName
from .events import RequestEvent, ToolCallEvent, TurnEvent
from .features import Silent
from .host import is_registered
from .models import Models
from .once import Once
from .owners import owner_of
from .places import Place
from .resources import phrase_table
from .turn_classifier import TurnClassifier, TurnFacts
from .wire import read_tools, with_tools

__all__ = ["TurnFeature", "opinion_of"]

_log = logging.getLogger(__name__)

_NEEDS: Mapping[str, tuple[str, ...]] = {
    "needs_web": ("web",),
    "needs_browser": ("browser",),
    "needs_terminal": ("terminal",),
    "needs_files": ("file",),
    "should_delegate": ("delegation",),
}
"""Toolsets that the capability questions of the pack ``turn`` speak about."""
_CHOICES = ("intent", "complexity", "side_effects")
_REMOVABLE = frozenset(
    [
        "browser",
        "code_execution",
        "cronjob",
        "delegation",
        "file",
        "homeassistant",
        "image_gen",
        "session_search",
        "spotify",
        "terminal",
        "tts",
        "video",
        "video_gen",
        "vision",
        "web",
        "x_search",
    ]
)
"""Toolsets that a bare greeting may go without; everything else stays, unknown ones too."""


@dataclass(slots=True)
class _Session:
    turns: int = 0
    tool_seen: bool = False
    event: TurnEvent | None = None


class TurnFeature(Silent):
    """Asks once a turn before it begins; routing, gate and verifier read the answers."""

    name = "turn"

    def __init__(
        self,
        models: Models,
        phrases: Callable[[], FollowupTable] = phrase_table,
    ) -> None:
        self._models = models
        self._phrases = Once(phrases)  # reading them takes 30 ms, and every request passes here
        self._lock = threading.Lock()
        self._classifiers: dict[Path, tuple[object, TurnClassifier]] = {}
        self._sessions: OrderedDict[str, _Session] = OrderedDict()

    @property
    def hooks(self) -> Mapping[str, Callable[..., Any]]:
        """The end of a turn, after which late answers are discarded."""
        return {"on_session_end": self._on_session_end}

    # -- what the host calls ------------------------------------------------

    def turn(self, event: TurnEvent, place: Place) -> None:
        """Ask about a turn; returns within the deadline of the settings."""
        session = self._session(event.session_id, place)
        session.turns += 1
        session.event = event
        classifier = self._at(place)
        if classifier is not None:
            classifier.classify(
                TurnFacts(
                    session=event.session_id,
                    turn=event.turn_id,
                    message=event.message.text,
                    platform=event.platform,
                    model=event.model,
                    tool_workflow=session.tool_seen,
                )
            )

    def call(self, event: ToolCallEvent, place: Place) -> None:
        """Remember that the session has used a tool."""
        del place
        session = self._sessions.get(event.session_id)
        if session is not None:
            session.tool_seen = True

    def reshape(
        self, event: RequestEvent, request: Mapping[str, Any], place: Place
    ) -> Mapping[str, Any]:
        """The request of a fresh greeting without the tools that it cannot need."""
        shaping = place.settings.tool_shaping
        session = self._sessions.get(event.session_id)
        if not (place.routes and shaping.enabled) or session is None or session.event is None:
            return request
        tools = read_tools(request, event.api_mode, is_registered)
        if tools is None:
            return request
        settings, turn = place.settings, session.event
        others = settings.deterministic_rules_enabled or settings.classifier.enabled
        found = shape(
            request,
            Moment(
                text=turn.message.text,
                complete=not turn.message.unreadable,
                api_call_count=event.api_call_count or 1,
                is_first_turn=turn.is_first_turn,
                prior_turn=session.turns > 1,
                tool_seen=session.tool_seen,
                others_speak=others,
            ),
            self.answers(place, event.session_id, event.turn_id),
            phrases=self._phrases(),
            removable=frozenset(
                str(name) for name in tools.named if owner_of(name).toolset in _REMOVABLE
            ),
            min_confidence=shaping.min_confidence,
        )
        acts = place.settings.tool_shaping.mode == "enforce" and bool(found.keep)
        outcome = found.refused.value or ("shaped" if acts else "would_shape")
        _log.debug("tool-router: shaping outcome=%s", outcome)
        if settings.telemetry.enabled:
            place.store.count(f"shaping_{outcome}")
        if not acts:
            return request
        keep = tuple(name for name in tools.named if name in found.keep)
        return with_tools(request, tools, keep, descriptions={})

    # -- what other features read ---------------------------------------------

    def answers(self, place: Place, session: str, turn: str = "") -> Answers | None:
        """Answers of a turn if they are there; never asks and never waits."""
        classifier = self._at(place)
        return None if classifier is None else classifier.known(session, turn)

    def opinion(self, event: TurnEvent, place: Place) -> Opinion | None:
        """What the answers say about toolsets, ``None`` where there are none."""
        answers = self.answers(place, event.session_id, event.turn_id)
        return None if answers is None else opinion_of(answers)

    # -- bookkeeping ------------------------------------------------------------

    def _on_session_end(self, **kwargs: Any) -> None:
        """The end of a turn, not of the session (hermes-agent 0.19.0 turn_finalizer.py:615)."""
        session, turn = kwargs.get("session_id"), kwargs.get("turn_id")
        if isinstance(session, str):
            for _, classifier in list(self._classifiers.values()):
                classifier.turn_ended(session, turn if isinstance(turn, str) else "")

    def _session(self, session_id: str, place: Place) -> _Session:
        with self._lock:
            session = self._sessions.setdefault(session_id, _Session())
            self._sessions.move_to_end(session_id)
            while len(self._sessions) > place.settings.cache.max_turns:
                self._sessions.popitem(last=False)
        return session

    def _at(self, place: Place) -> TurnClassifier | None:
        settings = place.settings
        if not (place.routes and settings.turn_classifier.enabled):
            return None
        clients = self._models.at(place)
        if clients is None:
            return None
        with self._lock:
            known = self._classifiers.get(place.home)
            if known is None or known[0] is not clients:
                from ..classifier.packs import load_pack  # noqa: PLC0415 - with the HTTP stack

                fresh = TurnClassifier(
                    clients.system_one,
                    load_pack("turn"),
                    time.monotonic,
                    deadline_s=settings.system_one.timeout_s,
                    max_turns=settings.cache.max_turns,
                    ttl_s=settings.cache.ttl_seconds,
                )
                known = self._classifiers[place.home] = (clients, fresh)
            return known[1]


def opinion_of(answers: Answers) -> Opinion | None:
    """Turn answers as an opinion about toolsets.

    Confidence is the least of the three choices' (seed jev-router, "Turn
    classification").  ``None`` where nobody was asked, or where a choice or
    every need is missing; a question that failed is a failed opinion (D7).
    """
    from ..classifier.outcomes import ASKED_NOBODY, CallOutcome  # noqa: PLC0415 - where it is on

    if not answers.by_id and answers.outcome != CallOutcome.OK:
        if answers.outcome in ASKED_NOBODY:
            return None
        return Opinion(
            tier=Tier.SYSTEM_ONE, probabilities={}, confidence=0.0, failed=answers.outcome
        )
    choices = [answers.by_id.get(name) for name in _CHOICES]
    confident = [answer.confidence for answer in choices if isinstance(answer, ChoiceAnswer)]
    probabilities = {
        ToolsetName(toolset): answer.probability
        for need, toolsets in _NEEDS.items()
        if isinstance(answer := answers.by_id.get(need), NoulAnswer)
        for toolset in toolsets
    }
    if len(confident) < len(_CHOICES) or not probabilities:
        return None
    return Opinion(tier=Tier.SYSTEM_ONE, probabilities=probabilities, confidence=min(confident))
