"""Plays the cases of ``evaluate`` on real Hermes, one start a profile."""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..probe import plan
from ..probe.home import PLUGIN, SOURCE, STOCK, Contents
from ..probe.scene import Scene, scratch_scene
from ..probe.script import Request, Step, ToolCall, say
from .decision_server import Decisions, decision_server
from .evaluate_cases import Case, Turn

__all__ = ["PROFILES", "CallTrace", "Played", "TurnTrace", "contents_of", "play"]

_CHILD = Path(__file__).with_name("evaluate_child.py")
_TIMEOUT_S = 900.0
_MODELS: Mapping[str, Any] = {
    "risk_gate": {"use_model": True},
    "turn_classifier": {"enabled": True},
    "tool_shaping": {"enabled": True},
    "verify": {"enabled": True, "use_model": True},
}
"""Every feature that asks a decision model."""
PROFILES: Mapping[str, Mapping[str, Any]] = {
    "disabled": {"enabled": False, "mode": "enforce", **_MODELS},
    "shadow": {"enabled": True, "mode": "shadow", **_MODELS},
    "risk-only": {
        "enabled": True,
        "mode": "shadow",
        "risk_gate": {"mode": "enforce", "use_model": True},
    },
    "enforce": {
        "enabled": True,
        "mode": "enforce",
        **{name: {**block, "mode": "enforce"} for name, block in _MODELS.items()},
        "turn_classifier": {"enabled": True},
    },
}
"""Settings under ``global``: the stages of the jev-router reference's rollout."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTrace:
    """What became of one call.

    Attributes:
        offered: the tool was on the request that the model answered with it.
        asked: questions that the human got about it.
        blocked: a hook or Hermes refused it, or the human did.
        ran: the tool did its work; for the terminal, the shell got the command.
        result: what the model was told, empty where the call never came to an end.
    """

    tool: str
    offered: bool
    asked: int = 0
    blocked: bool = False
    ran: bool = False
    result: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnTrace:
    """What Hermes did in one turn.

    Attributes:
        requests: bodies as sent, in order.
        tools: names offered, a tuple a request.
        continued: messages that Hermes added in the user's name to go on.
        answer: the final text.
        engine: calls that arrived at the decision server.
        wall_ms: time of the plugin's own callbacks, waiting for that server included.
        cpu_ms: processor time of the same.
    """

    requests: tuple[bytes, ...]
    tools: tuple[tuple[str, ...], ...]
    calls: tuple[CallTrace, ...]
    continued: int
    answer: str
    engine: int
    wall_ms: float
    cpu_ms: float


Played = Mapping[str, TurnTrace]
"""By the turn's key."""


def contents_of(settings: Mapping[str, Any], decisions: str, *, source: Path = SOURCE) -> Contents:
    """A home with these settings under ``global``, and every model at one address.

    Nothing here may depend on how busy the machine is: deadlines are the longest
    allowed, calls are not paced, failures silence nothing, no encoder warms up.
    """
    fixed = {
        "local_classifier": {"enabled": False},
        "router_hard_timeout_ms": 10_000,
        "system_one": {
            "backend": "local",
            "base_url": decisions,
            "timeout_s": 10,
            "min_interval_s": 0,
            "breaker_threshold": 100,
        },
    }
    return Contents(settings={"global": {**settings, **fixed}}, config=_CONFIG, source=source)


_CONFIG = {"approvals": {"mode": "manual"}}  # smart asks a chat model, which is a script here


def play(
    cases: Sequence[Case],
    profiles: Mapping[str, Mapping[str, Any]],
    *,
    sources: Mapping[str, Path] | None = None,
    tick: Callable[[str], None] = lambda name: None,
) -> dict[str, Played]:
    """Play all cases without the plugin (``stock``) and under each profile.

    Args:
        cases: what is played.
        profiles: settings under ``global``, by name.
        sources: other files of the plugin for some profiles.
        tick: told each profile's name before it is played.

    Raises:
        RuntimeError: Hermes did not play them to the end.
    """
    opinions = {
        case.key(number): turn.opinion
        for case in cases
        for number, turn in enumerate(case.turns, start=1)
    }
    found: dict[str, Played] = {}
    with scratch_scene() as scene:
        for name in ("stock", *profiles):
            tick(name)
            with decision_server(opinions) as decisions:
                contents = Contents(copy=STOCK.copy, config=_CONFIG)
                if name in profiles:
                    source = (sources or {}).get(name, SOURCE)
                    contents = contents_of(profiles[name], decisions.url, source=source)
                found[name] = _played(scene, contents, cases, decisions)
    return found


def _played(
    scene: Scene, contents: Contents, cases: Sequence[Case], decisions: Decisions
) -> Played:
    for folder in (scene.home.work, scene.home.user):  # earlier profiles' files
        shutil.rmtree(folder)
        folder.mkdir()
    script = _Script(cases)
    scene.fill(contents, script)
    steps: list[Mapping[str, Any]] = [{"do": "watch", "plugin": PLUGIN, "decisions": decisions.url}]
    for case in cases:
        steps += _steps(case)
    driven = scene.hermes.drive(steps, timeout_s=_TIMEOUT_S, child=_CHILD)
    keys = [case.key(n) for case in cases for n in range(1, len(case.turns) + 1)]
    broken = driven.fatal or "".join(turn.error for turn in driven.turns)
    if broken or len(driven.turns) != len(keys) or scene.model.errors:
        raise RuntimeError(f"Hermes did not play every turn: {broken or scene.model.errors}")
    answers = {key: turn.answer for key, turn in zip(keys, driven.turns, strict=True)}
    return {key: _trace(key, script, driven.facts, decisions, answers[key]) for key in keys}


def _steps(case: Case) -> Iterable[Mapping[str, Any]]:
    """The plan of one session."""
    agent = plan.agent(case.id, session_id=f"evaluate-{case.id}")
    for number, turn in enumerate(case.turns, start=1):
        if number == 1 or turn.anew:
            yield agent
        yield {
            "do": "case",
            "turn": case.key(number),
            "answer": turn.answer,
            "policy": case.policy,
            "marker": case.marker,
            "prints": {
                step.args["command"]: [step.prints, step.status]
                for step in turn.steps
                if step.tool == "terminal" and step.args
            },
        }
        yield plan.turn(case.id, turn.say)


class _Script:
    """The model: does what the case says, whatever it is offered."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self._cases = {case.turns[0].say: case for case in cases}
        self.requests: dict[str, list[Request]] = defaultdict(list)
        self.continued: Counter[str] = Counter()
        self.calls: dict[str, list[tuple[str, str, bool]]] = defaultdict(list)
        """By turn: id, tool and whether it was offered."""

    def __call__(self, request: Request) -> Step:
        case = self._cases[request.opener]
        number, turn, behind = _place(case, request)
        key = case.key(number)
        self.requests[key].append(request)
        self.continued[key] = sum(message.get("role") == "user" for message in behind)
        done = sum(message.get("role") == "assistant" for message in behind)
        step = turn.steps[min(done, len(turn.steps) - 1)]
        if not step.tool:
            return say(step.text)
        self.calls[key].append((f"call_{request.index}_0", step.tool, step.tool in request.tools))
        return Step(calls=(ToolCall(name=step.tool, arguments=step.args or {}),))


def _place(case: Case, request: Request) -> tuple[int, Turn, Sequence[Mapping[str, Any]]]:
    """Which turn a request belongs to, and the messages behind the user's."""
    said = {turn.say: number for number, turn in enumerate(case.turns, start=1)}
    for index in range(len(request.messages) - 1, -1, -1):
        message = request.messages[index]
        if message.get("role") == "user" and message.get("content") in said:
            number = said[message["content"]]
            return number, case.turns[number - 1], request.messages[index + 1 :]
    raise LookupError(f"{case.id}: the request holds none of the case's messages")


def _trace(
    key: str, script: _Script, facts: Mapping[str, Any], decisions: Decisions, answer: str
) -> TurnTrace:
    requests = script.requests[key]
    spent = [(wall, cpu) for turn, wall, cpu in facts["spent"] if turn == key]
    return TurnTrace(
        requests=tuple(request.raw for request in requests),
        tools=tuple(request.tools for request in requests),
        calls=tuple(_calls(script.calls[key], facts)),
        continued=script.continued[key],
        answer=answer,
        engine=decisions.asked[key],
        wall_ms=sum(wall for wall, _ in spent) / 1000,
        cpu_ms=sum(cpu for _, cpu in spent) / 1000,
    )


def _calls(made: Sequence[tuple[str, str, bool]], facts: Mapping[str, Any]) -> Iterable[CallTrace]:
    ended: dict[str, CallTrace] = {}
    asked = ran = 0
    for _, name, status, result, asked_by_now, ran_by_now in facts["ended"]:
        blocked = status in {"blocked", "cancelled"} or '"status": "blocked"' in (result or "")
        ended[name] = CallTrace(
            tool="",
            offered=True,
            asked=asked_by_now - asked,
            blocked=blocked,
            ran=ran_by_now > ran or (status == "ok" and not blocked),
            result=result or "",
        )
        asked, ran = asked_by_now, ran_by_now
    for name, tool, offered in made:
        found = ended.get(name, CallTrace(tool=tool, offered=offered))
        yield CallTrace(
            tool=tool,
            offered=offered,
            asked=found.asked,
            blocked=found.blocked,
            ran=found.ran and (tool != "terminal" or not found.blocked),
            result=found.result,
        )
