"""One question per turn to the decision model, shared by everything that reads it.

Routing, the gate and the verifier read the same answers.  ``pre_llm_call``
asks; nothing asks from the request path.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ..router.questions import Answers, QuestionPack
from ..router.turns import (
    TurnBook,
    begin,
    complete,
    for_session,
    forget,
    lookup,
    settle,
    with_local_turn,
)

__all__ = ["Asker", "TurnClassifier", "TurnFacts"]


class Asker(Protocol):
    """What the classifier needs of a client; ``SystemOneClient`` has it."""

    def ask(self, state: object, pack: QuestionPack, *, deadline_s: float) -> Answers:
        """Ask all questions of a pack; never raises, and returns by the deadline."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFacts:
    """All that a decision model learns about a turn; no history is among it.

    Attributes:
        session: empty switches the classifier off for this turn.
        turn: empty gets a local id.
        message: the user's words.
        platform: the channel, as the host calls it.
        model: the agent's model.
        tool_workflow: a tool was called earlier in the session.
    """

    session: str
    turn: str
    message: str
    platform: str = ""
    model: str = ""
    tool_workflow: bool = False


class TurnClassifier:
    """Asks once a turn, however many threads want to know."""

    def __init__(
        self,
        client: Asker,
        pack: QuestionPack,
        clock: Callable[[], float],
        *,
        deadline_s: float,
        max_turns: int,
        ttl_s: float,
    ) -> None:
        """Prepare; nothing is asked yet.

        Args:
            client: asked at most once a turn.
            pack: the questions (``turn``).
            clock: a monotonic clock, in seconds.
            deadline_s: longest time that one call of :meth:`classify` takes.
            max_turns: turns remembered (``cache.max_turns``).
            ttl_s: seconds that a turn is remembered (``cache.ttl_seconds``).
        """
        self._client = client
        self._pack = pack
        self._clock = clock
        self._deadline_s = deadline_s
        self._book = TurnBook(max_turns=max_turns, ttl_s=ttl_s)
        self._settled = threading.Condition()

    def classify(self, facts: TurnFacts) -> Answers | None:
        """Answers for a turn, asked now if nobody has; ``None``: no session, or not in time.

        A failed question is an answer too (``Answers.outcome`` says why) and
        is not repeated within the turn.
        """
        if not facts.session:
            return None
        end = self._clock() + self._deadline_s
        with self._settled:
            self._book, key = with_local_turn(self._book, (facts.session, facts.turn))
            state = self._state(facts, key)
            self._book, begun = begin(self._book, key, self._clock())
            if not begun.ticket:
                return begun.answers or self._wait(key, end)
        answers = Answers(by_id={}, outcome="failed")
        try:
            answers = self._client.ask(state, self._pack, deadline_s=self._deadline_s)
        finally:
            # Whatever happened, nobody may wait for this question any longer.
            with self._settled:
                self._book, in_time = settle(self._book, key, begun.ticket, answers, self._clock())
                self._settled.notify_all()
        return answers if in_time else None

    def known(self, session: str, turn: str = "") -> Answers | None:
        """Answers of a turn if they are there; never asks and never waits for an answer.

        Without a turn id: those of the session's only unfinished turn; with
        two unfinished turns nobody can tell, and nothing is returned.
        """
        with self._settled:
            if turn:
                return lookup(self._book, (session, turn), self._clock())
            return for_session(self._book, session, self._clock())

    def turn_ended(self, session: str, turn: str = "") -> None:
        """The host finished a turn: later answers to it are discarded."""
        with self._settled:
            self._book = complete(self._book, session, turn)
            self._settled.notify_all()

    def session_ended(self, session: str) -> None:
        """The session is over for good: forget it."""
        with self._settled:
            self._book = forget(self._book, session)
            self._settled.notify_all()

    def _state(self, facts: TurnFacts, key: tuple[str, str]) -> dict[str, object]:
        own = [entry for entry in self._book.entries.items() if entry[0][0] == facts.session]
        earlier = [entry for other, entry in own if other != key]
        return {
            "message": facts.message,
            "platform": facts.platform,
            "agent_model": facts.model,
            "prior_turn": bool(earlier),
            "unresolved_turn": any(not entry.complete for entry in earlier),
            "tool_workflow": facts.tool_workflow,
        }

    def _wait(self, key: tuple[str, str], end_s: float) -> Answers | None:
        """Wait for another caller's answer; the lock is held on entry and on return."""
        while True:
            answers = lookup(self._book, key, self._clock())
            left = end_s - self._clock()
            gone = key not in self._book.entries or self._book.entries[key].complete
            if answers is not None or left <= 0 or gone:
                return answers
            self._settled.wait(left)
