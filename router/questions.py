"""Questions that a decision model can answer, and its answers.

The three kinds are System One's: *noul* (probability that a statement holds),
*choice* (one of named options) and *score* (expected level on an ordered
scale).  Probabilities are 0 to 1 and are never rounded or clipped here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

__all__ = [
    "Answer",
    "Answers",
    "ChoiceAnswer",
    "NoulAnswer",
    "Question",
    "QuestionPack",
    "ScoreAnswer",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One typed question.

    Attributes:
        id: key under which the answer comes back; the model does not see it.
        kind: ``noul``, ``choice`` or ``score``.
        instructions: what is asked.
        criteria: for a noul the sides ``true`` and ``false``; for a choice the
            options in order, each with a description; for a score the levels
            from 0 upward, keyed ``"0"``, ``"1"``, …
    """

    id: str
    kind: Literal["noul", "choice", "score"]
    instructions: str
    criteria: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPack:
    """A versioned set of questions that go out in one request."""

    id: str
    version: str
    questions: tuple[Question, ...]
    fingerprint: str
    """SHA-256 over the questions alone, so that a reworded question shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoulAnswer:
    """Probability that the statement holds."""

    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceAnswer:
    """One option, with all probabilities and the recomputed confidence."""

    choice: str
    probabilities: Mapping[str, float]
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreAnswer:
    """Expected level, with all probabilities and the recomputed confidence."""

    score: float
    probabilities: Mapping[str, float]
    confidence: float


Answer = NoulAnswer | ChoiceAnswer | ScoreAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What came back.

    Attributes:
        by_id: usable answers only.
        missing: ids that were asked and have no usable answer; missing is
            never read as probability 0.
        outcome: ``ok``, or why nothing usable came: ``timeout``, ``busy``,
            ``breaker_open``, ``malformed``, ``http_error``, ``no_key``,
            ``refused``, ``payload_too_large`` …
        model: the model that answered, empty if none did.
        latency_ms: wall time of the whole call.
        input_tokens: tokens billed, ``None`` where the server does not say.
        output_tokens: likewise.
        cost_usd: cost in US dollars, ``None`` where the server does not say.
        input_complete: what was sent was the whole state, redactions aside.
        note: what went wrong, in words for a person or a model; empty if nothing.
    """

    by_id: Mapping[str, Answer]
    missing: tuple[str, ...] = ()
    outcome: str = "ok"
    model: str = ""
    latency_ms: float = 0.0
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    input_complete: bool = True
    note: str = ""
