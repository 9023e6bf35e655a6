"""The guarded "fresh greeting" case: which tools the very first request may go without.

The reference (jev-router, "Tool shaping") narrows on a decision model's word
only where everything else agrees that a message is a bare greeting in an empty
conversation.  Here it is a pure function that names the tools to keep; the
router's own filter applies them, so there is one filter only.  Each reason to
leave a request alone is a value of :class:`Refusal`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ..intent.followup_table import FollowupTable
from ..intent.followups import is_greeting, recognise
from .questions import Answers, ChoiceAnswer, NoulAnswer
from .shaping_wire import RequestView, view

__all__ = ["Moment", "Refusal", "Shaping", "shape"]

_CHAT = frozenset(("chat",))
_LIGHT = frozenset(("trivial", "simple"))
_HARMLESS = frozenset(("none",))
_CHOICES = {"intent": _CHAT, "complexity": _LIGHT, "side_effects": _HARMLESS}
"""What each choice of the pack ``turn`` has to say."""
_NEEDS = ("needs_web", "needs_browser", "needs_terminal", "needs_files", "should_delegate")


class Refusal(StrEnum):
    """Why a request keeps every tool; empty: it may be narrowed."""

    NONE = ""
    OTHERS_SPEAK = "others_speak"
    """Rules or a classifier decide about this session; this case is theirs."""
    NOT_FIRST_CALL = "not_first_call"
    """A later request of the turn: full again."""
    NOT_FIRST_TURN = "not_first_turn"
    """The host says that there was a turn before."""
    PRIOR_TURN = "prior_turn"
    """An earlier turn of the session is remembered."""
    TOOL_SEEN = "tool_seen"
    """A tool was called already."""
    INCOMPLETE = "incomplete_input"
    """The message was cut, or has parts that nobody read."""
    FOLLOW_UP = "follow_up"
    NOT_A_GREETING = "not_a_greeting"
    UNKNOWN_REQUEST = "unknown_request"
    """The request has none of the four known shapes."""
    SERVER_STATE = "server_state"
    """The provider holds a conversation that nobody here can see."""
    HISTORY = "history"
    """More than the user's one message: earlier messages, tool calls, results."""
    UNKNOWN_CONTENT = "unknown_content"
    OTHER_MESSAGE = "other_message"
    """The request carries another text than the turn began with."""
    NO_TOOLS = "no_tools"
    UNKNOWN_SCHEMA = "unknown_schema"
    MIXED_SCHEMAS = "mixed_schemas"
    BUILT_IN_TOOL = "built_in_tool"
    DUPLICATE_NAMES = "duplicate_names"
    FORCED_CHOICE = "forced_choice"
    NO_ANSWER = "no_answer"
    """No decision model was asked, or an answer is missing."""
    DISAGREES = "model_disagrees"
    LOW_CONFIDENCE = "low_confidence"
    NOTHING_TO_REMOVE = "nothing_to_remove"
    NOTHING_LEFT = "nothing_left"


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """Where in a session a request is sent.

    Attributes:
        text: the user's message as the turn began with it.
        complete: nothing of the message was cut or left unread.
        api_call_count: which request of the turn this is, from 1.
        is_first_turn: the host's word; ``None`` where it gives none.
        prior_turn: an earlier turn of the session is remembered.
        tool_seen: a tool call was observed in the session.
        others_speak: rules or a routing classifier are on and did not abstain.
    """

    text: str
    complete: bool = True
    api_call_count: int = 1
    is_first_turn: bool | None = True
    prior_turn: bool = False
    tool_seen: bool = False
    others_speak: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Shaping:
    """What may go.

    Attributes:
        keep: names of the tools to keep, in the request's order; empty where
            the request is left alone.
        refused: why it is left alone.
    """

    keep: tuple[str, ...] = ()
    refused: Refusal = Refusal.NONE


def shape(
    request: Mapping[str, Any],
    moment: Moment,
    answers: Answers | None,
    *,
    phrases: FollowupTable,
    removable: frozenset[str],
    min_confidence: float,
) -> Shaping:
    """Decide about one provider request.  Never raises and never edits the request.

    Args:
        request: the provider's keyword arguments (Chat Completions,
            Responses, Anthropic Messages or Bedrock Converse).
        moment: where in the session it is sent.
        answers: what the turn classifier said (pack ``turn``).
        phrases: greetings and follow-ups.
        removable: bare tool names that may go; anything else stays
            (clarification, task lists, bridges, unknown tools).
        min_confidence: least confidence of each answer, 0.95 or more.
    """
    refused = _at_the_wrong_moment(moment) or _not_a_greeting(moment, phrases)
    if refused:
        return Shaping(refused=refused)
    seen = view(request)
    refused = (
        _not_empty(seen, moment) or _not_narrowable(seen) or _disagrees(answers, min_confidence)
    )
    if refused:
        return Shaping(refused=refused)
    keep = tuple(name for name in seen.tools if name not in removable)
    if len(keep) == len(seen.tools):
        return Shaping(refused=Refusal.NOTHING_TO_REMOVE)
    if not keep:
        return Shaping(refused=Refusal.NOTHING_LEFT)
    return Shaping(keep=keep)


def _at_the_wrong_moment(moment: Moment) -> Refusal:
    checks = (
        (moment.others_speak, Refusal.OTHERS_SPEAK),
        (moment.api_call_count != 1, Refusal.NOT_FIRST_CALL),
        (moment.is_first_turn is False, Refusal.NOT_FIRST_TURN),
        (moment.prior_turn, Refusal.PRIOR_TURN),
        (moment.tool_seen, Refusal.TOOL_SEEN),
        (not moment.complete, Refusal.INCOMPLETE),
    )
    return next((refusal for holds, refusal in checks if holds), Refusal.NONE)


def _not_a_greeting(moment: Moment, phrases: FollowupTable) -> Refusal:
    if recognise(moment.text, phrases).is_follow_up:
        return Refusal.FOLLOW_UP
    return Refusal.NONE if is_greeting(moment.text, phrases) else Refusal.NOT_A_GREETING


def _not_empty(seen: RequestView, moment: Moment) -> Refusal:
    checks = (
        (not seen.known, Refusal.UNKNOWN_REQUEST),
        (seen.server_state, Refusal.SERVER_STATE),
        (seen.history, Refusal.HISTORY),
        (seen.text is None, Refusal.UNKNOWN_CONTENT),
        ((seen.text or "").strip() != moment.text.strip(), Refusal.OTHER_MESSAGE),
    )
    return next((refusal for holds, refusal in checks if holds), Refusal.NONE)


def _not_narrowable(seen: RequestView) -> Refusal:
    checks = (
        (not seen.schemas, Refusal.NO_TOOLS),
        ("built_in" in seen.schemas, Refusal.BUILT_IN_TOOL),
        ("unknown" in seen.schemas, Refusal.UNKNOWN_SCHEMA),
        (len(set(seen.schemas)) > 1, Refusal.MIXED_SCHEMAS),
        (len(set(seen.tools)) != len(seen.tools), Refusal.DUPLICATE_NAMES),
        (seen.forced, Refusal.FORCED_CHOICE),
    )
    return next((refusal for holds, refusal in checks if holds), Refusal.NONE)


def _disagrees(answers: Answers | None, least: float) -> Refusal:
    """Intent, complexity, side effects and every need have to agree, each surely enough."""
    if answers is None:
        return Refusal.NO_ANSWER
    choices = {key: answers.by_id.get(key) for key in _CHOICES}
    needs = [answers.by_id.get(key) for key in _NEEDS]
    if not all(isinstance(answer, ChoiceAnswer) for answer in choices.values()) or not all(
        isinstance(answer, NoulAnswer) for answer in needs
    ):
        return Refusal.NO_ANSWER
    chosen = {key: a for key, a in choices.items() if isinstance(a, ChoiceAnswer)}
    if any(answer.choice not in _CHOICES[key] for key, answer in chosen.items()):
        return Refusal.DISAGREES
    if min(answer.confidence for answer in chosen.values()) < least:
        return Refusal.LOW_CONFIDENCE
    wanted = max(answer.probability for answer in needs if isinstance(answer, NoulAnswer))
    return Refusal.NONE if wanted <= 1 - least else Refusal.DISAGREES
