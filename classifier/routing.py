"""The System One tier: one yes/no question per toolset, and what the turn needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from ..router.packs import fingerprint
from ..router.questions import Answers, NoulAnswer, Question, QuestionPack
from ..router.values import Opinion, Tier, ToolsetName
from .catalogue import Candidate
from .outcomes import CallOutcome
from .packs import load_pack
from .rendering import RenderedRequest
from .system_one import SystemOneClient

__all__ = ["KEEP_AT", "MARGIN", "SystemOneRouter", "opinion_from", "routing_pack"]

KEEP_AT: Final = 0.30
"""A toolset from this probability on is needed.  Low on purpose: one kept too many
costs tokens, one missed costs a detour.  Not measured on a live model."""
MARGIN: Final = 0.10
"""Just below ``KEEP_AT`` nothing is said, and the earlier tier's word stands."""

_TURN_TOOLSETS: Mapping[str, ToolsetName] = MappingProxyType(
    # hermes-agent 0.19.0 toolsets.py
    {
        "needs_web": ToolsetName("web"),
        "needs_browser": ToolsetName("browser"),
        "needs_terminal": ToolsetName("terminal"),
        "needs_files": ToolsetName("file"),
        "should_delegate": ToolsetName("delegation"),
    }
)


class SystemOneRouter:
    """Routes one message with a decision model."""

    tier = Tier.SYSTEM_ONE

    def __init__(self, client: SystemOneClient) -> None:
        self._client = client

    @property
    def ready(self) -> bool:
        """Whether a question would be sent now."""
        return self._client.ready

    def route(self, text: str, offered: tuple[Candidate, ...], *, deadline_s: float) -> Opinion:
        """Ask about one message.  Never raises.

        Args:
            text: the message.
            offered: toolsets to ask about.
            deadline_s: total seconds.
        """
        pack = routing_pack(offered)
        answers = self._client.ask(_state(text, offered), pack, deadline_s=deadline_s)
        return opinion_from(answers, offered)

    def preview(self, text: str, offered: tuple[Candidate, ...]) -> tuple[RenderedRequest, ...]:
        """Render what :meth:`route` would send.

        Raises:
            NotSentError: nothing would be sent.
        """
        return self._client.preview(_state(text, offered), routing_pack(offered))


def routing_pack(offered: tuple[Candidate, ...]) -> QuestionPack:
    """One noul per toolset from the template, then the eight turn questions."""
    template = load_pack("routing").questions[0]
    turn = load_pack("turn").questions
    questions = (*(_filled(template, candidate) for candidate in offered), *turn)
    return QuestionPack(
        id="routing",
        version=load_pack("routing").version,
        questions=questions,
        fingerprint=fingerprint(questions),
    )


def opinion_from(answers: Answers, offered: tuple[Candidate, ...]) -> Opinion:
    """Read the answers as an opinion.

    A toolset's own question and the matching turn question ask nearly the same,
    so the higher of the two counts.  The opinion's confidence is the highest
    probability of all.  Where no toolset reaches :data:`KEEP_AT` there is no
    opinion: "nothing is needed" cannot be told from a message that talked the
    model into saying so.
    """
    if answers.outcome != CallOutcome.OK:
        return _failed(answers.outcome)
    if not answers.input_complete:
        return _failed("message was cut")
    names = {candidate.name for candidate in offered}
    chance: dict[ToolsetName, float] = {}
    for question, answer in answers.by_id.items():
        name = _TURN_TOOLSETS.get(question) or ToolsetName(question.removeprefix("toolset:"))
        if name in names and isinstance(answer, NoulAnswer):
            chance[name] = max(chance.get(name, 0.0), answer.probability)
    top = max(chance.values(), default=0.0)
    if top < KEEP_AT:
        return _failed("nothing chosen")
    said = {
        name: probability if probability >= KEEP_AT else 0.0
        for name, probability in chance.items()
        if not KEEP_AT - MARGIN <= probability < KEEP_AT
    }
    return Opinion(tier=Tier.SYSTEM_ONE, probabilities=MappingProxyType(said), confidence=top)


def _failed(why: str) -> Opinion:
    return Opinion(tier=Tier.SYSTEM_ONE, probabilities={}, confidence=0.0, failed=why)


def _state(text: str, offered: tuple[Candidate, ...]) -> dict[str, str]:
    return {"message": text, "tool_groups": ", ".join(candidate.name for candidate in offered)}


def _filled(template: Question, candidate: Candidate) -> Question:
    def fill(text: str) -> str:
        return text.replace("{toolset}", candidate.name).replace("{purpose}", candidate.purpose)

    return replace(template, id=fill(template.id), instructions=fill(template.instructions))
