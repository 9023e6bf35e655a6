"""A tool call to a verdict: rules, questions, ladder, single-use proposals.

Everything here is pure; threads, hooks, network, clock and randomness are the
host adapter's.  The path of a call::

    verdict = assess(ToolCall(tool=…, args=…), Facts(workspace=…))      # gate.py, rules alone
    digest = argument_digest(args)                                     # digest.py
    # a model is shown judged_text(call), sanitized and cut               # judged.py
    # when a model was asked (packs gate_v1 | gate_v2, risk_assessment):
    judgment = climb(verdict, {"gate_v1": answers}, Thresholds(…))     # ladder.py
    text = approval_text(tool, verdict, sanitized_call, whole=…)       # approval.py
    key = rule_key(tool, verdict, digest, once=random_id)
    book.put(ProposalKey.of(session=…, turn=…, call=…, tool=…, digest=digest), Proposal(…), now)

    # in the policy hook, without network and without waiting for a lock:
    proposal = book.take(key, now)            # None: assess() inline
    what = directive(verdict, Context(place=Place(…), later_hook=…, enforce=…, unattended=…))
    # what.action: None | "block" | "approve"; what.outcome goes to the gate log

``assess`` never raises and fails to ask; ``directive`` is design D8.  Shadow
mode is a flag of the context: the same code runs and returns no action.
``docs/safety.md`` says the same for users.
"""

from __future__ import annotations

from .approval import approval_text, block_text, call_text, rule_key
from .digest import Digest, argument_digest
from .directive import ATTENDED, Context, Directive, Place, directive
from .gate import assess
from .judged import judged_text, seen_whole, stripped, unbindable
from .ladder import Judgment, Thresholds, climb
from .looking import only_looks
from .proposals import Proposal, ProposalBook, ProposalKey
from .values import Decision, Facts, Finding, ToolCall, Verdict

__all__ = [
    "ATTENDED",
    "Context",
    "Decision",
    "Digest",
    "Directive",
    "Facts",
    "Finding",
    "Judgment",
    "Place",
    "Proposal",
    "ProposalBook",
    "ProposalKey",
    "Thresholds",
    "ToolCall",
    "Verdict",
    "approval_text",
    "argument_digest",
    "assess",
    "block_text",
    "call_text",
    "climb",
    "directive",
    "judged_text",
    "only_looks",
    "rule_key",
    "seen_whole",
    "stripped",
    "unbindable",
]
