"""The risk gate on the host: prepared before the policy hook, acted on in it.

``tool_request`` prepares a proposal for a call, ``pre_tool_call`` consumes
it.  The policy hook asks no model, waits for no lock and writes no log: where
no proposal matches, the rules judge inline; rows are written when the call has
ended.  Hermes lets a call pass when a hook raises (hermes-agent 0.19.0
hermes_cli/plugins.py:1892), so every fault of ours is an ask.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from .. import risk_gate as gate
from ..risk_gate import Context, Decision, Directive, Facts, Finding, ToolCall, Verdict
from ..router.settings_model import RiskGate
from .events import RequestEvent, ToolCallEvent
from .gate_log import GateLog, Judged
from .guard import Guard
from .judging import CallJudge
from .places import Place
from .responses import calls_in
from .turn_notes import TurnNote, TurnNotes

__all__ = ["Gate", "HostDirective"]

HostDirective = dict[str, str]
"""What the policy hook returns to the host: ``block`` or ``approve`` with its message."""

_SHOWN_CHARS = 4000

_FAULT = Verdict(
    decision=Decision.ASK,
    findings=(
        Finding(
            id="gate.fault",
            risk="incomplete",
            severity=1,
            decision=Decision.ASK,
            words="could not be judged, because the gate itself failed",
        ),
    ),
    reversible=False,
    complete=False,
)
_ALLOWED = Directive(action=None, outcome="allowed")


class _Prepared(NamedTuple):
    """A proposal, and the place in which the call was made."""

    proposal: gate.Proposal
    place: Place

    @property
    def made_at(self) -> float:
        return self.proposal.made_at


class Gate:
    """Judges the tool calls of every session.

    Args:
        places: home, settings and store of the turn that runs now.
        guard: turns a fault into an ask.
        attendance: where a call runs, by session and platform.
        later_hook: whether a policy hook runs after ours.
        judge: asks a decision model, ``None`` where none may be asked.
        ambiguous: whether a user message names no action of its own.
        shown: a call's text without secrets, for people.
        log: takes verdicts and what became of them.
        notes: on whose behalf calls are made.
    """

    def __init__(
        self,
        *,
        places: Callable[[str], Place],
        guard: Guard,
        attendance: Callable[[str, str], gate.Place],
        later_hook: Callable[[], bool],
        judge: Callable[[Place], CallJudge | None],
        ambiguous: Callable[[str], bool],
        shown: Callable[[str, int], str],
        log: GateLog,
        notes: TurnNotes,
        clock: Callable[[], float] = time.monotonic,
        once: Callable[[], str] = lambda: uuid.uuid4().hex,
    ) -> None:
        self._places = places
        self._guard = guard
        self._attendance = attendance
        self._later_hook = later_hook
        self._judge = judge
        self._ambiguous = ambiguous
        self._shown = shown
        self._log = log
        self._notes = notes
        self._clock = clock
        self._once = once
        self._book = gate.ProposalBook[_Prepared]()
        self._book_lock = Lock()

    # -- what the host calls ------------------------------------------------

    def seen_response(self, event: RequestEvent, response: object, place: Place) -> None:
        """Start asking the model about all calls of a response."""
        judge = self._judge(place) if _is_on(place) else None
        if judge is not None and event.session_id:
            turn = self._notes.of(event.session_id)
            judge.begin(
                event.session_id, calls_in(response), place.settings.risk_gate, turn.message
            )

    def prepare(self, event: ToolCallEvent, place: Place) -> None:
        """Judge a call and keep the proposal for the policy hook."""
        if not _is_on(place):
            return
        turn = self._notes.of(event.session_id)
        digest = gate.argument_digest(event.args)
        key = gate.ProposalKey.of(
            session=event.session_id,
            turn=event.turn_id,
            call=event.call_id,
            tool=event.tool,
            digest=digest,
        )
        if key is None:
            return
        proposal = self._proposal(event, place, turn, digest, with_model=True)
        with self._book_lock:
            self._book.put(key, _Prepared(proposal, place), self._clock())

    def policy(self, event: ToolCallEvent) -> HostDirective | None:
        """What becomes of a call; ``None`` leaves it to the host's own guards."""
        started = self._clock()
        turn, digest = self._notes.of(event.session_id), gate.argument_digest(event.args)
        prepared = self._taken(event, digest)
        place = prepared.place if prepared else self._places(turn.platform)
        if not _is_on(place):
            return None
        settings = place.settings.risk_gate
        self._notes.enforcing = settings.mode == "enforce"
        proposal = prepared.proposal if prepared else self._judged_now(event, place, turn, digest)
        if proposal.verdict.decision is Decision.ALLOW:  # nobody has to be asked
            micros = round((self._clock() - started) * 1e6)
            self._log.note(Judged.of(event, place, proposal, _ALLOWED, None, micros))
            return None
        where = self._attendance(event.session_id, turn.platform)
        context = Context(
            place=where,
            later_hook=where in gate.ATTENDED and self._later_hook(),
            enforce=settings.mode == "enforce",
            unattended=settings.unattended,
        )
        what = gate.directive(proposal.verdict, context)
        micros = round((self._clock() - started) * 1e6)
        self._log.note(Judged.of(event, place, proposal, what, context, micros))
        return _host_directive(event.tool, proposal, what)

    # -- steps ----------------------------------------------------------------

    def _taken(self, event: ToolCallEvent, digest: gate.Digest) -> _Prepared | None:
        """What was prepared for exactly this call; the lock is not waited for."""
        key = gate.ProposalKey.of(
            session=event.session_id,
            turn=event.turn_id,
            call=event.call_id,
            tool=event.tool,
            digest=digest,
        )
        if key is None or not self._book_lock.acquire(blocking=False):
            return None
        try:
            return self._book.take(key, self._clock())
        finally:
            self._book_lock.release()

    def _judged_now(
        self, event: ToolCallEvent, place: Place, turn: TurnNote, digest: gate.Digest
    ) -> gate.Proposal:
        """A fresh verdict of the rules, or that of a fault."""
        return self._guard.run(
            "gate",
            lambda: self._proposal(event, place, turn, digest, with_model=False),
            lambda: self._fault(event),
        )

    def _proposal(
        self,
        event: ToolCallEvent,
        place: Place,
        turn: TurnNote,
        digest: gate.Digest,
        *,
        with_model: bool,
    ) -> gate.Proposal:
        settings = place.settings.risk_gate
        call, facts = ToolCall(tool=event.tool, args=event.args), Facts(workspace=_workspace())
        verdict = gate.assess(call, facts)
        tier = "rules"
        judge = self._judge(place) if with_model else None
        if judge is not None:
            answers = judge.answers(event.session_id, event.call_id, event.args)
            if answers:
                ambiguous = self._ambiguous(turn.message) and not gate.only_looks(call, facts)
                judgment = gate.climb(
                    verdict,
                    answers,
                    _thresholds(settings),
                    ambiguous=ambiguous,
                    whole=gate.seen_whole(call, verdict, answers),
                )
                verdict, tier = judgment.verdict, "model"
                if judgment.answer_missing:
                    tier = "answer_missing"
        if settings.block_unbindable and not digest.bound:
            verdict = gate.unbindable(verdict)
        message = ""
        if verdict.decision is not Decision.ALLOW:
            message = self._message(call, verdict)
        exact = verdict.complete and digest.bound
        return gate.Proposal(
            verdict=verdict,
            message=message,
            rule_key=gate.rule_key(event.tool, verdict, digest, once="" if exact else self._once()),
            tier=tier,
            made_at=self._clock(),
        )

    def _message(self, call: ToolCall, verdict: Verdict) -> str:
        raw = gate.call_text(call)
        shown = self._shown(raw, _SHOWN_CHARS)
        return gate.approval_text(call.tool, verdict, shown, whole=len(raw) <= _SHOWN_CHARS)

    def _fault(self, event: ToolCallEvent) -> gate.Proposal:
        return gate.Proposal(
            verdict=_FAULT,
            message=f"{event.tool} {_FAULT.findings[0].words}. Inspect the call, else deny it.",
            rule_key=f"tool-router:{event.tool}:gate.fault:once:{self._once()}",
            tier="fault",
            made_at=self._clock(),
        )


def _is_on(place: Place) -> bool:
    return place.routes and place.settings.risk_gate.enabled


def _host_directive(tool: str, proposal: gate.Proposal, what: Directive) -> HostDirective | None:
    match what.action:
        case None:
            return None
        case "block":
            return {"action": "block", "message": gate.block_text(tool, proposal.verdict)}
        case "approve":
            return {
                "action": "approve",
                "message": proposal.message,
                "rule_key": proposal.rule_key,
            }


def _thresholds(settings: RiskGate) -> gate.Thresholds:
    limits = settings.thresholds
    return gate.Thresholds(
        destructive=limits.destructive,
        exfiltration=limits.exfiltration,
        impact=limits.impact,
        reads_secrets=limits.reads_secrets,
        sends_outbound=limits.sends_outbound,
        blast_radius=limits.blast_radius,
        self_advocating=limits.self_advocating,
        assessment=settings.approval_threshold,
    )


def _workspace() -> str:
    """The folder that terminal commands run in (hermes-agent 0.19.0 tools/terminal_tool.py)."""
    configured = os.environ.get("TERMINAL_CWD", "")
    # As a text: a path object takes three times as long, before every call.
    return str(Path(configured).expanduser()) if configured else os.getcwd()  # noqa: PTH109
