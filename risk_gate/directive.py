"""What a verdict becomes where it is to be acted on: design D8 as one function."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from .values import Decision, Verdict

__all__ = ["ATTENDED", "Context", "Directive", "Outcome", "Place", "Unattended", "directive"]

Unattended = Literal["block_severe", "block_all", "abstain"]
"""Setting ``risk_gate.unattended``."""
Outcome = Literal[
    "allowed",
    "asked",
    "blocked",
    "would_ask",
    "would_block",
    "could_not_ask",
    "unattended",
]
"""What became of a call, as the gate log names it."""

GRAVE = 3
"""Severity from which nobody's silence counts as consent."""


class Place(StrEnum):
    """Where a call runs."""

    INTERACTIVE = "interactive"
    """A terminal or an editor session with somebody at it."""
    MESSAGING = "messaging"
    """A chat, or ``/v1/runs``: the question is delivered, and waits for an answer."""
    SINGLE_QUERY = "single_query"
    """``hermes chat -q``: the prompt has nobody to read it."""
    YOLO = "yolo"
    """``-z``, ``--yolo`` or ``/yolo``: an approval is given silently."""
    CRON = "cron"
    BARE = "bare"
    """An agent without a terminal or a gateway."""
    STATELESS_API = "stateless_api"
    """``/v1/chat/completions``: nobody is told of the question."""
    WEBHOOK = "webhook"
    SUBAGENT = "subagent"
    NESTED = "nested"
    """A call that ``execute_code`` makes: it carries no session."""
    REVIEW = "review"
    """A background-review fork."""


ATTENDED = frozenset({Place.INTERACTIVE, Place.MESSAGING})
"""Places where a human can answer; ``/v1/runs`` counts as messaging."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What must be known beside the verdict.

    Attributes:
        place: where the call runs.
        later_hook: another ``pre_tool_call`` hook runs after ours, so that our
            ``approve`` would hide its ``block`` (shell hooks always do).
        enforce: ``False`` in shadow mode: nothing is ever done.
        unattended: what an ask verdict becomes where nobody can answer.
    """

    place: Place
    later_hook: bool = False
    enforce: bool = True
    unattended: Unattended = "block_severe"


@dataclass(frozen=True, slots=True, kw_only=True)
class Directive:
    """What the policy hook returns.

    Attributes:
        action: ``None`` lets the call go on to the host's own guards; never
            an approval, and never a change of arguments.
        outcome: for the log.
    """

    action: Literal["block", "approve"] | None
    outcome: Outcome


def directive(verdict: Verdict, context: Context) -> Directive:
    """Translate a verdict.  Total and pure; prepared and emitted directives both come from here."""
    grave = verdict.severity >= GRAVE
    attended = context.place in ATTENDED
    match (verdict.decision, context.enforce, attended):
        case (Decision.ALLOW, _, _):
            # Nothing speaks against it; the host's own guards still see it.
            return Directive(action=None, outcome="allowed")
        case (Decision.BLOCK, False, _):
            # Shadow: only the log says what would have happened.
            return Directive(action=None, outcome="would_block")
        case (Decision.ASK, False, _):
            return Directive(action=None, outcome="would_ask")
        case (Decision.BLOCK, True, _):
            # Unconditional, so it is ours to say and not a later hook's.
            return Directive(action="block", outcome="blocked")
        case (Decision.ASK, True, True) if not context.later_hook:
            # A human sees the call and decides.
            return Directive(action="approve", outcome="asked")
        case (Decision.ASK, True, True) if grave or not verdict.reversible:
            # Asking would hide a later hook's block, and this cannot be taken back.
            return Directive(action="block", outcome="blocked")
        case (Decision.ASK, True, True):
            # Asking would hide a later hook's block; the status counts it.
            return Directive(action=None, outcome="could_not_ask")
        case (Decision.ASK, True, False):
            return _unattended(context.unattended, grave=grave)
    raise AssertionError("unreachable: the decisions are a closed set")


def _unattended(policy: Unattended, *, grave: bool) -> Directive:
    """Nobody can answer, or an approval would be given silently."""
    match (policy, grave):
        case ("block_all", _) | ("block_severe", True):
            return Directive(action="block", outcome="blocked")
        case _:
            return Directive(action=None, outcome="unattended")
