"""Answers read leniently in form and strictly in meaning.

Servers leave out ``confidence``, ``legend``, ``usage`` and request ids, say
``boolean`` for ``noul``, and write usage in camel case: all accepted.  A number
that is no probability, an option that was not asked, probabilities that do not
add up: then that one answer is missing, and the others stand.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..router.questions import Answer, ChoiceAnswer, NoulAnswer, Question, ScoreAnswer
from .errors import MalformedError, StatusError

__all__ = ["Reading", "choice_confidence", "read_answers", "score_confidence"]

_ROUNDING = 0.005
"""Servers round to two decimals, so that each probability may be off by this."""
_SUM_SLACK = 0.05
_TIE = 2 * _ROUNDING
_MODEL = re.compile(r"[\w~./:@+-]{1,128}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one response says."""

    answers: Mapping[str, Answer]
    model: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


def read_answers(body: bytes, questions: Sequence[Question]) -> Reading:
    """Read a response.

    Args:
        body: as received.
        questions: those that were asked; answers to others are ignored.

    Raises:
        MalformedError: not a JSON object with answers, or none of them usable.
        StatusError: an error under status 200.
    """
    try:
        data: Any = json.loads(body.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise MalformedError("answer is not JSON") from error
    if not isinstance(data, dict):
        raise MalformedError("answer is not a JSON object")
    found = data.get("answers")
    if not isinstance(found, dict):
        if data.get("error") or data.get("detail"):
            raise StatusError("error under status 200", status=200)
        raise MalformedError("answer has no 'answers'")
    answers = {
        question.id: answer
        for question in questions
        if (answer := _answer(question, found.get(question.id))) is not None
    }
    if not answers:
        raise MalformedError("no question has a usable answer")
    return _with_usage(data, answers)


def choice_confidence(probabilities: Iterable[float]) -> float:
    """TypeSafe's formula for a choice: how far the top stands above an even spread.

    Returns:
        ``(p - 1/n) / (1 - 1/n)`` for the top probability ``p`` of ``n`` options,
        0 to 1; 1 for a single option.
    """
    values = list(probabilities)
    count, total = len(values), sum(values)
    if count < 2 or total <= 0:
        return 1.0 if count == 1 else 0.0
    return _clamped((max(values) / total - 1 / count) / (1 - 1 / count))


def score_confidence(probabilities: Sequence[float]) -> float:
    """TypeSafe's formula for a score: spread around the mode against an even spread.

    Returns:
        ``1 - sum(p_i * |i - mode|) / D``, with ``D`` the same quantity for the
        uniform distribution around its middle level, 0 to 1; 1 for a single level.
    """
    count, total = len(probabilities), sum(probabilities)
    if count < 2 or total <= 0:
        return 1.0 if count == 1 else 0.0
    mode = max(range(count), key=lambda level: probabilities[level])
    spread = sum(p / total * abs(level - mode) for level, p in enumerate(probabilities))
    even = sum(abs(level - (count - 1) / 2) for level in range(count)) / count
    return _clamped(1 - spread / even)


def _answer(question: Question, found: object) -> Answer | None:
    if not isinstance(found, dict):
        return None
    kind = found.get("type", question.kind)
    if kind == "boolean":
        kind = "noul"
    if kind != question.kind:
        return None
    if question.kind == "noul":
        value = _unit(found.get("noul", found.get("probability")))
        return None if value is None else NoulAnswer(probability=value)
    if question.kind == "choice":
        return _choice(question, found)
    return _score(question, found)


def _choice(question: Question, found: Mapping[str, object]) -> ChoiceAnswer | None:
    options = {_nfc(name): name for name in question.criteria}
    named = found.get("choice")
    choice = options.get(_nfc(named)) if isinstance(named, str) else None
    if choice is None:
        return None
    if "probabilities" not in found:
        # The option stands, but nobody said how sure it is: no threshold may rest on it.
        return ChoiceAnswer(choice=choice, probabilities={}, confidence=0.0)
    spread = _spread(found["probabilities"], options)
    if spread is None or spread[choice] + _TIE < max(spread.values()):
        return None
    return ChoiceAnswer(
        choice=choice, probabilities=spread, confidence=choice_confidence(spread.values())
    )


def _score(question: Question, found: Mapping[str, object]) -> ScoreAnswer | None:
    levels = {level: level for level in question.criteria}
    top = len(levels) - 1
    if "probabilities" not in found:
        value = _number(found.get("score"))
        if value is None or not 0 <= value <= top:
            return None
        return ScoreAnswer(score=value, probabilities={}, confidence=0.0)
    spread = _spread(found["probabilities"], levels)
    if spread is None:
        return None
    values = list(spread.values())
    # The expectation is the definition; servers that send the likeliest level instead exist.
    expected = sum(level * p for level, p in enumerate(values)) / sum(values)
    return ScoreAnswer(score=expected, probabilities=spread, confidence=score_confidence(values))


def _spread(found: object, options: Mapping[str, str]) -> dict[str, float] | None:
    """Probabilities in the order of the options; options left out count as 0."""
    if not isinstance(found, dict):
        return None
    read = dict.fromkeys(options.values(), 0.0)
    for name, value in found.items():
        option = options.get(_nfc(name))
        probability = _unit(value)
        if option is None or probability is None:
            return None
        read[option] = probability
    off = abs(sum(read.values()) - 1)
    return read if off <= max(_SUM_SLACK, _ROUNDING * len(read)) else None


def _with_usage(data: Mapping[str, Any], answers: Mapping[str, Answer]) -> Reading:
    usage = data.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    gateway = data.get("providerMetadata")
    gateway = gateway.get("gateway") if isinstance(gateway, dict) else None
    cost = usage.get("cost", gateway.get("cost") if isinstance(gateway, dict) else None)
    model = data.get("model")
    return Reading(
        answers=answers,
        model=model if isinstance(model, str) and _MODEL.fullmatch(model) else "",
        input_tokens=_count(usage.get("input_tokens", usage.get("inputTokens"))),
        output_tokens=_count(usage.get("output_tokens", usage.get("outputTokens"))),
        cost_usd=_cost(cost),
    )


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _unit(value: object) -> float | None:
    number = _number(value)
    return number if number is not None and 0 <= number <= 1 else None


def _count(value: object) -> int | None:
    number = _number(value)
    return int(number) if number is not None and 0 <= number < 1e12 else None


def _cost(value: object) -> float | None:
    if isinstance(value, str):  # the gateway writes a decimal string
        try:
            value = float(value)
        except ValueError:
            return None
    number = _number(value)
    return number if number is not None and 0 <= number < 1e6 else None


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _clamped(value: float) -> float:
    return min(1.0, max(0.0, value))
