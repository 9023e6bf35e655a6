"""A decision model's opinion on tool calls, asked for while the host is still busy.

Hermes runs ``tool_request`` call after call, so the questions for all calls of
a message go out together when the response passes, under one budget.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from ..risk_gate import ToolCall, argument_digest, judged_text
from ..risk_gate.approval import cut
from ..router.questions import Answers
from ..router.settings_model import RiskGate
from .responses import SeenCall

if TYPE_CHECKING:
    from ..router.questions import QuestionPack

__all__ = ["Ask", "CallJudge", "pack_for"]

Ask = Callable[[object, "QuestionPack", float], Answers]
"""``ask(state, pack, deadline_s)``; never raises."""

_KEPT = 256
_MESSAGE_CHARS = 1_000
"""Of the user's message; with the least state of the settings most of it is the call's."""
ASSESSMENT = "risk_assessment"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pending:
    pack: str
    future: Future[Answers]
    due: float


class CallJudge:
    """Questions in flight, by call.

    Args:
        ask: the client.
        load: a question pack by its id.
        workers: questions in flight at once.
        budget_s: total seconds for all calls of one message.
    """

    def __init__(
        self,
        ask: Ask,
        load: Callable[[str], QuestionPack],
        *,
        workers: int,
        budget_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ask = ask
        self._load = load
        self._budget_s = budget_s
        self._clock = clock
        self._lock = Lock()
        self._pending: OrderedDict[tuple[str, str, str], _Pending] = OrderedDict()
        self._pool = ThreadPoolExecutor(max_workers=workers, thread_name_prefix="tool-router-gate")

    def begin(
        self, session: str, calls: tuple[SeenCall, ...], settings: RiskGate, message: str
    ) -> int:
        """Start asking about every call that the model should see; returns how many."""
        due = self._clock() + self._budget_s
        said = cut(message, _MESSAGE_CHARS)
        started = 0
        for call in calls:
            name = pack_for(call.tool, settings)
            if not name:
                continue
            shown = judged_text(ToolCall(tool=call.tool, args=call.args))
            state = {"tool": call.tool, "arguments": shown, "user_message": said}
            future = self._pool.submit(self._asked, state, name, due)
            with self._lock:
                self._pending[_key(session, call.call_id, call.args)] = _Pending(
                    pack=name, future=future, due=due
                )
                while len(self._pending) > _KEPT:
                    self._pending.popitem(last=False)[1].future.cancel()
            started += 1
        return started

    def answers(self, session: str, call_id: str, args: object) -> Mapping[str, Answers]:
        """What came back for one call, by pack id; waits until the message's budget is used up.

        Empty where the model was not asked about exactly this call.
        """
        with self._lock:
            pending = self._pending.pop(_key(session, call_id, args), None)
        if pending is None:
            return {}
        try:
            found = pending.future.result(timeout=max(0.0, pending.due - self._clock()))
        except FutureTimeoutError:
            pending.future.cancel()
            missing = tuple(question.id for question in self._load(pending.pack).questions)
            found = Answers(by_id={}, missing=missing, outcome="timeout")
        return {pending.pack: found}

    def close(self) -> None:
        """Start nothing more; what is in flight ends by its own deadline."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _asked(self, state: object, name: str, due: float) -> Answers:
        pack = self._load(name)
        left = due - self._clock()
        if left <= 0:
            missing = tuple(question.id for question in pack.questions)
            return Answers(by_id={}, missing=missing, outcome="busy")
        return self._ask(state, pack, left)


def pack_for(tool: str, settings: RiskGate) -> str:
    """Id of the questions for a tool, empty where the model is not asked.

    Read-only tools skip the model; the tools that the gate questions were
    written for get those, every other tool the six-question assessment.
    """
    if tool in settings.read_only_tools:
        return ""
    return f"gate_{settings.gate_version}" if tool in settings.judge_tools else ASSESSMENT


def _key(session: str, call_id: str, args: object) -> tuple[str, str, str]:
    return session, call_id, argument_digest(args).hex
