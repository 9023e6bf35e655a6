"""The ``jev_ask`` tool: the agent's model asks a decision model typed questions."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, Protocol

from ..router.packs import fingerprint
from ..router.questions import Answer, Answers, ChoiceAnswer, NoulAnswer, Question, QuestionPack
from .ports import StateSanitizer

__all__ = ["Asker", "JevAskLimits", "SessionBudgets", "run", "schema"]

_SESSIONS_KEPT: Final = 512
_QUESTIONS_MAX: Final = 20
_OPTIONS_MAX: Final = 26
"""Ollama's limit, the lowest among the servers that speak System One."""
_LEVELS_MAX: Final = 10
_TEXT_MAX: Final = 1000
_KINDS: Final[Mapping[str, Literal["noul", "choice", "score"]]] = MappingProxyType(
    {"boolean": "noul", "noul": "noul", "choice": "choice", "score": "score"}
)


class Asker(Protocol):
    """Whoever answers question packs."""

    def ask(self, state: object, pack: QuestionPack, *, deadline_s: float) -> Answers:
        """Answer; never raises."""
        ...


class JevAskLimits:
    """How much one session may ask; the tool is a way out for text that was injected.

    Attributes:
        state_max_bytes: largest state as JSON; a larger one is refused, not cut.
        deadline_s: total seconds of one call.
    """

    def __init__(
        self, budgets: SessionBudgets, session: str, *, state_max_bytes: int, deadline_s: float
    ) -> None:
        self._budgets = budgets
        self._session = session
        self.state_max_bytes = state_max_bytes
        self.deadline_s = deadline_s

    def spend(self) -> bool:
        """Take one call from the session's budget; false if none is left."""
        return self._budgets.spend(self._session)


class SessionBudgets:
    """Calls left per session; bounded, the session used longest ago is forgotten first."""

    def __init__(self, calls: int) -> None:
        """Start with ``calls`` for every session."""
        self._calls = calls
        self._left: OrderedDict[str, int] = OrderedDict()
        self._lock = threading.Lock()

    def spend(self, session: str) -> bool:
        """Take one call; false if none is left."""
        with self._lock:
            left = self._left.pop(session, self._calls)
            self._left[session] = max(0, left - 1)
            if len(self._left) > _SESSIONS_KEPT:
                self._left.popitem(last=False)
        return left > 0


class _InvalidQuestionsError(ValueError):
    """The questions cannot be asked; the message lists each problem."""


def schema() -> dict[str, Any]:
    """The tool's JSON schema: byte-stable."""
    text = {"type": "string"}
    question = {
        "type": "object",
        "properties": {
            "type": {"type": "string", "enum": ["boolean", "choice", "score"]},
            "instructions": text,
            "criteria": {
                "description": (
                    "boolean: optional {true: …, false: …}. choice: {option: description, …}, "
                    "with an option for 'none of these'. score: list of levels, lowest first."
                )
            },
        },
        "required": ["type", "instructions"],
    }
    return {
        "name": "jev_ask",
        "description": (
            "Ask a decision model typed questions about a short text or JSON value. It answers "
            "with probabilities, never with prose, in about a second. Use it to judge or sort "
            "something by explicit criteria; it knows nothing but the state that you pass. The "
            "state is sent to the configured service, secrets removed."
        ),
        "parameters": {
            "type": "object",
            "properties": {
                "state": {"description": "What is judged: text, or a JSON object or list."},
                "questions": {
                    "type": "object",
                    "description": (
                        "Question id to question, for example "
                        '{"urgent": {"type": "boolean", "instructions": "It is urgent."}}.'
                    ),
                    "additionalProperties": question,
                },
            },
            "required": ["state", "questions"],
        },
    }


def run(
    args: Mapping[str, object], client: Asker, sanitizer: StateSanitizer, budget: JevAskLimits
) -> dict[str, Any]:
    """Run the tool.  Never raises.

    Args:
        args: as the model wrote them: ``state`` and ``questions``, the latter an
            object or a JSON string of one.
        client: answers, and sanitizes the state.
        sanitizer: applied to the wording of the questions.
        budget: of this session.

    Returns:
        ``{answers, confidence, usage, cost_usd, model, latency_ms}``; ``missing``
        lists questions without a usable answer, where there are any.  Else
        ``{error, note}``: a word for what is wrong, and what to do about it.
    """
    try:
        state = _state(args.get("state"), budget.state_max_bytes)
        pack = _pack(args.get("questions"), sanitizer)
    except _InvalidQuestionsError as error:
        return {"error": "invalid_arguments", "note": str(error)}
    if not budget.spend():
        note = "no call is left in this session; decide without jev_ask"
        return {"error": "budget_spent", "note": note}
    answers = client.ask(state, pack, deadline_s=budget.deadline_s)
    if not answers.by_id:
        note = answers.note or "no usable answer came; decide without it"
        return {"error": answers.outcome, "note": note}
    return _result(answers)


def _result(answers: Answers) -> dict[str, Any]:
    result: dict[str, Any] = {
        "answers": {name: _plain(answer) for name, answer in answers.by_id.items()},
        "confidence": {name: _confidence(answer) for name, answer in answers.by_id.items()},
        "usage": {
            "input_tokens": answers.input_tokens,
            "output_tokens": answers.output_tokens,
        },
        "cost_usd": answers.cost_usd,
        "model": answers.model,
        "latency_ms": round(answers.latency_ms, 1),
    }
    if answers.missing:
        result["missing"] = list(answers.missing)
    if not answers.input_complete:
        result["note"] = "the state was cut before it was judged"
    return result


def _plain(answer: Answer) -> dict[str, Any]:
    if isinstance(answer, NoulAnswer):
        return {"probability": answer.probability}
    value = (
        {"choice": answer.choice}
        if isinstance(answer, ChoiceAnswer)
        else {"score": round(answer.score, 4)}
    )
    probabilities = {name: round(p, 4) for name, p in answer.probabilities.items()}
    return value | {"probabilities": probabilities, "confidence": round(answer.confidence, 4)}


def _confidence(answer: Answer) -> float:
    """Distance from undecided: for a yes/no answer twice the distance from one half."""
    if isinstance(answer, NoulAnswer):
        return round(abs(answer.probability - 0.5) * 2, 4)
    return round(answer.confidence, 4)


def _state(state: object, max_bytes: int) -> object:
    if state is None or state == "" or state == {} or state == []:
        raise _InvalidQuestionsError("'state' is empty; pass the text or JSON value to judge")
    try:
        size = len(json.dumps(state, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    except (TypeError, ValueError, RecursionError) as error:
        raise _InvalidQuestionsError("'state' is not text or JSON; pass one of them") from error
    if size > max_bytes:
        raise _InvalidQuestionsError(
            f"'state' has {size} bytes; at most {max_bytes} are sent, so pass the part that matters"
        )
    return state


def _pack(found: object, sanitizer: StateSanitizer) -> QuestionPack:
    """Read the questions.

    Raises:
        _InvalidQuestionsError: with every problem of every question.
    """
    if isinstance(found, str):
        try:
            found = json.loads(found)
        except (ValueError, RecursionError) as error:
            raise _InvalidQuestionsError("'questions' is text but not JSON; pass an object") from (
                error
            )
    if not isinstance(found, dict) or not 1 <= len(found) <= _QUESTIONS_MAX:
        raise _InvalidQuestionsError(
            f"'questions' must be an object of 1 to {_QUESTIONS_MAX} questions: {{id: {{type, "
            "instructions, criteria}}}"
        )
    questions: list[Question] = []
    problems: list[str] = []
    for name, item in found.items():
        try:
            questions.append(_question(str(name), item, sanitizer))
        except _InvalidQuestionsError as error:
            problems.append(f"question {str(name)[:64]!r}: {error}")
    if problems:
        raise _InvalidQuestionsError("; ".join(problems))
    asked = tuple(questions)
    return QuestionPack(id="jev_ask", version="1", questions=asked, fingerprint=fingerprint(asked))


def _question(name: str, item: object, sanitizer: StateSanitizer) -> Question:
    if not name or len(name) > 64:
        raise _InvalidQuestionsError("its id must have 1 to 64 characters")
    if not isinstance(item, dict):
        raise _InvalidQuestionsError("must be an object with type and instructions")
    kind = _KINDS.get(str(item.get("type")))
    if kind is None:
        raise _InvalidQuestionsError("type must be 'boolean', 'choice' or 'score'")
    instructions = item.get("instructions")
    if not isinstance(instructions, str) or not 0 < len(instructions.strip()) <= _TEXT_MAX:
        raise _InvalidQuestionsError(f"instructions must be text of 1 to {_TEXT_MAX} characters")
    readers = {"noul": _boolean, "choice": _choice, "score": _score}
    criteria = readers[kind](item.get("criteria"))
    return Question(
        id=name,
        kind=kind,
        instructions=sanitizer.text(instructions).text,
        criteria=MappingProxyType(
            {option: sanitizer.text(text).text for option, text in criteria.items()}
        ),
    )


def _boolean(criteria: object) -> dict[str, str]:
    if criteria is None:
        return {}
    if not isinstance(criteria, dict) or not set(criteria) <= {"true", "false"} or not criteria:
        raise _InvalidQuestionsError('criteria of a boolean are {"true": text, "false": text}')
    # OpenRouter wants both sides where one is given.
    sides = {"true": "the statement holds", "false": "otherwise"} | criteria
    return _described(sides)


def _choice(criteria: object) -> dict[str, str]:
    if isinstance(criteria, list) and all(isinstance(option, str) for option in criteria):
        criteria = dict.fromkeys(criteria)
    if not isinstance(criteria, dict) or not 2 <= len(criteria) <= _OPTIONS_MAX:
        raise _InvalidQuestionsError(
            f"criteria of a choice are 2 to {_OPTIONS_MAX} options: {{option: description}}"
        )
    return _described({name: text if text else name for name, text in criteria.items()})


def _score(criteria: object) -> dict[str, str]:
    if not isinstance(criteria, list) or not 2 <= len(criteria) <= _LEVELS_MAX:
        raise _InvalidQuestionsError(
            f"criteria of a score are a list of 2 to {_LEVELS_MAX} levels, lowest first"
        )
    return _described({str(level): text for level, text in enumerate(criteria)})


def _described(criteria: Mapping[Any, object]) -> dict[str, str]:
    for name, text in criteria.items():
        if not isinstance(name, str) or not 0 < len(name) <= 64:
            raise _InvalidQuestionsError("option names must be text of 1 to 64 characters")
        if not isinstance(text, str) or not 0 < len(text) <= _TEXT_MAX:
            raise _InvalidQuestionsError(
                f"description of {name!r} must be text of 1 to {_TEXT_MAX} characters"
            )
    return {str(name): str(text) for name, text in criteria.items()}
