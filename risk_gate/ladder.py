"""Answers of a decision model on top of a deterministic verdict.

The model can only add: a finding of the rules stays whatever it says, a
question without a usable answer is recorded and counts for nothing, neither
as 0 nor against the answers that did come.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from ..router.questions import Answers, NoulAnswer, ScoreAnswer
from .assess import combine
from .values import Decision, Finding, RiskClass, Verdict

__all__ = ["Judgment", "Thresholds", "climb"]

GATE_V1, GATE_V2, ASSESSMENT = "gate_v1", "gate_v2", "risk_assessment"
"""Ids of the question packs (``classifier/data/packs``)."""
EVEN = 0.5
"""Below it a statement is more likely false than true."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Where an answer starts to count; the defaults are the seeds'.

    Probabilities are 0 to 1, ``impact`` and ``blast_radius`` levels 0 to 3.
    """

    destructive: float = 0.90
    exfiltration: float = 0.70
    impact: float = 2.5
    reads_secrets: float = 0.70
    sends_outbound: float = 0.70
    blast_radius: float = 2.5
    self_advocating: float = 0.70
    assessment: float = 0.80


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgment:
    """Rules and model together.

    Attributes:
        verdict: never weaker than the one that went in.
        missing: ``pack.question`` of each that was asked and not answered.
        values: ``pack.question`` to the probability or level that came back.
        fired: ids of the model's findings, self-advocacy first.
    """

    verdict: Verdict
    missing: tuple[str, ...] = ()
    values: Mapping[str, float] = field(default_factory=dict)
    fired: tuple[str, ...] = ()

    @property
    def answer_missing(self) -> bool:
        """A question has no usable answer; recorded, never read as 0."""
        return bool(self.missing)


def climb(
    verdict: Verdict,
    answers: Mapping[str, Answers],
    thresholds: Thresholds,
    *,
    ambiguous: bool = False,
    whole: bool = True,
) -> Judgment:
    """Join what a model answered with the deterministic verdict.  Pure, never raises.

    Args:
        verdict: of the rules.
        answers: by pack id; a pack that was not asked is absent.
        thresholds: in force.
        ambiguous: the user's message is a follow-up that names no action.
        whole: the model saw all of the call; a cut never counts in its favour.
    """
    values = {
        f"{pack}.{name}": value
        for pack, given in answers.items()
        for name, value in _numbers(given)
    }
    missing = tuple(f"{pack}.{name}" for pack, given in answers.items() for name in given.missing)
    found = [
        *_advocacy(values, thresholds),
        *_gate(values, thresholds),
        *_assessed(values, thresholds),
    ]
    if ambiguous:
        found.append(
            _finding("judge.ambiguous-follow-up", 1, "follows a message that names no action")
        )
    if not whole:
        found.append(_finding("judge.cut-input", 1, "was too long for the model to see whole"))
    if not found:
        return Judgment(verdict=verdict, missing=missing, values=values)
    joined = combine((*verdict.findings, *found))
    return Judgment(
        verdict=replace(
            verdict,
            decision=joined[0].decision,
            findings=joined,
            reversible=verdict.reversible and not _lasting(values, thresholds),
        ),
        missing=missing,
        values=values,
        fired=tuple(finding.id for finding in found),
    )


def _numbers(given: Answers) -> Iterator[tuple[str, float]]:
    for name, answer in given.by_id.items():
        if isinstance(answer, NoulAnswer):
            yield name, answer.probability
        elif isinstance(answer, ScoreAnswer):
            yield name, answer.score


def _finding(name: str, severity: int, words: str, risk: RiskClass = "judgment") -> Finding:
    return Finding(id=name, risk=risk, severity=severity, decision=Decision.ASK, words=words)


def _reached(values: Mapping[str, float], key: str, threshold: float) -> bool:
    return key in values and values[key] >= threshold


def _advocacy(values: Mapping[str, float], limits: Thresholds) -> Iterator[Finding]:
    """First, so that no call talks its way past what follows."""
    if _reached(values, f"{GATE_V2}.self_advocating", limits.self_advocating):
        words = "argues for its own approval, says the model"
        yield _finding("judge.self-advocating", 2, words, "self_advocacy")


def _gate(values: Mapping[str, float], limits: Thresholds) -> Iterator[Finding]:
    """Gate questions v1 and v2; only the packs that were asked have values."""
    reads = _reached(values, f"{GATE_V2}.reads_secrets", limits.reads_secrets)
    sends = _reached(values, f"{GATE_V2}.sends_outbound", limits.sends_outbound)
    if reads and sends:
        words = "reads secrets and sends something out, says the model"
        yield _finding("judge.exfiltration", 3, words, "exfil")
    elif reads:
        yield _finding("judge.reads-secrets", 2, "reads secrets, says the model", "secret_read")
    elif sends:
        yield _finding("judge.sends-outbound", 1, "sends something out, says the model", "exfil")
    if _reached(values, f"{GATE_V1}.exfiltration", limits.exfiltration):
        yield _finding("judge.exfiltration", 3, "sends private data out, says the model", "exfil")
    for pack in (GATE_V1, GATE_V2):
        if _reached(values, f"{pack}.destructive", limits.destructive):
            yield _finding("judge.destructive", 2, "destroys something, says the model", "destroy")
        if _reached(values, f"{pack}.impact", limits.impact):
            yield _finding("judge.impact", 2, "would do great harm if unwanted, says the model")
    if _reached(values, f"{GATE_V2}.blast_radius", limits.blast_radius):
        yield _finding("judge.blast-radius", 2, "reaches far, says the model")


def _assessed(values: Mapping[str, float], limits: Thresholds) -> Iterator[Finding]:
    """The six questions about a call in the light of what the user asked for."""
    limit = limits.assessment
    # Without an answer it is unknown whether anything changes, which is no reason for calm.
    changes = values.get(f"{ASSESSMENT}.changes_state", 1.0) >= EVEN
    if _reached(values, f"{ASSESSMENT}.destructive", limit):
        yield _finding(
            "judge.assessed-destructive", 2, "loses something, says the model", "destroy"
        )
    if _reached(values, f"{ASSESSMENT}.exposes_secrets", limit):
        words = "may reveal secrets, says the model"
        yield _finding("judge.assessed-secrets", 2, words, "secret_read")
    if changes and _reached(values, f"{ASSESSMENT}.hard_to_reverse", limit):
        yield _finding("judge.assessed-lasting", 2, "is hard to take back, says the model")
    if _reached(values, f"{ASSESSMENT}.confirmation_expected", limit):
        yield _finding(
            "judge.assessed-confirmation", 1, "is worth a question first, says the model"
        )
    requested = values.get(f"{ASSESSMENT}.requested")
    if changes and requested is not None and requested <= 1.0 - limit:
        yield _finding("judge.assessed-unrequested", 1, "was not asked for, says the model")


def _lasting(values: Mapping[str, float], limits: Thresholds) -> bool:
    return _reached(values, f"{ASSESSMENT}.hard_to_reverse", limits.assessment) or any(
        _reached(values, f"{pack}.destructive", limits.destructive) for pack in (GATE_V1, GATE_V2)
    )
