"""Questions and state to the bytes of a request."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..router.questions import Question
from .errors import NotSentError
from .outcomes import CallOutcome
from .presets import Wire

__all__ = ["encode_request", "to_json"]


def encode_request(
    wire: Wire, *, model: str, state: object, questions: Sequence[Question]
) -> bytes:
    """Build the body.

    Args:
        wire: protocol of the route.
        model: left out where the protocol names it in a header.
        state: text, or a JSON object or array, already sanitized.
        questions: in the order in which they go out; option order has meaning.

    Raises:
        NotSentError: the state is not JSON, or empty.
    """
    if state is None:
        raise NotSentError("state is null", outcome=CallOutcome.INCOMPLETE)
    if not isinstance(state, str | dict | list):
        state = {"value": state}
    body: dict[str, Any] = {} if wire is Wire.EVALUATION else {"model": model}
    body["state"] = state
    body["questions"] = {question.id: _question(wire, question) for question in questions}
    return to_json(body)


def to_json(value: object) -> bytes:
    """Minified UTF-8.

    Raises:
        NotSentError: not JSON: a cycle, NaN, a lone surrogate, a foreign type.
    """
    try:
        return json.dumps(
            value, ensure_ascii=False, allow_nan=False, separators=(",", ":")
        ).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise NotSentError("state is not JSON", outcome=CallOutcome.INCOMPLETE) from error


def _question(wire: Wire, question: Question) -> Mapping[str, object]:
    kind: str = question.kind
    criteria: object = dict(question.criteria)
    if question.kind == "score":
        criteria = list(question.criteria.values())
    if question.kind == "noul" and wire is Wire.EVALUATION:
        kind = "boolean"
    body: dict[str, object] = {"type": kind, "instructions": question.instructions}
    if question.criteria:
        body["criteria"] = criteria
    return body
