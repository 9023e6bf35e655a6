"""What the gate is given and what it says: frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

__all__ = ["RANK", "Decision", "Facts", "Finding", "RiskClass", "ToolCall", "Verdict"]

RiskClass = Literal[
    "destroy",
    "exfil",
    "secret_read",
    "remote_exec",
    "persistence",
    "privilege",
    "config_tamper",
    "evasion",
    "disrupt",
    "hidden_exec",
    "network_listen",
    "outward",
    "attack",
    "self_advocacy",
    "incomplete",
    "judgment",
]


class Decision(StrEnum):
    """A verdict before it is translated for the host."""

    ALLOW = "allow"
    ASK = "ask"
    BLOCK = "block"


RANK = {Decision.ALLOW: 0, Decision.ASK: 1, Decision.BLOCK: 2}
"""Order of the decisions: the strongest finding decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call that the agent is about to make.

    Attributes:
        tool: name as the host registered it, for example ``terminal``.
        args: whatever the model sent; any Python object.
    """

    tool: str
    args: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known about where the call would run.

    Attributes:
        workspace: absolute path of the session's folder, empty if unknown.
        use_grammar: read shell text with the grammar where it is installed.
    """

    workspace: str = ""
    use_grammar: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that speaks against a call.

    Attributes:
        id: rule id, or ``gate.…`` for what no rule states.
        severity: 0 benign, 1 mild, 2 serious, 3 grave.
        words: the finding as a clause, "deletes a folder …".
        evidence: the piece of the call that it rests on, at most 200
            characters, not sanitized.
    """

    id: str
    risk: RiskClass
    severity: int
    decision: Decision
    words: str
    evidence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The gate's answer before the host's context is looked at.

    Attributes:
        decision: the strongest of the findings', ``allow`` without any.
        findings: strongest first, no id twice.
        reversible: what the call does can be undone with what stays behind;
            ``False`` where that is not known.
        complete: all of the call was understood; never true for a cut view.
        reasons: why not, in words.
        degraded: shell text was read without the grammar.
    """

    decision: Decision
    findings: tuple[Finding, ...] = ()
    reversible: bool = True
    complete: bool = True
    reasons: tuple[str, ...] = ()
    degraded: bool = False

    @property
    def severity(self) -> int:
        """Severity of the worst finding, 0 without any."""
        return max((finding.severity for finding in self.findings), default=0)
